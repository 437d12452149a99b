//! Invalid contents of a resource that is no collection never leave the server: no contents, those
//! of another resource, or two in one format. All combinations are tested through a handler and
//! through a store.

use std::sync::Arc;

use plainly::protocol::types::{Annotations, Resource as Described, ResourceContents};
use plainly::server::{Resource, ServerBuilder};
use plainly::store::{ListQuery, Page, Store, StoreError};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::log::Log;
use crate::sender::{META, Sender, request};
use crate::stream::Stream;

/// The resources whose contents these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Own,
    Others,
    Both,
}

/// The formats of the contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Formats {
    Same,
    Different,
    Unsaid,
}

use Formats::{Different, Same, Unsaid};
use Whose::{Both, Others, Own};

/// The number of contents, whose they are, and their formats; and whether a resource that is no
/// collection may have them.
const CELLS: [(usize, Whose, Formats, bool); 25] = [
    (0, Own, Same, false),
    (1, Own, Same, true),
    (1, Own, Different, true),
    (1, Own, Unsaid, true),
    (1, Others, Same, false),
    (1, Others, Different, false),
    (1, Others, Unsaid, false),
    (2, Own, Same, false),
    (2, Own, Different, true),
    (2, Own, Unsaid, false),
    (2, Others, Same, false),
    (2, Others, Different, false),
    (2, Others, Unsaid, false),
    (2, Both, Same, false),
    (2, Both, Different, false),
    (2, Both, Unsaid, false),
    (9, Own, Same, false),
    (9, Own, Different, true),
    (9, Own, Unsaid, false),
    (9, Others, Same, false),
    (9, Others, Different, false),
    (9, Others, Unsaid, false),
    (9, Both, Same, false),
    (9, Both, Different, false),
    (9, Both, Unsaid, false),
];

/// The contents of a cell, read as `uri`.
fn contents(
    uri: &str,
    (count, whose, formats, _): (usize, Whose, Formats, bool),
) -> Vec<ResourceContents> {
    (0..count)
        .map(|number| {
            let is_own = match whose {
                Own => true,
                Others => false,
                Both => number % 2 == 0,
            };
            let of = match is_own {
                true => uri.to_owned(),
                false => format!("other://{number}"),
            };
            let mut described = Described::new(&of, &of).is_collection(false);
            described.mime_type = match formats {
                Same => Some("text/plain".to_owned()),
                Different => Some(format!("text/x-{number}")),
                Unsaid => None,
            };
            ResourceContents::new(described, "x")
        })
        .collect()
}

/// Resources `FLAG://CELL`, whose metadata has `isCollection` true, false or absent.
#[derive(Debug)]
struct Cells;

impl Store for Cells {
    fn serves(&self, uri: &str) -> bool {
        ["true:", "false:", "absent:"]
            .iter()
            .any(|scheme| uri.starts_with(scheme))
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, uri: &str) -> Result<Described, StoreError> {
        let (flag, _) = uri.split_once("://").unwrap();
        let mut described = Described::new(uri, uri);
        described.is_collection = flag.parse().ok();
        Ok(described)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let (_, cell) = uri.split_once("://").unwrap();
        Ok(contents(uri, CELLS[cell.parse::<usize>().unwrap()]))
    }
}

/// Adds a handler for each cell.
fn with_handlers(builder: ServerBuilder) -> ServerBuilder {
    CELLS
        .into_iter()
        .enumerate()
        .fold(builder, |builder, (number, cell)| {
            let [item, collection] = ["false", "true"].map(|flag| {
                let uri = format!("handler-{flag}://{number}");
                let read: Arc<str> = uri.as_str().into();
                let handler = move || {
                    let contents = contents(&read, cell);
                    async move { contents }
                };
                Resource::new(uri, handler)
            });
            builder.resource(item).resource(collection.collection())
        })
}

/// Reads a resource, and returns the reply and its log.
async fn read(stream: &mut Stream, log: &Log, uri: &str) -> (Value, String) {
    let before = log.text().len();
    let sent = request("1", "resources/read", &format!("\"uri\":{}", json!(uri)));
    let reply = serde_json::from_str(&stream.ask(&sent).await).unwrap();
    (reply, log.text().split_off(before))
}

