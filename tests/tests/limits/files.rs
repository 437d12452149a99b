//! How much of files a directory holds at once.

use std::fs;

use plainly::server::Server;
use plainly::store::directory::DirectoryStore;
use plainly::transport::Reply;
use serde_json::{Value, json};

use crate::support::{
    Stream, assert_overloaded, exchange, json_of, request, saying, server_with, whole, within,
};

const LARGE: usize = 60_000;

fn reading(id: u32, name: &str) -> Value {
    request(
        id,
        "resources/read",
        json!({"uri": format!("file:///docs/{name}")}),
    )
}

async fn read(server: &Server, name: &str) -> Reply {
    exchange(server, None, &reading(1, name)).await
}

#[tokio::test]
async fn a_tool_lists_so_many_entries_at_once() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..1_001 {
        fs::write(root.path().join(format!("{number:04}")), "").unwrap();
    }
    let store = DirectoryStore::builder().mount_as("docs", root.path());
    let store = store.build().unwrap();
    let (server, _) = server_with(|builder| builder.tools(store.tools()).store(store), |_| {});
    let listing = |limit: usize| {
        let arguments = json!({"uri": "file:///docs", "limit": limit});
        request(
            1,
            "tools/call",
            json!({"name": "list_resources", "arguments": arguments}),
        )
    };
    let reply = json_of(&exchange(&server, None, &listing(1_000)).await);
    let listed = reply["result"]["structuredContent"]["resources"].as_array();
    assert_eq!(listed.map(Vec::len), Some(1_000));
    let reply = json_of(&exchange(&server, None, &listing(1_001)).await);
    assert_eq!(reply["result"]["isError"], true);
}

#[tokio::test]
async fn files_have_room_together_until_somebody_takes_them() {
    let root = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::write(root.path().join(name), "x".repeat(LARGE)).unwrap();
    }
    fs::write(root.path().join("small"), "small").unwrap();
    let server = |room: usize| {
        let store = DirectoryStore::builder().mount_as("docs", root.path());
        let store = store.bytes_at_once(room as u64).build().unwrap();
        server_with(|builder| builder.store(store), |_| {}).0
    };
    // It reads nothing: what it asked for is read, and then nobody takes it.
    let left = async |server: &Server| {
        let mut stream = Stream::open(server, None, 4 << 10);
        stream.send(&[reading(1, "a"), saying(2, 2 * LARGE)]).await;
        stream
    };
    let at = server(2 * LARGE);
    let mut stream = left(&at).await;
    for _ in 0..50 {
        assert_eq!(read(&at, "b").await.status, 200);
    }
    assert_eq!(stream.next().await["id"], 2);
    assert!(stream.next().await["result"]["contents"].is_array());

    let above = server(2 * LARGE - 1);
    // It may come after others, and be what there is no room for.
    let refused = async {
        loop {
            let stream = left(&above).await;
            for _ in 0..50 {
                let reply = read(&above, "b").await;
                if reply.status != 200 {
                    return (stream, reply);
                }
            }
        }
    };
    let (mut stream, reply) = within(refused).await;
    assert_overloaded(&reply);
    assert_overloaded(&read(&above, "b").await);
    assert_eq!(read(&above, "small").await.status, 200);
    assert_eq!(stream.next().await["id"], 2);
    assert!(stream.next().await["result"]["contents"].is_array());
    let reply = read(&above, "b").await;
    assert!(whole(&reply).len() > LARGE, "{reply:?}");
}
