//! The spec's examples of these types, which are written again as they were read.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::Duration;

use plainly_errors::Revision;
use plainly_protocol::envelope::{
    Envelope, Limits, Message, Object, parse as parse_message, parse_object,
};
use plainly_protocol::meta::{
    CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROGRESS_TOKEN, PROTOCOL_VERSION, RequestMeta,
};
use plainly_protocol::method::Method;
use plainly_protocol::types::{ResultFields, ResultType};
use serde_json::{Map, Value, json};

use crate::cases;
use crate::names::again_as;
use crate::spec::{parse, spec};

/// The role of a type in its examples.
enum Holds {
    /// The type itself.
    Type,
    /// A request with the type as `params`.
    Request,
    /// The type with an id, as in revisions where questions are requests.
    Question,
    /// A notification with the type as `params`.
    Notification,
    /// The type as parameters, with the request's `_meta`.
    Params,
    /// The type as a result.
    Result,
    /// A response with the type as `result`.
    Response,
    /// An error response with the type as `error`.
    ErrorResponse,
}

impl Holds {
    fn read(name: &str) -> Self {
        match name {
            "Type" => Self::Type,
            "Request" => Self::Request,
            "Question" => Self::Question,
            "Notification" => Self::Notification,
            "Params" => Self::Params,
            "Result" => Self::Result,
            "Response" => Self::Response,
            "ErrorResponse" => Self::ErrorResponse,
            other => panic!("{other}"),
        }
    }
}

#[test]
fn examples_come_back() {
    let Some(spec) = spec() else { return };
    let rows = cases::<(&str, &str, &str)>("examples");
    for (name, path) in all_of(&spec.join("2026-07-28/examples")) {
        let row = rows.iter().find(|(of, ..)| *of == name);
        let (_, holds, of) = row.unwrap_or_else(|| panic!("{name} has no type"));
        let holds = &Holds::read(holds);
        let example = parse(&path);
        check_around(&example, holds);
        let expected = body(example, holds);
        let actual = again_as(of, &expected.to_string())
            .and_then(|text| serde_json::from_str::<Value>(&text))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let expected = with_both_annotations(expected);
        assert_eq!(actual, expected, "{}", path.display());
    }
}

#[test]
fn each_type_has_examples() {
    let Some(spec) = spec() else { return };
    let found = all_of(&spec.join("2026-07-28/examples"));
    for (name, ..) in cases::<(&str, &str, &str)>("examples") {
        assert!(found.iter().any(|(of, _)| *of == *name), "{name} has none");
    }
}

/// Returns every example, with the name of its directory.
fn all_of(examples: &Path) -> Vec<(String, PathBuf)> {
    let entries = |directory: &Path| -> Vec<_> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap()).collect()
    };
    let of = |directory: DirEntry| {
        let name = directory.file_name().into_string().unwrap();
        let files = entries(&directory.path());
        files
            .into_iter()
            .map(move |file| (name.clone(), file.path()))
    };
    entries(examples).into_iter().flat_map(of).collect()
}

/// Checks that everything around the type is read as well: the envelope, the method, `_meta` and
/// the common fields of results.
fn check_around(example: &Value, holds: &Holds) {
    let text = example.to_string();
    let message = || match parse_message(text.as_bytes(), &Limits::default()) {
        Ok(Envelope::Single(message)) => message,
        other => panic!("{text}: {other:?}"),
    };
    let has_method = |name: &str| Method::find(name, Revision::LATEST).is_some();
    match holds {
        Holds::Type | Holds::Question => {}
        Holds::Request => match message() {
            Message::Request(request) if has_method(&request.method) => {
                check_meta(request.params.as_ref(), &example["params"]["_meta"]);
            }
            other @ (Message::Request(_) | Message::Notification(_) | Message::Response(_)) => {
                panic!("{other:?}")
            }
        },
        Holds::Notification => {
            assert!(matches!(message(), Message::Notification(sent) if has_method(&sent.method)));
        }
        Holds::Params => {
            let params = parse_object(&text, &Limits::default()).unwrap();
            check_meta(Some(&params), &example["_meta"]);
        }
        Holds::Result => check_fields(example),
        Holds::Response => {
            assert!(matches!(message(), Message::Response(_)));
            check_fields(&example["result"]);
        }
        Holds::ErrorResponse => assert!(matches!(message(), Message::Response(_))),
    }
}

