//! Resources whose URIs match a template, which clients of every revision read, describe and list.

use std::time::Duration;

use plainly::errors::Problem;
use plainly::protocol::types::{
    Annotations, CacheHint, CacheScope, Resource as Described, ResourceContents,
};
use plainly::server::extract::PartialArgument;
use plainly::server::{Resource, ResourceTemplate, ServerBuilder, Tool};
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Args, ProtocolError, ResourceUri, Text, Vars};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::both::{both, json};
use crate::fixture::{Fixture, SECRET};
use crate::sender::{Sender, call, request};
use crate::stream::Stream;

#[derive(Deserialize, JsonSchema)]
struct Note {
    id: String,
}

/// Returns a note. Ids have only lowercase letters, and `welcome` is the only note.
async fn note(uri: ResourceUri, Vars(Note { id }): Vars<Note>) -> Result<Text, ProtocolError> {
    if !id.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let why = format!("Note ids are lowercase letters, got {id:?}");
        return Err(ProtocolError::invalid_params(why));
    }
    match &*id {
        "welcome" => Ok(Text::markdown("Hello.")),
        "broken" => panic!("{SECRET}"),
        _ => Err(ProtocolError::resource_not_found(uri)),
    }
}

async fn read_note(Args(Note { id }): Args<Note>) -> Result<String, Problem> {
    Err(Problem::not_found("note", id))
}

#[derive(Deserialize, JsonSchema)]
struct Line {
    path: String,
    line: Option<u32>,
}

async fn line(Vars(Line { path, line }): Vars<Line>) -> Result<String, Problem> {
    match line {
        Some(0) => Err(Problem::not_found("line", "0")),
        _ => Ok(format!("{path}:{line:?}")),
    }
}

async fn describe(uri: ResourceUri, Vars(Line { path, .. }): Vars<Line>) -> Option<Described> {
    (path != "none").then(|| Described::new(uri.to_string(), path.clone()).size(path.len() as u64))
}

/// A store that has every URI.
#[derive(Debug)]
struct Rest;

impl Store for Rest {
    fn serves(&self, _: &str) -> bool {
        true
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::new(vec![Described::new("rest://1", "rest")], None))
    }

    async fn metadata(&self, uri: &str) -> Result<Described, StoreError> {
        Ok(Described::new(uri, "rest").is_collection(false))
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Ok(vec![ResourceContents::new(
            self.metadata(uri).await?,
            "rest",
        )])
    }
}

fn notes() -> ResourceTemplate {
    ResourceTemplate::new("note://{id}", note)
        .name("note")
        .title("A note")
        .description("By its id")
        .annotations(Annotations::new().priority(1.0))
}

fn lines() -> ResourceTemplate {
    ResourceTemplate::new("line:///{+path}{?line}", line)
        .mime_type("text/plain")
        .metadata(describe)
}

fn served(builder: ServerBuilder) -> ServerBuilder {
    builder
        .resource_template(notes())
        .resource_template(lines())
        .tool(Tool::new("read-note", read_note))
}

