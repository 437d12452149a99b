//! Endless or unread messages cost no more memory than their limit, while others are served. Each
//! test runs in its own process and measures the peak of its memory.

use std::net::SocketAddr;
use std::process::Command;

use plainly::client::Client;
use plainly::limits::ClientLimits;
use plainly::store::Budget;
use plainly_directory::DirectoryStore;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::support::{assert_overloaded, exchange, listening, saying, server, server_with, status};
use plainly_peer::Peer;
use plainly_peer::message::modern as request;
use plainly_peer::within;

/// The memory that any test needs besides: threads, stacks, and what the allocator keeps.
const BESIDE: usize = 4 << 20;

/// Set in the process that runs only one test.
const ALONE: &str = "PLAINLY_TEST_ALONE";

/// Reports whether this process runs this test only; otherwise runs the test in such a process,
/// with these environment variables.
fn is_alone(name: &str, variables: &[(&str, &str)]) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let alone = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("memory::{name}")])
        .args(["--nocapture", "--test-threads=1"])
        .env(ALONE, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&alone.stdout);
    let failed = String::from_utf8_lossy(&alone.stderr);
    assert!(
        alone.status.success() && said.contains("ok. 1 passed"),
        "{said}{failed}"
    );
    false
}

fn runtime() -> Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap()
}

/// Runs `test` in its own process, in which memory may grow by twice `limit`.
fn alone(name: &str, limit: usize, test: impl AsyncFnOnce()) {
    // Makes the allocator return freed memory to the system as far as it can.
    let variables = [
        ("MALLOC_ARENA_MAX", "1"),
        ("MALLOC_MMAP_THRESHOLD_", "65536"),
    ];
    if !is_alone(name, &variables) {
        return;
    }
    let more = runtime().block_on(async {
        Box::pin(warm_up()).await;
        // Resets the peak of the memory: clear_refs in proc(5).
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = resident("VmHWM:");
        Box::pin(test()).await;
        resident("VmHWM:") - before
    });
    assert!(more <= 2 * limit + BESIDE, "{more} bytes more");
}

/// Loads the code that a test uses, because that costs more memory than a small test does.
async fn warm_up() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("file"), "text").unwrap();
    let store = DirectoryStore::builder().mount_as("docs", root.path());
    let store = store.build().unwrap();
    let (server, _) = server_with(|builder| builder.store(store), |_| {});
    let uri = json!({"uri": "file:///docs/file"});
    let reply = exchange(&server, None, &request(1, "resources/read", uri)).await;
    assert_eq!(reply.status, 200);
    let address = listening(&server).await;
    for bytes in [1, 100_000] {
        status(address, &saying(1, bytes)).await;
        let mut stream = Peer::known(&server, None, 1 << 16);
        assert!(stream.ask(saying(1, bytes)).await["result"].is_object());
    }
    let client = Client::http(format!("http://{address}"));
    assert!(within(Box::pin(client.connect())).await.is_ok());
}

/// The process's current memory (VmRSS) or its peak (VmHWM).
fn resident(which: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(which));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<usize>().unwrap() << 10
}

#[test]
fn many_who_take_no_large_reply_cost_no_more_than_the_limit() {
    const LARGE: usize = 1 << 20;
    const ROOM: usize = 8 << 20;
    let name = "many_who_take_no_large_reply_cost_no_more_than_the_limit";
    alone(name, ROOM, async || {
        let (server, _) = server(|limits| limits.reply_bytes_in_all = ROOM);
        let mut open = Vec::new();
        for _ in 0..40 {
            open.push(exchange(&server, None, &saying(1, LARGE)).await);
        }
        let served = open.iter().filter(|reply| reply.status == 200);
        assert_eq!(served.count(), 7);
        assert_eq!(exchange(&server, None, &saying(1, 10)).await.status, 200);
        drop(open);
        assert_eq!(exchange(&server, None, &saying(1, LARGE)).await.status, 200);
    });
}

#[test]
fn a_reply_without_room_is_never_written() {
    const LARGE: usize = 24 << 20;
    alone(
        "a_reply_without_room_is_never_written",
        LARGE / 2,
        async || {
            let (server, _) = server(|limits| limits.reply_bytes_in_all = 2 << 20);
            let held = exchange(&server, None, &saying(1, 1 << 20)).await;
            assert_eq!(held.status, 200);
            // The handler's text is in memory, but no reply.
            assert_overloaded(&exchange(&server, None, &saying(2, LARGE)).await);
        },
    );
}