#[tokio::test]
async fn only_what_may_be_the_contents_of_a_resource_leaves() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::build(|builder| with_handlers(builder).store(Cells));
    for sender in [Sender::Modern, Sender::Legacy("2025-06-18")] {
        let mut stream = Stream::open(&fixture.server, sender).await;
        for flag in ["false", "true", "absent", "handler-false", "handler-true"] {
            for (number, cell) in CELLS.into_iter().enumerate() {
                let uri = format!("{flag}://{number}");
                let (reply, log) = read(&mut stream, &log, &uri).await;
                let (count, .., may_be_one) = cell;
                if may_be_one || !flag.ends_with("false") {
                    let contents = reply["result"]["contents"].as_array();
                    let contents = contents.unwrap_or_else(|| panic!("{uri} {cell:?}: {reply}"));
                    // A client without the extension receives only the first format of the
                    // resource.
                    let all = self::contents(&uri, cell);
                    let formats = all.iter().filter(|content| content.uri == uri).count();
                    let count = count - formats.saturating_sub(1);
                    assert_eq!(contents.len(), count, "{uri} {cell:?}: {reply}");
                    assert!(!log.contains("ERROR"), "{log}");
                    continue;
                }
                assert_eq!(reply["error"]["code"], -32603, "{uri} {cell:?}: {reply}");
                assert!(!reply.to_string().contains("other"), "{uri}: {reply}");
                assert!(log.contains("ERROR") && log.contains(&uri), "{uri}: {log}");
            }
        }
    }
}

#[tokio::test]
async fn the_log_says_once_what_is_wrong() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::build(|builder| with_handlers(builder).store(Cells));
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    for (cell, why) in [
        (0, "no contents"),
        (4, "other://0"),
        (7, "text/plain"),
        (9, "no MIME type"),
    ] {
        for flag in ["false", "handler-false"] {
            let (_, log) = read(&mut stream, &log, &format!("{flag}://{cell}")).await;
            assert!(log.contains(why), "{why}: {log}");
        }
    }
    let mut warnings = Vec::new();
    for cell in [1, 0, 4, 7] {
        let (_, log) = read(&mut stream, &log, &format!("absent://{cell}")).await;
        warnings.push(log.contains("WARN") && log.contains("isCollection"));
    }
    assert_eq!(warnings, [false, true, false, false]);
}

/// A resource in two formats, whose contents have only a MIME type.
#[derive(Debug)]
struct Terse;

fn described(uri: &str) -> Described {
    let annotations = Annotations::new().last_modified("2025-01-12T15:00:58Z");
    Described::new(uri, "report")
        .title("Report")
        .description("Of the quarter")
        .mime_type("text/html")
        .annotations(annotations)
        .is_collection(false)
}

fn terse(uri: &str) -> Vec<ResourceContents> {
    ["text/html", "text/plain"]
        .map(|mime_type| {
            let mut content = ResourceContents::new(Described::new(uri, uri), mime_type);
            content.name = None;
            content.mime_type = Some(mime_type.to_owned());
            content
        })
        .into()
}

impl Store for Terse {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("terse:")
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, uri: &str) -> Result<Described, StoreError> {
        Ok(described(uri))
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Ok(terse(uri))
    }
}

#[tokio::test]
async fn what_contents_leave_out_is_said_of_each() {
    let known = described("");
    let handler = Resource::new("app://report", || async { terse("app://report") })
        .name(known.name)
        .title(known.title.unwrap())
        .description(known.description.unwrap())
        .annotations(known.annotations.unwrap());
    let fixture = Fixture::build(|builder| builder.resource(handler).store(Terse));
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    for uri in ["app://report", "terse:report"] {
        let sent = request("1", "resources/read", &format!("\"uri\":{}", json!(uri)));
        let extension = r#"Capabilities":{"extensions":{"dev.plainly/resources":{}}}"#;
        let sent = sent.replace("META", &META.replace("Capabilities\":{}", extension));
        let reply: Value = serde_json::from_str(&stream.ask(&sent).await).unwrap();
        let one = |mime_type: &str| {
            json!({
                "uri": uri, "name": "report", "title": "Report", "description": "Of the quarter",
                "mimeType": mime_type, "size": mime_type.len(), "isCollection": false,
                "capabilities": {"list": false, "subscribe": false},
                "annotations": {"lastModified": "2025-01-12T15:00:58Z"}, "text": mime_type,
                "_meta": {"dev.plainly/representations": [
                    {"mimeType": "text/html", "size": 9}, {"mimeType": "text/plain", "size": 10},
                ]},
            })
        };
        let expected = json!([one("text/html"), one("text/plain")]);
        assert_eq!(reply["result"]["contents"], expected, "{reply}");
    }
}
