//! The limits on the files that a directory holds in memory at once.

use std::fs;

use plainly::client::Client;
use plainly::limits::{ClientLimits, Limits};
use plainly::server::Server;
use plainly::store::Budget;
use plainly::transport::Reply;
use plainly_directory::DirectoryStore;
use serde_json::{Value, json};
use tokio::io::AsyncBufReadExt;

use crate::support::{assert_overloaded, exchange, json_of, listening, saying, server_with, whole};
use plainly_peer::Peer;
use plainly_peer::message::modern as request;
use plainly_peer::within;

const LARGE: usize = 60 << 10;

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
async fn the_largest_file_that_is_read_reaches_our_own_client() {
    // All sizes are divided by this to save time. The largest file has 16 MiB.
    const PART: usize = 32;
    const LARGEST: usize = (16 << 20) / PART;
    let reply_bytes = Limits::default().reply_bytes / PART;
    let mut limits = ClientLimits::default();
    limits.message_bytes /= PART;
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("text"), "x".repeat(LARGEST)).unwrap();
    fs::write(root.path().join("bytes"), vec![0xff; LARGEST]).unwrap();
    // Each of these bytes takes six bytes in JSON.
    fs::write(root.path().join("control"), vec![1; LARGEST]).unwrap();
    let store = DirectoryStore::builder().mount_as("docs", root.path());
    let store = store.max_file_bytes(LARGEST as u64).build().unwrap();
    let (server, _) = server_with(
        |builder| builder.store(store),
        |limits| limits.reply_bytes = reply_bytes,
    );
    let address = listening(&server).await;
    let memory = Box::pin(Client::in_memory(&server).limits(limits.clone()).connect());
    let http = Box::pin(
        Client::http(format!("http://{address}"))
            .limits(limits)
            .connect(),
    );
    for client in [memory.await.unwrap(), http.await.unwrap()] {
        for name in ["text", "bytes"] {
            let read = Box::pin(client.read(format!("file:///docs/{name}")).into_future());
            let contents = within(read).await.unwrap().contents;
            assert_eq!(contents[0].body.as_bytes().len(), LARGEST, "{name}");
        }
        let read = Box::pin(client.read("file:///docs/control").into_future());
        let error = within(read).await.unwrap_err();
        let expected = format!("larger than {reply_bytes} bytes");
        assert!(error.to_string().contains(&expected), "{error}");
    }
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
        let store = store.budget(Budget::new(room as u64)).build().unwrap();
        server_with(|builder| builder.store(store), |_| {}).0
    };
    // The peer reads nothing, so the file that it requested stays in memory.
    let left = async |server: &Server| {
        let mut stream = Peer::known(server, None, 4 << 10);
        stream
            .send_all(&[reading(1, "a"), saying(2, 2 * LARGE)])
            .await;
        // The second reply is being written, so the first read has begun.
        within(stream.stream.fill_buf()).await.unwrap();
        assert_eq!(read(server, "small").await.status, 200);
        stream
    };
    let at = server(2 * LARGE);
    let mut stream = left(&at).await;
    for _ in 0..50 {
        assert_eq!(read(&at, "b").await.status, 200);
    }
    assert_eq!(stream.next().await["id"], 2);
    assert!(stream.next().await["result"]["contents"].is_array());

    // The read of `a` may run after one of `b` and be the one that is refused. Then the loop tries
    // again.
    let refused = async {
        loop {
            let above = server(2 * LARGE - 1);
            let stream = left(&above).await;
            for _ in 0..50 {
                let reply = read(&above, "b").await;
                if reply.status != 200 {
                    return (above, stream, reply);
                }
            }
        }
    };
    let (above, mut stream, reply) = within(refused).await;
    assert_overloaded(&reply);
    assert_eq!(read(&above, "small").await.status, 200);
    assert_eq!(stream.next().await["id"], 2);
    assert!(stream.next().await["result"]["contents"].is_array());
    let reply = read(&above, "b").await;
    assert!(whole(&reply).len() > LARGE, "{reply:?}");
}
