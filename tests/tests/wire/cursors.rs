//! A cursor is valid for its listing, on every replica with the same key, until it expires. No
//! other text is a valid cursor.

use std::time::Duration;

use plainly::limits::Limits;
use plainly::protocol::types::{self, ResourceContents};
use plainly::server::{Keys, Resource, Server, Tool};
use serde_json::{Value, json};

use crate::sender::{Sender, request};
use crate::stream::Stream;

async fn collection() -> Vec<ResourceContents> {
    let child = |number: usize| {
        let uri = format!("all://{number}");
        ResourceContents::new(types::Resource::new(&uri, &uri).is_collection(false), "x")
    };
    (0..5).map(child).collect()
}

/// A server of three tools and collections of five, in pages of two.
fn server(name: &str, keys: Option<Keys>, ttl: Duration) -> Server {
    let mut limits = Limits::default();
    limits.page_entries = 2;
    limits.cursor_ttl = ttl;
    let mut builder = Server::builder(name, "1.0.0").limits(limits);
    for number in 0..3 {
        let uri = format!("all://{number}x");
        builder = builder
            .tool(Tool::new(format!("tool-{number}"), || async { "x" }))
            .resource(Resource::new(uri, collection).collection());
    }
    match keys {
        Some(keys) => builder.keys(keys).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// All listings that have a second page.
const LISTINGS: [(&str, &str); 5] = [
    ("tools/list", ""),
    ("resources/list", ""),
    ("resources/list", r#""uri":"all://0x""#),
    ("resources/list", r#""uri":"all://1x""#),
    ("resources/directory/read", r#""uri":"all://0x""#),
];

async fn page(server: &Server, (method, of): (&str, &str), cursor: Option<&Value>) -> Value {
    let mut stream = Stream::open(server, Sender::Modern).await;
    let cursor = cursor.map(|cursor| format!(r#""cursor":{cursor}"#));
    let members: Vec<&str> = [Some(of), cursor.as_deref()]
        .into_iter()
        .flatten()
        .filter(|member| !member.is_empty())
        .collect();
    let reply = stream.ask(&request("1", method, &members.join(","))).await;
    serde_json::from_str(&reply).unwrap()
}

/// Returns the cursor of the second page.
async fn cursor(server: &Server, listing: (&str, &str)) -> Value {
    let reply = page(server, listing, None).await;
    let cursor = &reply["result"]["nextCursor"];
    assert!(cursor.is_string(), "{reply}");
    cursor.clone()
}

fn assert_refused(reply: &Value, what: &str) {
    assert_eq!(reply["error"]["code"], -32602, "{what}: {reply}");
    let expected = json!({"kind": "invalid_cursor"});
    assert_eq!(reply["error"]["data"], expected, "{what}");
}

#[tokio::test]
async fn a_cursor_continues_its_own_listing_and_no_other() {
    let server = server("one", None, DAY);
    for given in LISTINGS {
        let cursor = cursor(&server, given).await;
        for used in LISTINGS {
            let reply = page(&server, used, Some(&cursor)).await;
            match given == used {
                true => assert!(reply["result"].is_object(), "{given:?}: {reply}"),
                false => assert_refused(&reply, &format!("{given:?} {used:?}")),
            }
        }
    }
}

#[tokio::test]
async fn a_replica_with_the_same_key_continues_what_another_began() {
    let [first, second] = [(); 2].map(|()| server("one", Some(Keys::new([1; 32])), DAY));
    let rotated = server("one", Some(Keys::new([2; 32]).and([1; 32])), DAY);
    let stranger = server("one", Some(Keys::new([2; 32])), DAY);
    let other = server("other", Some(Keys::new([1; 32])), DAY);
    let own_key = server("one", None, DAY);
    for listing in LISTINGS {
        let cursor = cursor(&first, listing).await;
        let expected = page(&first, listing, Some(&cursor)).await;
        for replica in [&second, &rotated] {
            let mut reply = page(replica, listing, Some(&cursor)).await;
            // Each replica seals its own cursor of the third page.
            if expected["result"]["nextCursor"].is_string() {
                assert!(reply["result"]["nextCursor"].is_string(), "{reply}");
                reply["result"]["nextCursor"] = expected["result"]["nextCursor"].clone();
            }
            assert_eq!(reply, expected, "{listing:?}");
        }
        for refusing in [&stranger, &other, &own_key] {
            assert_refused(&page(refusing, listing, Some(&cursor)).await, listing.0);
        }
    }
}

#[tokio::test]
async fn a_cursor_is_refused_after_its_time() {
    let server = server("one", None, Duration::ZERO);
    for listing in LISTINGS {
        let cursor = cursor(&server, listing).await;
        assert_refused(&page(&server, listing, Some(&cursor)).await, listing.0);
    }
}

#[tokio::test]
async fn what_nobody_gave_out_is_no_cursor() {
    let server = server("one", None, DAY);
    for text in [
        "",
        "0",
        "2",
        "null",
        "%",
        "AAAA",
        "cmVzb3VyY2VzL2xpc3QKMg",
        "é",
        &"A".repeat(8_192),
    ] {
        for listing in LISTINGS {
            assert_refused(&page(&server, listing, Some(&json!(text))).await, text);
        }
    }
}
