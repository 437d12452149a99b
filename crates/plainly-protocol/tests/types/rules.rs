//! The rules of reading and writing: rejected, tolerated and stored values.

use crate::cases;
use std::time::Duration;

use plainly_protocol::types::{
    Annotations, Arguments, Body, CacheHint, CacheScope, CallToolParams, CallToolResult,
    ClientCapabilities, Content, Cursor, EmbeddedResource, EmptyResult, GetPromptParams,
    JsonObject, ListResourcesParams, ListResourcesResult, ListToolsResult, RawJson,
    ReadResourceParams, Reference, Resource, ResourceContents, ResultFields, ResultType, Role,
    ServerCapabilities, TextContent, Tool,
};
use proptest::prelude::{any, proptest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn write<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

/// Checks that reading `text` as a `T` fails with a message that contains `expected`.
fn refuse<'a, T: Deserialize<'a> + std::fmt::Debug>(text: &'a str, expected: &str) {
    let error = match serde_json::from_str::<T>(text) {
        Ok(value) => panic!("{text} was read as {value:?}"),
        Err(error) => error.to_string(),
    };
    assert!(error.contains(expected), "{text}: {error}");
}

#[test]
fn contents_have_exactly_one_body() {
    let text: ResourceContents = read(r#"{"uri":"a:b","text":"","blob":null}"#);
    assert_eq!(text.body, Body::from(""));
    let blob: ResourceContents = read(r#"{"blob":"","uri":"a:b"}"#);
    assert_eq!(blob.body, Body::from(Vec::new()));
}

#[test]
fn contents_of_older_servers_have_no_name() {
    let contents: ResourceContents = read(r#"{"uri":"a:b","mimeType":"text/plain","text":"x"}"#);
    assert_eq!(contents.name, None);
    let expected = r#"{"uri":"a:b","mimeType":"text/plain","text":"x"}"#;
    assert_eq!(write(&contents), expected);
}

#[test]
fn contents_carry_all_that_the_resource_says() {
    let resource = Resource::new("file:///docs/a.pdf", "a.pdf")
        .title("A")
        .description("The first letter.")
        .mime_type("application/pdf")
        .size(3)
        .is_collection(false)
        .icons([])
        .annotations(Annotations::new().priority(0.5))
        .meta(JsonObject::from_iter([("dev.plainly/x", json!(1))]));
    let listed = serde_json::to_value(&resource).unwrap();
    let mut read =
        serde_json::to_value(ResourceContents::new(resource, vec![0xff, 0xef, 0xbe])).unwrap();
    let expected = Some(json!("/+++"));
    assert_eq!(read.as_object_mut().unwrap().remove("blob"), expected);
    assert_eq!(read, listed);
    assert_eq!(listed.as_object().unwrap().len(), 10);
}

#[test]
fn base64_is_strict() {
    let blob = |data: &str| format!(r#"{{"uri":"a:b","blob":"{data}"}}"#);
    for data in cases::<&str>("wrong base64") {
        refuse::<ResourceContents>(&blob(data), "is not base64");
    }

    // Some writers escape every slash.
    let escaped: ResourceContents = read(&blob(r"\/+++"));
    assert_eq!(escaped.body.as_bytes(), [0xff, 0xef, 0xbe]);
}

proptest! {
    #[test]
    fn any_bytes_come_back(bytes in any::<Vec<u8>>()) {
        let sent = ResourceContents::new(Resource::new("a:b", "b"), bytes);
        let received: ResourceContents = read(&write(&sent));
        assert_eq!(received, sent);
    }

    #[test]
    fn any_text_comes_back(text in any::<String>()) {
        let sent = CallToolResult::new([Content::text(text.as_str())]);
        let received: CallToolResult = read(&write(&sent));
        assert_eq!(received, sent);
    }

    #[test]
    fn any_whole_ttl_is_read(millis in any::<i32>()) {
        let fields: ResultFields = read(&format!(r#"{{"ttlMs":{millis}}}"#));
        assert_eq!(fields.cache.ttl, Duration::from_millis(u64::try_from(millis).unwrap_or(0)));
    }
}

#[test]
fn unknown_fields_are_ignored() {
    let params: ReadResourceParams = read(r#"{"uri":"a:b","_meta":{},"later":[1,{"x":2}]}"#);
    assert_eq!(params, ReadResourceParams::new("a:b"));
    let capabilities: ServerCapabilities = read(r#"{"tools":{"later":1},"later":{}}"#);
    assert_eq!(write(&capabilities), r#"{"tools":{}}"#);
    let content: Content = read(r#"{"type":"text","text":"x","later":1}"#);
    assert_eq!(content, Content::text("x"));
    let resource: Resource = read(r#"{"uri":"a:b","name":"b","later":1}"#);
    assert_eq!(resource, Resource::new("a:b", "b"));
}

#[test]
fn content_is_told_by_its_type() {
    let block = Content::resource(ResourceContents::new(Resource::new("a:b", "b"), "x"));
    assert_eq!(
        write(&block),
        r#"{"type":"resource","resource":{"uri":"a:b","name":"b","text":"x"}}"#
    );
    for (block, wire) in [
        (Content::text("x"), r#"{"type":"text","text":"x"}"#),
        (
            Content::image(*b"abc", "image/png"),
            r#"{"type":"image","data":"YWJj","mimeType":"image/png"}"#,
        ),
        (
            Content::audio(*b"abc", "audio/wav"),
            r#"{"type":"audio","data":"YWJj","mimeType":"audio/wav"}"#,
        ),
        (
            Content::resource_link(Resource::new("a:b", "b").is_collection(true)),
            r#"{"type":"resource_link","uri":"a:b","name":"b","isCollection":true}"#,
        ),
        (
            block,
            r#"{"resource":{"text":"x","name":"b","uri":"a:b"},"type":"resource"}"#,
        ),
    ] {
        assert_eq!(read::<Content>(wire), block);
        let value: Value = read(wire);
        assert_eq!(serde_json::to_value(&block).unwrap(), value);
        assert_eq!(serde_json::from_value::<Content>(value).unwrap(), block);
    }
}

#[test]
fn content_of_an_unknown_type_is_kept_whole() {
    let wire = r#"{"content":[{"type":"video","z":1.0,"a":[1e400],"data":{"type":"text"}},{"type":"text","text":"x"}]}"#;
    let result: CallToolResult = read(wire);
    let [Content::Unknown(raw), Content::Text(_)] = result.content.as_slice() else {
        panic!("{result:?}");
    };
    let expected = r#"{"type":"video","z":1.0,"a":[1e400],"data":{"type":"text"}}"#;
    assert_eq!(raw.get(), expected);
    assert_eq!(write(&result), wire);
}

#[test]
fn annotations_of_an_embedded_resource_stand_in_both_places() {
    let user = || Annotations::new().audience([Role::User]);
    let contents = ResourceContents::new(Resource::new("a:b", "b"), "x");
    let block = Content::Resource(EmbeddedResource::new(contents).annotations(user()));
    let wire = json!({
        "type": "resource",
        "resource": {"uri": "a:b", "name": "b", "annotations": {"audience": ["user"]}, "text": "x"},
        "annotations": {"audience": ["user"]},
    });
    assert_eq!(serde_json::to_value(&block).unwrap(), wire);

    let inside = r#""resource":{"uri":"a:b","text":"","annotations":{"audience":["user"]}}"#;
    let bare = r#""resource":{"uri":"a:b","text":""}"#;
    let beside = r#""annotations":{"audience":["user"]}"#;
    let other = r#""annotations":{"audience":["assistant"]}"#;
    for (members, expected) in [
        (inside.to_owned(), Some(user())),
        (format!("{beside},{bare}"), Some(user())),
        (format!("{inside},{other}"), Some(user())),
        (bare.to_owned(), None),
    ] {
        let content: Content = read(&format!(r#"{{"type":"resource",{members}}}"#));
        assert_eq!(content.annotations(), expected.as_ref(), "{members}");
    }
}

#[test]
fn schemas_are_kept_verbatim() {
    let schema = r#"{"type":"object","$defs":{"z":{"const":1.0},"a":{"maximum":1e400}}, "x-unknown":[null,18446744073709551617],"properties":{"b":{},"a":{}}}"#;
    let wire = format!(r#"{{"name":"a","inputSchema":{schema},"outputSchema":{schema}}}"#);
    let tool: Tool = read(&wire);
    assert_eq!(tool.input_schema.get(), schema);
    assert_eq!(write(&tool), wire);
    assert_eq!(
        tool,
        Tool::new("a", RawJson::parse(schema).unwrap()).output_schema(tool.input_schema.clone())
    );
}

#[test]
fn raw_json_never_breaks_a_line() {
    let raw = RawJson::parse("{\r\n  \"a\": [1,\n2],\n\t\"b\": \"\\n\"\n}\n").unwrap();
    assert_eq!(raw.get(), "{  \"a\": [1,2],\t\"b\": \"\\n\"}");
    let expected = json!({"a": [1, 2], "b": "\n"});
    assert_eq!(raw.decode::<Value>().unwrap(), expected);
    let tool: Tool = read("{\"name\":\"a\",\"inputSchema\":{\n\"type\":\n\"object\"}}");
    let expected = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
    assert_eq!(write(&tool), expected);
    assert!(RawJson::parse("{").is_err());
    let expected = r#"{"a":1}"#;
    assert_eq!(RawJson::encode(&json!({"a": 1})).unwrap().get(), expected);
}

#[test]
fn arguments_are_borrowed_and_must_be_an_object() {
    let wire = r#"{"name":"add","arguments":{"b":1.0,"a":9007199254740993}}"#;
    let params: CallToolParams<'_> = read(wire);
    let arguments = params.arguments.unwrap().get();
    assert_eq!(arguments, r#"{"b":1.0,"a":9007199254740993}"#);
    assert!(wire.as_bytes().as_ptr_range().contains(&arguments.as_ptr()));
    assert_eq!(write(&params), wire);

    assert!(
        read::<CallToolParams<'_>>(r#"{"name":"a"}"#)
            .arguments
            .is_none()
    );
    assert!(
        read::<CallToolParams<'_>>(r#"{"name":"a","arguments":null}"#)
            .arguments
            .is_none()
    );
    assert_eq!(read::<CallToolParams<'_>>(r#"{"name":"\u0061"}"#).name, "a");
    for arguments in ["[]", "\"{}\"", "1", "true"] {
        let wire = format!(r#"{{"name":"a","arguments":{arguments}}}"#);
        refuse::<CallToolParams<'_>>(&wire, "invalid arguments: expected an object");
    }
    assert_eq!(write(&CallToolParams::new("a")), r#"{"name":"a"}"#);
}

#[test]
fn arguments_of_prompts_are_text_and_all_that_are_not_are_named() {
    let params: GetPromptParams = read(r#"{"name":"a","arguments":{"b":"\u0078","a":""}}"#);
    assert_eq!(
        params.arguments,
        Some(Arguments::from([("a", ""), ("b", "x")]))
    );
    for text in [r#"{"name":"a"}"#, r#"{"name":"a","arguments":null}"#] {
        assert_eq!(read::<GetPromptParams>(text).arguments, None, "{text}");
    }
}

#[test]
fn what_is_completed_is_told_by_its_type() {
    for (text, expected) in [
        (
            r#"{"name":"a","title":"A","type":"ref/prompt"}"#,
            Reference::prompt("a"),
        ),
        (
            r#"{"type":"ref/resource","uri":"a:{b}"}"#,
            Reference::resource("a:{b}"),
        ),
    ] {
        assert_eq!(read::<Reference>(text), expected);
    }
    for (text, expected) in [
        (r#"{"type":"ref/tool","name":"a"}"#, "unknown variant"),
        (r#"{"name":"a"}"#, "missing field `type`"),
        (
            r#"{"type":"ref/prompt","uri":"a:b"}"#,
            "missing field `name`",
        ),
    ] {
        refuse::<Reference>(text, expected);
    }
}

#[test]
fn structured_content_may_be_null() {
    let absent: CallToolResult = read(r#"{"content":[]}"#);
    assert_eq!(absent.structured_content, None);
    assert!(!absent.is_tool_error());
    let wire = r#"{"content":[],"structuredContent":null,"isError":true}"#;
    let null: CallToolResult = read(wire);
    assert_eq!(
        null.structured_content,
        Some(RawJson::parse("null").unwrap())
    );
    assert!(null.is_tool_error());
    assert_eq!(write(&null), wire);
}

#[test]
fn a_ttl_out_of_range_costs_nothing() {
    let ttl = |text: &str| {
        read::<ResultFields>(&format!(r#"{{"ttlMs":{text}}}"#))
            .cache
            .ttl
    };
    let longest = Duration::from_millis(u64::MAX);
    for (text, expected) in [
        ("0", Duration::ZERO),
        ("300000", Duration::from_secs(300)),
        ("1e3", Duration::from_secs(1)),
        ("1.9", Duration::from_millis(1)),
        ("-1", Duration::ZERO),
        ("-1e400", Duration::ZERO),
        ("null", Duration::ZERO),
        ("18446744073709551616", longest),
        ("1e400", longest),
    ] {
        assert_eq!(ttl(text), expected, "{text}");
    }
    assert_eq!(read::<ResultFields>("{}").cache.ttl, Duration::ZERO);
    for text in [r#""60""#, "true", "[]", r#""inf""#] {
        refuse::<ResultFields>(&format!(r#"{{"ttlMs":{text}}}"#), "`ttlMs` is not a number");
    }
}

#[test]
fn result_fields_are_read_beside_the_body() {
    let wire = r#"{
        "resultType": "complete", "tools": [], "ttlMs": 1, "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "a", "version": "1", "later": 2}}
    }"#;
    let fields: ResultFields = read(wire);
    assert_eq!(fields.result_type, ResultType::Complete);
    assert_eq!(
        fields.cache,
        CacheHint::new(Duration::from_millis(1), CacheScope::Public)
    );
    assert_eq!(fields.server_info().unwrap().name, "a");
    let body: ListToolsResult = read(wire);
    assert_eq!(body.meta, fields.meta);

    assert_eq!(read::<ResultFields>("{}"), ResultFields::default());
    for (word, expected) in [
        ("complete", ResultType::Complete),
        ("input_required", ResultType::InputRequired),
        ("Complete", ResultType::Unknown("Complete".into())),
        ("", ResultType::Unknown(String::new())),
    ] {
        let fields: ResultFields = read(&format!(r#"{{"resultType":"{word}"}}"#));
        assert_eq!(fields.result_type, expected);
    }
    for (word, expected) in [
        ("public", CacheScope::Public),
        ("private", CacheScope::Private),
        ("shared", CacheScope::Private),
    ] {
        let fields: ResultFields = read(&format!(r#"{{"cacheScope":"{word}"}}"#));
        assert_eq!(fields.cache.scope, expected);
    }
    let nameless: ResultFields = read(r#"{"_meta":{"io.modelcontextprotocol/serverInfo":1}}"#);
    assert_eq!(nameless.server_info(), None);
}

#[test]
fn an_empty_cursor_goes_on() {
    let page: ListResourcesResult = read(r#"{"resources":[],"nextCursor":""}"#);
    assert_eq!(page.next_cursor, Some(Cursor::from("")));
    assert_eq!(write(&page), r#"{"resources":[],"nextCursor":""}"#);
    let params = ListResourcesParams::new()
        .cursor(Cursor::from(""))
        .uri("file:///a/");
    assert_eq!(write(&params), r#"{"cursor":"","uri":"file:///a/"}"#);
    assert_eq!(write(&ListResourcesParams::new()), "{}");
}

#[test]
fn an_empty_elicitation_capability_means_forms() {
    for (wire, form, url) in [
        ("{}", true, false),
        (r#"{"form":{}}"#, true, false),
        (r#"{"url":{}}"#, false, true),
        (r#"{"form":{},"url":{}}"#, true, true),
    ] {
        let capabilities: ClientCapabilities = read(&format!(r#"{{"elicitation":{wire}}}"#));
        let elicitation = capabilities.elicitation.unwrap();
        assert_eq!(
            (elicitation.offers_form(), elicitation.offers_url()),
            (form, url),
            "{wire}"
        );
    }
}

#[test]
fn extensions_are_found_by_name() {
    let server: ServerCapabilities = read(r#"{"extensions":{"a/b":{"c":1}}}"#);
    assert_eq!(server.extension("a/b"), Some(&json!({"c": 1})));
    assert_eq!(server.extension("a/c"), None);
    let client = ClientCapabilities::new().extensions(JsonObject::from_iter([("a/b", json!({}))]));
    assert_eq!(client.extension("a/b"), Some(&json!({})));
    assert_eq!(write(&client), r#"{"extensions":{"a/b":{}}}"#);
}

#[test]
fn absent_is_never_written_as_null() {
    assert_eq!(write(&EmptyResult::new()), "{}");
    assert_eq!(write(&Annotations::new()), "{}");
    let expected = r#"{"uri":"a:b","name":"b"}"#;
    assert_eq!(write(&Resource::new("a:b", "b")), expected);
    let expected = r#"{"type":"text","text":"x"}"#;
    assert_eq!(write(&Content::Text(TextContent::new("x"))), expected);
    assert_eq!(write(&ServerCapabilities::new()), "{}");
    assert_eq!(write(&ClientCapabilities::new()), "{}");
}