async fn replies(fixture: &Fixture, method: &str, uri: &str) -> Vec<Value> {
    let sent = request("1", method, &format!(r#""uri":"{uri}""#));
    let mut replies = Vec::new();
    for sender in Sender::all() {
        replies.extend(both(fixture, sender, &sent).await);
    }
    replies
}

/// Removes the members of `dev.plainly/resources`, which differ between revisions.
fn without_extension(resource: &Value) -> Value {
    let mut resource = resource.clone();
    let members = resource.as_object_mut().unwrap();
    assert!(members.remove("capabilities").is_some(), "{members:?}");
    if let Some(meta) = members.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.remove("dev.plainly/resource");
    }
    members.retain(|_, value| *value != json!({}));
    resource
}

#[tokio::test]
async fn what_is_there_is_read_with_its_metadata() {
    let fixture = Fixture::build(served);
    for reply in replies(&fixture, "resources/read", "note://welcome").await {
        let contents = json!([{
            "uri": "note://welcome",
            "name": "note",
            "title": "A note",
            "description": "By its id",
            "mimeType": "text/markdown",
            "size": 6,
            "isCollection": false,
            "annotations": {"priority": 1.0},
            "text": "Hello.",
        }]);
        let read = without_extension(&reply["result"]["contents"][0]);
        assert_eq!(json!([read]), contents, "{reply}");
    }
    for reply in replies(&fixture, "resources/read", "line:///a/b%20c?line=7").await {
        assert_eq!(reply["result"]["contents"][0]["text"], "a/b c:Some(7)");
    }
    for reply in replies(&fixture, "resources/read", "line:///a").await {
        assert_eq!(reply["result"]["contents"][0]["text"], "a:None");
    }
}

#[tokio::test]
async fn each_way_to_fail_is_told_to_its_reader() {
    let fixture = Fixture::build(served);
    let invalid = |uri: &str, path: &str, why: &str| {
        let place = if path.is_empty() {
            String::new()
        } else {
            format!("{path}: ")
        };
        let problems = [json!({"path": path, "message": why})];
        json!({
            "code": -32602,
            "message": format!("Invalid URI: {uri}: {place}{why}"),
            "data": {"kind": "invalid_uri", "uri": uri, "problems": problems},
        })
    };
    let missing = |uri: &str| {
        let message = format!("Resource not found: {uri}");
        json!({"code": -32602, "message": message, "data": {"uri": uri}})
    };
    let malformed = json!({
        "code": -32602,
        "message": "Note ids are lowercase letters, got \"42\"",
        "data": {"kind": "malformed"},
    });
    let broken = json!({"code": -32603, "message": "Internal error"});
    let no_number = r#""x" is not of type "integer""#;
    for method in ["resources/read", "resources/metadata"] {
        for (uri, error) in [
            ("note://42", malformed.clone()),
            ("note://archived", missing("note://archived")),
            ("note://a/b", missing("note://a/b")),
            ("note://%61", missing("note://%61")),
            (
                "note://",
                invalid("note://", "", "\"id\" is a required property"),
            ),
            ("note://broken", broken.clone()),
            (
                "line:///a?line=x",
                invalid("line:///a?line=x", "/line", no_number),
            ),
        ] {
            for reply in replies(&fixture, method, uri).await {
                assert_eq!(reply["error"], error, "{method} {uri}");
            }
        }
    }
    for reply in replies(&fixture, "resources/read", "line:///a?line=0").await {
        assert_eq!(reply["error"]["data"], json!({"uri": "line:///a?line=0"}));
    }
    for sender in Sender::all() {
        for reply in both(&fixture, sender, &call("1", "read-note", r#"{"id":"x"}"#)).await {
            assert_eq!(reply["result"]["isError"], true, "{reply}");
        }
    }
}

#[tokio::test]
async fn metadata_is_the_handlers_or_what_reading_tells() {
    let fixture = Fixture::build(served);
    for reply in replies(&fixture, "resources/metadata", "note://welcome").await {
        let resource = json!({
            "uri": "note://welcome",
            "name": "note",
            "title": "A note",
            "description": "By its id",
            "mimeType": "text/markdown",
            "size": 6,
            "isCollection": false,
            "annotations": {"priority": 1.0},
        });
        let described = without_extension(&reply["result"]["resource"]);
        assert_eq!(described, resource, "{reply}");
    }
    for reply in replies(&fixture, "resources/metadata", "line:///a%20b").await {
        let resource =
            json!({"uri": "line:///a%20b", "name": "a b", "size": 3, "isCollection": false});
        let described = without_extension(&reply["result"]["resource"]);
        assert_eq!(described, resource, "{reply}");
    }
    for reply in replies(&fixture, "resources/metadata", "line:///none").await {
        assert_eq!(reply["error"]["data"], json!({"uri": "line:///none"}));
    }
}

#[tokio::test]
async fn a_resource_of_a_template_has_no_children() {
    let fixture = Fixture::build(served);
    for (uri, data) in [
        (
            "note://welcome",
            json!({"kind": "not_a_collection", "uri": "note://welcome"}),
        ),
        ("note://archived", json!({"uri": "note://archived"})),
    ] {
        for reply in replies(&fixture, "resources/list", uri).await {
            assert_eq!(reply["error"]["code"], -32602);
            assert_eq!(reply["error"]["data"], data);
        }
    }
}

#[tokio::test]
async fn a_uri_goes_to_what_is_static_then_to_the_first_template_then_to_a_store() {
    let fixture = Fixture::build(|builder| {
        builder
            .store(Rest)
            .resource_template(ResourceTemplate::new("x://{id}", async || "template"))
            .resource_template(ResourceTemplate::new(
                "x://{+path}",
                async || "later template",
            ))
            .resource_template(ResourceTemplate::new("x://a.{id}", async || "too late"))
            .resource(Resource::new("x://static", async || "static"))
    });
    for (uri, text) in [
        ("x://static", "static"),
        ("x://a.b", "template"),
        ("x://a/b", "later template"),
        ("x:///", "later template"),
        ("x:%C3%A9", "rest"),
        ("y://a", "rest"),
    ] {
        for reply in replies(&fixture, "resources/read", uri).await {
            assert_eq!(reply["result"]["contents"][0]["text"], text, "{uri}");
            assert_eq!(reply["result"]["contents"][0]["uri"], uri);
        }
    }
}

/// Requests all pages of `method`.
async fn pages(fixture: &Fixture, sender: Sender, method: &str) -> Vec<Value> {
    let mut stream = Stream::open(&fixture.server, sender).await;
    let (mut pages, mut more) = (Vec::new(), String::new());
    loop {
        let reply = json(&stream.ask(&request("1", method, &more)).await);
        let next = reply["result"]["nextCursor"].clone();
        pages.push(reply);
        let Some(cursor) = next.as_str() else {
            return pages;
        };
        more = format!(r#""cursor":"{cursor}""#);
    }
}

fn paged(builder: ServerBuilder, page: usize) -> ServerBuilder {
    let mut limits = plainly::limits::Limits::default();
    limits.page_entries = page;
    builder.limits(limits)
}

#[tokio::test]
async fn templates_are_listed_page_by_page() {
    let fixture = Fixture::build(|builder| {
        let more =
            (0..3).map(|number| ResourceTemplate::new(format!("t{number}:{{id}}"), async || "x"));
        paged(
            more.fold(served(builder), ServerBuilder::resource_template),
            2,
        )
    });
    for sender in Sender::all() {
        let pages = pages(&fixture, sender, "resources/templates/list").await;
        let templates: Vec<_> = pages
            .iter()
            .map(|page| {
                page["result"]["resourceTemplates"]
                    .as_array()
                    .unwrap()
                    .clone()
            })
            .collect();
        assert!(templates.iter().map(Vec::len).eq([2, 2, 1]), "{sender:?}");
        let note = json!({
            "uriTemplate": "note://{id}",
            "name": "note",
            "title": "A note",
            "description": "By its id",
            "annotations": {"priority": 1.0},
        });
        assert_eq!(without_extension(&templates[0][0]), note);
        let line = json!({
            "uriTemplate": "line:///{+path}{?line}",
            "name": "line:///{+path}{?line}",
            "mimeType": "text/plain",
        });
        assert_eq!(without_extension(&templates[0][1]), line);
        assert_eq!(templates[2][0]["uriTemplate"], "t2:{id}");
    }
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    for cursor in ["", "AAAA", "cmVzb3VyY2VzCnQwOntpZH0", "dGVtcGxhdGVzCm5vbmU"] {
        let sent = request(
            "1",
            "resources/templates/list",
            &format!(r#""cursor":"{cursor}""#),
        );
        let reply = json(&stream.ask(&sent).await);
        assert_eq!(reply["error"]["data"], json!({"kind": "invalid_cursor"}));
    }
}

#[tokio::test]
async fn resources_that_a_template_lists_are_part_of_all() {
    let fixture = Fixture::build(|builder| {
        let list = |scheme: &'static str, count: usize| {
            move || async move {
                let uris = (0..count).map(|number| format!("{scheme}://{number}"));
                uris.map(|uri| Described::new(uri, scheme))
                    .collect::<Vec<_>>()
            }
        };
        let builder = builder
            .resource_template(ResourceTemplate::new("a://{id}", async || "x").list(list("a", 5)))
            .resource_template(ResourceTemplate::new("b://{id}", async || "x"))
            .resource_template(ResourceTemplate::new("c://{id}", async || "x").list(list("c", 4)))
            .resource_template(ResourceTemplate::new("d://{id}", async || "x").list(list("d", 0)))
            .store(Rest);
        paged(builder, 3)
    });
    for sender in Sender::all() {
        let mut uris = Vec::new();
        for page in pages(&fixture, sender, "resources/list").await {
            let resources = page["result"]["resources"].as_array().unwrap();
            assert!(resources.len() <= 3, "{page}");
            if sender == Sender::Modern {
                assert_eq!(page["result"]["ttlMs"], 0, "{page}");
            }
            for resource in resources {
                if resource["uri"] != "rest://1" {
                    assert_eq!(resource["isCollection"], false, "{resource}");
                }
                uris.push(resource["uri"].as_str().unwrap().to_owned());
            }
        }
        let of_templates = [
            "a://0", "a://1", "a://2", "a://3", "a://4", "c://0", "c://1", "c://2", "c://3",
        ];
        assert_eq!(uris.len(), 5 + 9 + 1);
        assert_eq!(uris[5..14], of_templates);
        assert_eq!(uris[14], "rest://1");
    }
}

#[tokio::test]
async fn what_is_not_of_the_template_never_leaves() {
    let other = || Described::new("other://1", "other");
    let fixture = Fixture::build(|builder| {
        builder.resource_template(
            ResourceTemplate::new("x://{id}", async || "x")
                .metadata(move || async move { other() })
                .list(move || async move { vec![other()] }),
        )
    });
    for reply in replies(&fixture, "resources/metadata", "x://1").await {
        let error = json!({"code": -32603, "message": "The resource could not be described"});
        assert_eq!(reply["error"], error);
    }
    for sender in Sender::all() {
        for reply in both(&fixture, sender, &request("1", "resources/list", "")).await {
            let error = json!({"code": -32603, "message": "The resources could not be listed"});
            assert_eq!(reply["error"], error);
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Shelf {
    Drafts,
    Done,
}

#[derive(Deserialize, JsonSchema)]
struct Shelved {
    shelf: Shelf,
    id: String,
}

#[tokio::test]
async fn variables_are_completed() {
    let read = async |Vars(Shelved { shelf, id }): Vars<Shelved>| match shelf {
        Shelf::Drafts | Shelf::Done => id,
    };
    let ids = async |typed: PartialArgument| {
        let shelf = typed.argument("shelf").unwrap_or("none").to_owned();
        typed.matching([format!("{shelf}-1"), "other".to_owned()])
    };
    let fixture = Fixture::build(|builder| {
        builder.resource_template(
            ResourceTemplate::new("note://{shelf}/{id}", read).complete("id", ids),
        )
    });
    let complete = |uri: &str, name: &str, value: &str, more: &str| {
        let reference = json!({"type": "ref/resource", "uri": uri});
        let argument = json!({"name": name, "value": value});
        let params = format!(r#""ref":{reference},"argument":{argument}{more}"#);
        request("1", "completion/complete", &params)
    };
    let template = "note://{shelf}/{id}";
    let context = r#","context":{"arguments":{"shelf":"done"}}"#;
    for sender in Sender::all() {
        for (name, value, context, values) in [
            ("shelf", "d", "", json!(["drafts", "done"])),
            ("shelf", "do", "", json!(["done"])),
            ("id", "do", context, json!(["done-1"])),
            ("id", "", "", json!(["none-1", "other"])),
        ] {
            for reply in both(&fixture, sender, &complete(template, name, value, context)).await {
                assert_eq!(reply["result"]["completion"]["values"], values, "{reply}");
            }
        }
        for (uri, name) in [
            (template, "other"),
            ("note://{id}", "id"),
            ("note://done/1", "id"),
        ] {
            for reply in both(&fixture, sender, &complete(uri, name, "", "")).await {
                assert_eq!(reply["error"]["code"], -32602, "{uri} {name}: {reply}");
            }
        }
    }
}

#[tokio::test]
async fn what_a_template_gives_is_kept_as_long_as_it_says() {
    let hint = |seconds| CacheHint::new(Duration::from_secs(seconds), CacheScope::Public);
    let list = async || Vec::<Described>::new();
    let fixture = Fixture::build(|builder| {
        builder
            .resource_template(
                ResourceTemplate::new("a:{id}", async || "x")
                    .cache_hint(hint(9))
                    .list(list),
            )
            .resource_template(
                ResourceTemplate::new("b:{id}", async || "x")
                    .cache_hint(hint(5))
                    .list(list),
            )
            .resource_template(ResourceTemplate::new("c:{id}", async || "x").cache_hint(hint(1)))
    });
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    for (method, uri, ttl) in [
        ("resources/read", r#""uri":"a:1""#, 9_000),
        ("resources/read", r#""uri":"c:1""#, 1_000),
        ("resources/list", "", 5_000),
    ] {
        let reply = json(&stream.ask(&request("1", method, uri)).await);
        assert_eq!(reply["result"]["ttlMs"], ttl, "{method} {uri}: {reply}");
    }
}