/// Checks that all members of a request's `_meta` are read.
fn check_meta(params: Option<&Object<'_>>, expected: &Value) {
    let meta = RequestMeta::of(params);
    let mut read = Map::new();
    if let Some(token) = meta.progress_token() {
        read.insert(PROGRESS_TOKEN.to_owned(), json!(token));
    }
    if let Some(level) = meta.log_level().unwrap() {
        read.insert(LOG_LEVEL.to_owned(), json!(level));
    }
    if let Some(version) = meta.protocol_version() {
        read.insert(PROTOCOL_VERSION.to_owned(), json!(version));
    }
    let introduction = meta.introduction().unwrap();
    let capabilities = json!(introduction.capabilities);
    read.insert(CLIENT_CAPABILITIES.to_owned(), capabilities);
    if let Some(client) = introduction.implementation {
        read.insert(CLIENT_INFO.to_owned(), json!(client));
    }
    assert_eq!(&Value::Object(read), expected);
}

/// Checks that the common fields of a result are read as they are in the text.
fn check_fields(result: &Value) {
    let fields: ResultFields = serde_json::from_value(result.clone()).unwrap();
    assert_eq!(fields.result_type.as_str(), result["resultType"]);
    if let Some(ttl) = result.get("ttlMs") {
        assert_eq!(json!(fields.cache.ttl.as_millis() as u64), *ttl);
        assert_eq!(json!(fields.cache.scope), result["cacheScope"]);
    }
}

/// Returns the part of an example that the type itself reads.
fn body(mut example: Value, holds: &Holds) -> Value {
    let mut body = match holds {
        Holds::Type | Holds::Question | Holds::Params | Holds::Result => example,
        Holds::Request | Holds::Notification => example["params"].take(),
        Holds::Response => example["result"].take(),
        Holds::ErrorResponse => example["error"].take(),
    };
    // Notifications without parameters may leave them out.
    if body.is_null() {
        body = json!({});
    }
    let members = body.as_object_mut().unwrap();
    match holds {
        Holds::Type | Holds::Notification | Holds::ErrorResponse => {}
        Holds::Question => {
            members.remove("id");
        }
        Holds::Request | Holds::Params => {
            members.remove("_meta");
        }
        Holds::Result | Holds::Response => {
            for field in ["resultType", "ttlMs", "cacheScope"] {
                members.remove(field);
            }
        }
    }
    body
}

/// Adds an embedded resource's annotations to the resource too, as plainly writes them.
fn with_both_annotations(mut block: Value) -> Value {
    if block["type"] == "resource" && block["annotations"].is_object() {
        block["resource"]["annotations"] = block["annotations"].clone();
    }
    block
}

#[test]
fn result_fields_of_examples_are_read() {
    let Some(spec) = spec() else { return };
    let examples = spec.join("2026-07-28/examples");
    let list = parse(&examples.join("ListToolsResult/tools-list-with-cursor-and-ttl.json"));
    let fields: ResultFields = serde_json::from_value(list.clone()).unwrap();
    assert_eq!(fields.result_type, ResultType::Complete);
    assert_eq!(
        fields.cache.ttl,
        Duration::from_millis(list["ttlMs"].as_u64().unwrap())
    );
    let found = serde_json::to_value(fields.cache.scope).unwrap();
    assert_eq!(found, list["cacheScope"]);

    let discovery = parse(&examples.join("DiscoverResult/server-capabilities-discovery.json"));
    let fields: ResultFields = serde_json::from_value(discovery).unwrap();
    assert_eq!(fields.server_info().unwrap().name, "ExampleServer");

    for entry in fs::read_dir(examples.join("InputRequiredResult")).unwrap() {
        let fields: ResultFields = serde_json::from_value(parse(&entry.unwrap().path())).unwrap();
        assert_eq!(fields.result_type, ResultType::InputRequired);
    }
}