#[test]
fn many_files_that_nobody_takes_cost_no_more_than_the_limit() {
    const LARGE: usize = 1 << 20;
    const ROOM: usize = 8 << 20;
    alone(
        "many_files_that_nobody_takes_cost_no_more_than_the_limit",
        ROOM,
        async || {
            let root = tempfile::tempdir().unwrap();
            std::fs::write(root.path().join("large"), "x".repeat(LARGE)).unwrap();
            std::fs::write(root.path().join("small"), "small").unwrap();
            let store = DirectoryStore::builder().mount_as("docs", root.path());
            let store = store.budget(Budget::new(ROOM as u64)).build().unwrap();
            let (server, _) = server_with(|builder| builder.store(store), |_| {});
            let reading = |id, name| {
                request(
                    id,
                    "resources/read",
                    json!({"uri": format!("file:///docs/{name}")}),
                )
            };
            let mut streams = Vec::new();
            for _ in 0..2 {
                let mut stream = Peer::known(&server, None, 64 << 10);
                let mut asked: Vec<_> = (0..60).map(|id| reading(id, "large")).collect();
                asked.push(saying(60, 100_000));
                stream.send_all(&asked).await;
                streams.push(stream);
            }
            // The server answers this after all requests that it began. Unread files may leave no
            // room for another.
            let other = exchange(&server, None, &reading(1, "small")).await;
            assert!(other.status == 200 || other.status == 503, "{other:?}");
            // Each request is still answered.
            for stream in &mut streams {
                let (mut read, mut refused) = (0, 0);
                for _ in 0..61 {
                    let line = stream.line().await.unwrap();
                    refused += usize::from(line.contains("overloaded"));
                    read += usize::from(line.contains("xxx"));
                }
                assert_eq!(read + refused, 61);
            }
            assert_eq!(
                exchange(&server, None, &reading(1, "large")).await.status,
                200
            );
        },
    );
}

#[test]
fn many_searches_that_wait_cost_no_more_than_those_that_run() {
    // Takes a megabyte when it is compiled, and matches nothing. All searches compiled at once
    // would take half more than is allowed.
    const PATTERN: &str = r"\pL{20}!";
    const RUNNING: usize = 20 << 20;
    let name = "many_searches_that_wait_cost_no_more_than_those_that_run";
    alone(name, RUNNING, async || {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("text"), "text\n").unwrap();
        let store = DirectoryStore::builder().mount_as("docs", root.path());
        let store = store.build().unwrap();
        let (server, _) = server_with(|builder| builder.tools(store.tools()), |_| {});
        let arguments = json!({"name": "search", "arguments": {"pattern": PATTERN}});
        let search = request(1, "tools/call", arguments);
        let searches = (0..70).map(|_| exchange(&server, None, &search));
        for reply in futures_util::future::join_all(searches).await {
            assert_eq!(reply.status, 200);
        }
    });
}

#[test]
fn a_file_is_in_memory_once_whatever_it_becomes() {
    const LARGE: usize = 16 << 20;
    // Memory may grow by twice this: the whole file, and a quarter more for its encoding.
    const MOST: usize = (LARGE + LARGE / 4) / 2;
    alone(
        "a_file_is_in_memory_once_whatever_it_becomes",
        MOST,
        async || {
            let root = tempfile::tempdir().unwrap();
            let lines = "It has many lines.\n".repeat(LARGE / 19);
            std::fs::write(root.path().join("lines"), lines).unwrap();
            std::fs::write(root.path().join("bytes"), vec![0; LARGE]).unwrap();
            // Escaped, this file is six times as long, which is more than a reply may be.
            std::fs::write(root.path().join("controls"), vec![1; LARGE]).unwrap();
            let store = DirectoryStore::builder().mount_as("docs", root.path());
            let store = store.build().unwrap();
            let (server, _) = server_with(|builder| builder.store(store), |_| {});
            for (name, is_read) in [("lines", true), ("bytes", true), ("controls", false)] {
                let uri = json!({"uri": format!("file:///docs/{name}")});
                let reply = exchange(&server, None, &request(1, "resources/read", uri)).await;
                let reply = crate::support::whole(&reply);
                assert_eq!(reply.len() > LARGE, is_read, "{name}");
            }
        },
    );
}

