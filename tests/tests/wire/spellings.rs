//! A directory with unusual names, which clients of two eras request in every spelling over both
//! transports.

use std::fs;
use std::time::Duration;

use plainly::client::{Change, Client, Subscription};
use plainly::errors::{ErrorKind, InvalidParams, Revision};
use plainly::protocol::types::SubscriptionFilter;
use plainly::server::Server;
use plainly_directory::DirectoryStore;
use plainly_peer::{served, served_over_http, within};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The names of the files; the text of each is its name.
const NAMES: [&str; 24] = [
    "[id].tsx",
    "~x",
    "é.md",
    "e\u{301}.md",
    "a b",
    " b",
    "100%.txt",
    "%41",
    "@x",
    "a#b",
    "a#line=0,1",
    "a?b",
    "'q'",
    "\"q\"",
    "+",
    "=",
    "&",
    ";",
    "!",
    "a\\b",
    "c:",
    "x...",
    "日本.txt",
    "<|>^`{}*,$",
];

/// The name of a directory that has the same files.
const DIRECTORY: &str = "(group)";

fn tree() -> (TempDir, Server) {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join(DIRECTORY)).unwrap();
    for name in NAMES {
        fs::write(root.path().join(name), name).unwrap();
        fs::write(root.path().join(DIRECTORY).join(name), name).unwrap();
    }
    let store = DirectoryStore::builder().mount_as("my docs", root.path());
    let store = store.build().unwrap();
    let server = Server::builder("test", "1").tools(store.tools());
    (root, server.store(store).build().unwrap())
}

async fn clients(server: &Server) -> Vec<Client> {
    let mut clients = Vec::new();
    for revision in [Revision::V2025_06_18, Revision::V2026_07_28] {
        let (reader, writer) = served(server);
        let stream = Client::over(reader, writer).revision(revision).connect();
        let url = served_over_http(server).await;
        let http = Client::http(url).revision(revision).connect();
        clients.extend([stream.await.unwrap(), http.await.unwrap()]);
    }
    clients
}

/// Percent-encodes the bytes of a text for which `is_plain` is false.
fn encoded(text: &str, is_plain: fn(u8) -> bool) -> String {
    let mut out = Vec::new();
    for byte in text.bytes() {
        match is_plain(byte) {
            true => out.push(byte),
            false => out.extend(format!("%{byte:02x}").into_bytes()),
        }
    }
    String::from_utf8(out).unwrap()
}

/// The ways in which programs write the path of a file below the mount.
fn spellings(path: &str) -> Vec<String> {
    let encodings: [fn(u8) -> bool; 4] = [
        // The fewest bytes encoded, the most, those of VS Code, and those of Python.
        |byte| !matches!(byte, b'%' | b'?' | b'#'),
        |byte| byte == b'/',
        |byte| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte),
        |byte| byte.is_ascii_alphanumeric() || b"-._~/$&+,:=@!*'()".contains(&byte),
    ];
    let beginnings = ["file:///", "FILE:///", "file:/", "file://localhost/"];
    let path = format!("my docs/{path}");
    let paths = encodings.map(|is_plain| encoded(&path, is_plain));
    let all = paths.iter();
    all.flat_map(|path| beginnings.map(|begin| format!("{begin}{path}")))
        .collect()
}

#[tokio::test]
async fn what_is_listed_is_read_in_each_spelling() {
    let (_root, server) = tree();
    for client in clients(&server).await {
        let listed = client.resources(None).await.unwrap();
        // The listing also has the directory, the mount, and the collection above the mount.
        assert_eq!(listed.len(), 3 + 2 * NAMES.len());
        for resource in listed {
            if resource.is_collection == Some(true) {
                continue;
            }
            let parent = match resource.uri.contains("(group)/") {
                true => "(group)/",
                false => "",
            };
            let path = format!("{parent}{}", resource.name);
            for uri in [spellings(&path), vec![resource.uri]].concat() {
                let read = client.read(&*uri).await;
                let read = read.unwrap_or_else(|error| panic!("{uri}: {error}"));
                let [content] = &*read.contents else {
                    panic!("{uri}: {read:?}")
                };
                assert_eq!(content.uri, uri);
                assert_eq!(content.body.as_text(), Some(&*resource.name), "{uri}");
            }
        }
    }
}