#[test]
fn the_memory_of_a_large_file_is_given_back() {
    const LARGE: usize = 16 << 20;
    if !is_alone("the_memory_of_a_large_file_is_given_back", &[]) {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("file"), vec![0; LARGE]).unwrap();
    let store = DirectoryStore::builder().mount_as("docs", root.path());
    let store = store.build().unwrap();
    let more = runtime().block_on(async {
        Box::pin(warm_up()).await;
        let (server, _) = server_with(|builder| builder.store(store), |_| {});
        let before = resident("VmRSS:");
        // The first reads may make the allocator keep memory of this size.
        for _ in 0..4 {
            let uri = json!({"uri": "file:///docs/file"});
            let reply = exchange(&server, None, &request(1, "resources/read", uri)).await;
            assert_eq!(reply.status, 200);
        }
        resident("VmRSS:").saturating_sub(before)
    });
    assert!(more < LARGE / 2, "{more} bytes more");
}

#[test]
fn a_line_without_end_costs_no_more_than_the_limit() {
    const LIMIT: usize = 4 << 20;
    alone(
        "a_line_without_end_costs_no_more_than_the_limit",
        LIMIT,
        async || {
            let (server, _) = server(|_| {});
            let mut stream = Peer::known(&server, None, 1 << 16);
            let piece = vec![b' '; 1 << 16];
            for _ in 0..(128 << 20 >> 16) {
                within(stream.stream.write_all(&piece)).await.unwrap();
            }
            within(stream.stream.write_all(b"\n")).await.unwrap();
            assert_eq!(stream.next().await["error"]["code"], -32600);
            assert!(stream.ask(saying(1, 1)).await["result"].is_object());
        },
    );
}

#[test]
fn a_head_without_end_costs_no_more_than_the_limit() {
    const MANY: usize = 64;
    alone(
        "a_head_without_end_costs_no_more_than_the_limit",
        MANY * (64 << 10),
        async || {
            let (server, _) = server(|_| {});
            let address = listening(&server).await;
            let mut endless = JoinSet::new();
            for _ in 0..MANY {
                endless.spawn(async move {
                    let mut stream = TcpStream::connect(address).await.unwrap();
                    stream
                        .write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nX: ")
                        .await
                        .unwrap();
                    let (piece, mut written) = (vec![b'x'; 8 << 10], 0);
                    // Writes until the server answers that the head is too long, or disconnects.
                    while stream.write_all(&piece).await.is_ok() {
                        written += piece.len();
                        assert!(written < 64 << 20, "it goes on");
                    }
                });
            }
            let (others, _) = status(address, &saying(1, 10)).await;
            assert!(others.ends_with("200"), "{others}");
            within(endless.join_all()).await;
            let (others, _) = status(address, &saying(1, 10)).await;
            assert!(others.ends_with("200"), "{others}");
        },
    );
}

/// Serves `head` and then pieces without end to each request.
async fn endless(head: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            tokio::spawn(async move {
                let mut some = [0; 1 << 10];
                let _read = stream.read(&mut some).await;
                let _written = stream.write_all(head.as_bytes()).await;
                while stream.write_all(&[b' '; 8 << 10]).await.is_ok() {}
            });
        }
    });
    address
}

#[test]
fn a_message_without_end_costs_a_client_no_more_than_the_limit() {
    const LIMIT: usize = 8 << 20;
    alone(
        "a_message_without_end_costs_a_client_no_more_than_the_limit",
        LIMIT,
        async || {
            let mut limits = ClientLimits::default();
            limits.message_bytes = LIMIT;
            for head in [
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ",
            ] {
                let client = Client::http(format!("http://{}", endless(head).await));
                let connected = Box::pin(client.limits(limits.clone()).connect());
                let connected = within(connected).await;
                assert!(connected.is_err(), "{head}");
            }
            let (near, mut far) = tokio::io::duplex(1 << 16);
            tokio::spawn(async move { while far.write_all(&[b' '; 8 << 10]).await.is_ok() {} });
            let (reader, writer) = tokio::io::split(near);
            let connected = Box::pin(Client::over(reader, writer).limits(limits).connect());
            let connected = within(connected).await;
            assert!(connected.is_err());
        },
    );
}