#[tokio::test]
async fn each_method_takes_each_spelling_of_a_file() {
    let (_root, server) = tree();
    for client in clients(&server).await {
        let listed = client.resources(Some("file:///my%20docs/(group)")).await;
        for listed in listed.unwrap() {
            let name = &*listed.name;
            for uri in spellings(&format!("{DIRECTORY}/{name}")) {
                let found = client.metadata(&*uri).await.unwrap().resource;
                assert_eq!((&found.uri, found.size), (&listed.uri, listed.size));
                let part = format!("{uri}#bytes=0-");
                let read = client.read(&*part).await.unwrap();
                assert_eq!(read.contents[0].uri, part);
                assert_eq!(read.contents[0].body.as_text(), Some(name), "{uri}");
                let tool = client.call_tool("stat_resource", json!({"uri": uri}));
                let found = tool.await.unwrap().structured_content.unwrap();
                let found: Value = found.decode().unwrap();
                assert_eq!(found["uri"], *listed.uri, "{uri}");
                let slash = client.read(format!("{uri}/")).await.unwrap_err();
                assert!(slash.is_resource_not_found(), "{uri}: {slash}");
            }
        }
    }
}

#[tokio::test]
async fn each_method_takes_each_spelling_of_a_directory() {
    let (_root, server) = tree();
    let inside = "file:///my%20docs/(group)/";
    for client in clients(&server).await {
        let uris = spellings(DIRECTORY).into_iter();
        for uri in uris.flat_map(|uri| [format!("{uri}/"), uri]) {
            let children = client.resources(Some(&uri)).await.unwrap();
            assert_eq!(children.len(), NAMES.len(), "{uri}");
            assert!(children.iter().all(|child| child.uri.starts_with(inside)));
            let found = client.metadata(&*uri).await.unwrap().resource;
            assert_eq!(found.uri, "file:///my%20docs/(group)");
            let read = client.read(&*uri).await.unwrap().contents;
            assert_eq!(read.len(), NAMES.len());
            assert!(read.iter().all(|child| child.uri.starts_with(inside)));
        }
    }
}

#[tokio::test]
async fn what_can_not_be_a_uri_is_invalid() {
    let (_root, server) = tree();
    for client in clients(&server).await {
        for (uri, why) in [
            ("file:///my%20docs/100%.txt", "write %25 for a percent sign"),
            ("file:///my%20docs/a?b", "write %3F for ?"),
            ("file:///my%20docs/a%00", "contains NUL"),
            ("file://server/my%20docs/a", "it names a host"),
            ("file:my%20docs/a", "it does not start with file:///"),
        ] {
            let error = client.read(uri).await.unwrap_err();
            let error = error.protocol().unwrap();
            let is_invalid = matches!(
                error.kind(),
                ErrorKind::InvalidParams(InvalidParams::InvalidUri { .. })
            );
            assert!(is_invalid, "{error:?}");
            assert!(error.message().contains(why), "{uri}: {error}");
        }
    }
}

/// Writes and removes a file until the subscription reports it, because the stream of a session
/// opens later.
async fn heard(subscription: &mut Subscription, path: &std::path::Path) -> Change {
    loop {
        fs::write(path, "new").unwrap();
        fs::remove_file(path).unwrap();
        let next = tokio::time::timeout(Duration::from_secs(1), subscription.next());
        if let Ok(change) = next.await {
            return change.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn each_is_told_in_its_own_spelling_of_what_did_not_exist() {
    let (root, server) = tree();
    let mut subscriptions = Vec::new();
    for client in clients(&server).await {
        for uri in ["file:///my%20docs/%7enew", "FILE:/my docs/~new"] {
            let filter = SubscriptionFilter::new().resource_subscriptions([uri.to_owned()]);
            let subscription = within(client.listen(filter)).await.unwrap();
            subscriptions.push((uri, subscription));
        }
    }
    let path = root.path().join("~new");
    for (uri, subscription) in &mut subscriptions {
        let change = within(heard(subscription, &path)).await;
        assert_eq!(change, Change::Resource((*uri).to_owned()));
    }
}
