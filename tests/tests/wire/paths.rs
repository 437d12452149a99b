//! A directory behind a whole server: the server never reads, lists or names anything outside of
//! the mounts, and never hangs.

use plainly_peer::table::cases;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plainly::server::Keys;
use plainly::server::extract::PartialArgument;
use plainly::store::Store;
use plainly::{ProtocolError, ResourceTemplate, Vars};
use plainly_directory::DirectoryStore;
use plainly_peer::table::lines;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::Fixture;
use crate::http::{Client, Http};
use crate::log::Log;
use crate::sender::{Sender, call, request};
use crate::stream::Stream;

/// The content of files outside of the mounts, and of hidden files inside.
const CANARY: &str = "canary-9f3b1c7e5d";

/// A served directory, `data`, and unserved neighbours: `data-evil`, `secret.txt` and others.
struct Tree {
    root: TempDir,
    _socket: UnixListener,
}

impl Tree {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let base = root.path();
        let data = base.join("data");
        for directory in ["data/sub/deeper", "data-evil", "outside/sub"] {
            fs::create_dir_all(base.join(directory)).unwrap();
        }
        for outside in [
            "secret.txt",
            "data-evil/secret.txt",
            "outside/sub/secret.txt",
        ] {
            fs::write(base.join(outside), CANARY).unwrap();
        }
        for (name, text) in [
            ("a.txt", "A"),
            ("sub/b.txt", "B"),
            ("sub/deeper/c.txt", "C"),
            ("with space.txt", "S"),
            ("ü.txt", "U"),
            ("100%25.txt", "P"),
            ("empty.txt", ""),
            (".hidden", CANARY),
        ] {
            fs::write(data.join(name), text).unwrap();
        }
        links(base, &data);
        mknodat(CWD, data.join("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        mknodat(
            CWD,
            data.join("sub/fifo.txt"),
            FileType::Fifo,
            Mode::RWXU,
            0,
        )
        .unwrap();
        let socket = UnixListener::bind(data.join("socket")).unwrap();
        Self {
            root,
            _socket: socket,
        }
    }

    fn fixture(&self) -> Fixture {
        let store = DirectoryStore::builder().mount_as("data", self.root.path().join("data"));
        let store = store.build().unwrap();
        Fixture::build(|builder| {
            let builder = builder
                .tools(store.tools())
                .resource_template(page(store.clone()));
            builder.store(store)
        })
    }

    /// Checks that the output has neither the canary nor the directory's path on the host.
    fn assert_unseen(&self, output: &str) {
        let host = self.root.path().to_str().unwrap();
        assert!(!output.contains(CANARY), "{output}");
        assert!(!output.contains(host), "{output}");
        let encoded = base64::engine::general_purpose::STANDARD.encode(CANARY);
        assert!(!output.contains(&encoded), "{output}");
    }
}

/// Creates symbolic links in all positions; few of them lead to files inside.
fn links(base: &Path, data: &Path) {
    let link = |target: &Path, name: &str| symlink(target, data.join(name)).unwrap();
    link(Path::new("a.txt"), "inside.txt");
    link(Path::new("sub"), "inside");
    link(Path::new("../secret.txt"), "out.txt");
    link(&base.join("secret.txt"), "absolute.txt");
    link(&data.join("a.txt"), "absolute-inside.txt");
    link(Path::new(".."), "up");
    link(Path::new("../data-evil"), "evil");
    link(Path::new("../outside"), "sub/out");
    link(
        Path::new("../../data/sub/../../secret.txt"),
        "sub/winding.txt",
    );
    link(Path::new("out.txt"), "twice.txt");
    link(Path::new(".hidden"), "to-hidden.txt");
    link(Path::new("nowhere"), "dangling.txt");
    link(Path::new("loop"), "loop");
    link(Path::new("pong"), "ping");
    link(Path::new("ping"), "pong");
    link(Path::new("/proc/self/root"), "proc-root");
    link(Path::new("/proc/self/fd"), "proc-fd");
    link(Path::new("/proc/self/environ"), "environ");
    link(Path::new("/dev/zero"), "zero");
    for step in 0..41 {
        let target = match step {
            0 => "../secret.txt".to_owned(),
            _ => format!("chain-{}", step - 1),
        };
        link(Path::new(&target), &format!("chain-{step}"));
    }
}

/// The URIs that exist, and their contents.
const THERE: [(&str, &str); 9] = [
    ("file:///data/a.txt", "A"),
    ("file:///data/sub/b.txt", "B"),
    ("file:///data/sub/deeper/c.txt", "C"),
    ("file:///data/with%20space.txt", "S"),
    ("file:///data/%C3%BC.txt", "U"),
    ("file:///data/100%2525.txt", "P"),
    ("file:///data/empty.txt", ""),
    ("file:///data/inside.txt", "A"),
    ("file:///data/inside/b.txt", "B"),
];

/// URIs that don't exist, in many spellings, and URIs that are too long.
fn not_there() -> Vec<String> {
    let odd = [
        "file:///data/a.txt\0",
        "file:///data/a.txt\n",
        "file:///data/\ta.txt",
        "file:///da\tta/a.txt",
        " file:///data/a.txt",
        "file:///data/a.txt ",
        "",
    ];
    let all = lines(include_str!("paths.txt"), "not there").chain(odd);
    let mut uris: Vec<_> = all.map(str::to_owned).collect();
    for length in [256, 4_096, 10_000] {
        uris.push(format!("file:///data/{}", "x".repeat(length)));
    }
    uris.push(format!("file:///data{}/a.txt", "/sub/..".repeat(200)));
    uris.push(format!("file:///data{}/a.txt", "/x".repeat(1_000)));
    uris
}

/// A client over either transport.
enum Asking {
    Stream(Stream),
    Http(Client),
}

impl Asking {
    async fn ask(&mut self, template: &str) -> Value {
        let text = match self {
            Self::Stream(stream) => {
                let mut line = stream.ask(template).await;
                // The server also reports changed directories.
                while line.contains(r#""method":"notifications/"#) {
                    line = stream.next().await;
                }
                line
            }
            Self::Http(client) => client.send(template).await.body,
        };
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{template}: {error}: {text}"))
    }
}

const SENDERS: [Sender; 2] = [Sender::Modern, Sender::Legacy("2025-06-18")];

/// Returns clients of two eras over both transports.
async fn clients(fixture: &Fixture, http: &Http) -> Vec<Asking> {
    let mut clients = Vec::new();
    for sender in SENDERS {
        clients.push(Asking::Stream(
            Stream::careless(&fixture.server, sender).await,
        ));
        clients.push(Asking::Http(http.client(sender).await.saying_anything()));
    }
    clients
}

fn of(method: &str, uri: &str) -> String {
    request("1", method, &format!("\"uri\":{}", json!(uri)))
}

/// A page whose variable names a file of the directory: the author trusts the store to keep its readers inside.
#[derive(Deserialize, JsonSchema)]
struct Page {
    path: String,
}

fn page(store: DirectoryStore) -> ResourceTemplate {
    let read = move |Vars(Page { path }): Vars<Page>| {
        let store = store.clone();
        async move {
            let uri = format!("file:///data/{path}");
            let absent = || ProtocolError::resource_not_found(&uri);
            let contents = store.read(&uri).await.map_err(|_| absent())?;
            let text = contents.first().and_then(|one| one.body.as_text());
            text.map(str::to_owned).ok_or_else(absent)
        }
    };
    let complete = async |typed: PartialArgument| typed.matching(["a.txt", "sub/b.txt"]);
    ResourceTemplate::new("page://{+path}", read).complete("path", complete)
}

/// All requests that take a URI, except subscriptions and calls of tools. All refuse a URI that
/// does not exist.
fn entries(uri: &str) -> Vec<(String, &'static [i64])> {
    let text = json!(uri);
    let path = uri.strip_prefix("file:///data/").unwrap_or("../secret.txt");
    let page = format!("page://{path}");
    let reference = format!(
        r#""ref":{{"type":"ref/resource","uri":{text}}},"argument":{{"name":"path","value":{text}}}"#
    );
    vec![
        (of("resources/read", uri), &[-32602]),
        (of("resources/metadata", uri), &[-32602]),
        (of("resources/list", uri), &[-32602]),
        (of("resources/directory/read", uri), &[-32602]),
        (of("resources/read", &page), &[-32602]),
        (of("resources/metadata", &page), &[-32602]),
        (of("resources/list", &page), &[-32602]),
        (request("1", "completion/complete", &reference), &[-32602]),
    ]
}

/// Calls of all tools with the URI.
fn tool_calls(uri: &str) -> Vec<String> {
    let calls = [
        ("list_resources", json!({"uri": uri})),
        ("tree", json!({"uri": uri})),
        ("stat_resource", json!({"uri": uri})),
        ("read_resource", json!({"uri": uri})),
        ("read_resources", json!({"uris": [uri]})),
        ("search", json!({"uri": uri, "pattern": "."})),
        ("search", json!({"uri": uri, "glob": "**"})),
        ("search", json!({"pattern": ".", "glob": uri})),
    ];
    let calls = calls.map(|(tool, arguments)| call("1", tool, &arguments.to_string()));
    calls.into()
}

#[tokio::test]
async fn what_is_not_there_is_not_there_by_any_entry() {
    let (log, _guard) = Log::capture();
    let tree = Tree::new();
    let fixture = tree.fixture();
    let http = Http::listen(&fixture.server).await;
    let mut clients = clients(&fixture, &http).await;
    for uri in not_there() {
        for (entry, codes) in entries(&uri) {
            for client in &mut clients {
                let reply = client.ask(&entry).await;
                assert_eq!(reply["id"], 1);
                let code = reply["error"]["code"].as_i64();
                assert!(
                    code.is_some_and(|code| codes.contains(&code)),
                    "{entry}: {reply}"
                );
                tree.assert_unseen(&reply.to_string());
            }
        }
        for call in tool_calls(&uri) {
            // Tools accept looser spellings, which all lead inside.
            let reply = clients[0].ask(&call).await;
            assert!(reply["result"].is_object(), "{call}: {reply}");
            tree.assert_unseen(&reply.to_string());
        }
        let reply = clients[0].ask(&of("resources/read", THERE[0].0)).await;
        assert_eq!(reply["result"]["contents"][0]["text"], "A", "after {uri:?}");
        let reply = clients[0].ask(&of("resources/read", "page://a.txt")).await;
        assert_eq!(reply["result"]["contents"][0]["text"], "A", "after {uri:?}");
    }
    tree.assert_unseen(&log.text());
}

/// A client that is subscribed to URIs that don't exist, and to one that does, is notified only of
/// the latter, in the client's own spelling.
#[tokio::test]
async fn nothing_is_told_of_what_is_not_there() {
    for sender in SENDERS {
        let tree = Tree::new();
        let fixture = tree.fixture();
        let mut stream = Stream::careless(&fixture.server, sender).await;
        let there = "FILE://localhost/%64ata/a%2etxt";
        let mut asked: Vec<String> = not_there();
        // The server ignores this trailing slash, because a directory could replace the file.
        asked.retain(|uri| uri.len() <= 8 << 10 && uri != "file:///data/a.txt/");
        asked.push(there.to_owned());
        match sender {
            Sender::Modern => listen(&tree, &mut stream, &asked).await,
            Sender::Legacy(_) => subscribe(&tree, &mut stream, &asked).await,
        }
        change_all(&tree);
        let told = stream.next().await;
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["method"], "notifications/resources/updated", "{told}");
        assert_eq!(told["params"]["uri"], there);
    }
}

async fn listen(tree: &Tree, stream: &mut Stream, uris: &[String]) {
    let filter = json!({"resourceSubscriptions": uris});
    let params = format!("\"notifications\":{filter}");
    stream
        .send(request("1", "subscriptions/listen", &params))
        .await;
    let acknowledged = stream.next().await;
    let expected = "notifications/subscriptions/acknowledged";
    assert!(acknowledged.contains(expected), "{acknowledged}");
    tree.assert_unseen(&acknowledged);
}

async fn subscribe(tree: &Tree, stream: &mut Stream, uris: &[String]) {
    for uri in uris {
        let reply = stream.ask(&of("resources/subscribe", uri)).await;
        tree.assert_unseen(&reply);
        let reply: Value = serde_json::from_str(&reply).unwrap();
        let is_refused = reply["error"]["code"] == -32602;
        assert!(reply["result"].is_object() || is_refused, "{uri}: {reply}");
    }
}

/// Changes everything outside, and one file inside.
fn change_all(tree: &Tree) {
    let base = tree.root.path();
    for outside in [
        "secret.txt",
        "data-evil/secret.txt",
        "outside/sub/secret.txt",
        "data/.hidden",
    ] {
        fs::write(base.join(outside), format!("{CANARY} again")).unwrap();
    }
    fs::rename(base.join("data/out.txt"), base.join("data/out-again.txt")).unwrap();
    fs::write(base.join("data/a.txt"), "AA").unwrap();
}

#[tokio::test]
async fn forbidden_and_absent_look_the_same() {
    let tree = Tree::new();
    let fixture = tree.fixture();
    let http = Http::listen(&fixture.server).await;
    for client in &mut clients(&fixture, &http).await {
        for name in [
            "out.txt",
            "absolute.txt",
            "dangling.txt",
            "loop",
            "fifo",
            "socket",
            ".hidden",
            "nothing",
        ] {
            let uri = format!("file:///data/{name}");
            let reply = client.ask(&of("resources/read", &uri)).await;
            let error = json!({
                "code": -32602,
                "message": format!("Resource not found: {uri}"),
                "data": {"uri": uri},
            });
            assert_eq!(reply["error"], error);
        }
    }
}

#[tokio::test]
async fn what_is_there_is_read_as_it_is_listed() {
    let tree = Tree::new();
    let fixture = tree.fixture();
    let http = Http::listen(&fixture.server).await;
    for client in &mut clients(&fixture, &http).await {
        for (uri, text) in THERE {
            let reply = client.ask(&of("resources/read", uri)).await;
            let contents = &reply["result"]["contents"];
            assert_eq!(contents.as_array().map(Vec::len), Some(1), "{uri}: {reply}");
            assert_eq!(contents[0]["uri"], uri);
            assert_eq!(contents[0]["text"], text);
            let reply = client.ask(&of("resources/metadata", uri)).await;
            assert_eq!(reply["result"]["resource"]["uri"], uri, "{reply}");
        }
        for collection in ["file:///data", "file:///data/sub", "file:///data/inside"] {
            for method in ["resources/read", "resources/metadata", "resources/list"] {
                let reply = client.ask(&of(method, collection)).await;
                assert!(
                    reply["result"].is_object(),
                    "{method} {collection}: {reply}"
                );
                tree.assert_unseen(&reply.to_string());
            }
        }
    }
}

/// Lists all URIs page by page, each page from another server of the same directory.
async fn list_all(tree: &Tree, sender: Sender, parent: Option<&str>) -> Vec<String> {
    let mut uris = Vec::new();
    let mut cursor = None;
    loop {
        let mut params = json!({});
        if let Some(parent) = parent {
            params["uri"] = json!(parent);
        }
        if let Some(cursor) = cursor {
            params["cursor"] = cursor;
        }
        let members = params.to_string();
        let members = members.trim_start_matches('{').trim_end_matches('}');
        let store = DirectoryStore::builder().mount_as("data", tree.root.path().join("data"));
        let mut limits = plainly::limits::Limits::default();
        limits.page_entries = 3;
        let fixture = Fixture::build(|builder| {
            // Each page comes from another server with the same key.
            let builder = builder.keys(Keys::new([3; 32]));
            builder.store(store.build().unwrap()).limits(limits)
        });
        let mut stream = Stream::open(&fixture.server, sender).await;
        let reply = stream.ask(&request("1", "resources/list", members)).await;
        tree.assert_unseen(&reply);
        let reply: Value = serde_json::from_str(&reply).unwrap();
        let page = reply["result"]["resources"].as_array().unwrap();
        uris.extend(
            page.iter()
                .map(|resource| resource["uri"].as_str().unwrap().to_owned()),
        );
        match reply["result"].get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => return uris,
        }
    }
}

#[tokio::test]
async fn listings_hold_what_is_there_and_nothing_else() {
    let tree = Tree::new();
    for sender in SENDERS {
        let mut all = list_all(&tree, sender, None).await;
        all.retain(|uri| uri.starts_with("file:"));
        assert_eq!(
            all,
            [
                "file:///",
                "file:///data",
                "file:///data/100%2525.txt",
                "file:///data/a.txt",
                "file:///data/empty.txt",
                "file:///data/inside",
                "file:///data/inside.txt",
                "file:///data/sub",
                "file:///data/with%20space.txt",
                "file:///data/%C3%BC.txt",
                "file:///data/sub/b.txt",
                "file:///data/sub/deeper",
                "file:///data/sub/deeper/c.txt",
            ]
        );
        let children = list_all(&tree, sender, Some("file:///data/sub")).await;
        let expected = ["file:///data/sub/b.txt", "file:///data/sub/deeper"];
        assert_eq!(children, expected);
    }
}

#[tokio::test]
async fn forged_cursors_lead_nowhere() {
    let tree = Tree::new();
    let fixture = tree.fixture();
    let http = Http::listen(&fixture.server).await;
    let positions = cases::<&str>(include_str!("paths.txt"), "forged cursors lead nowhere");
    let listings = [
        "",
        r#","uri":"file:///data/sub""#,
        r#","uri":"file:///data/evil""#,
    ];
    for client in &mut clients(&fixture, &http).await {
        for &position in &positions {
            for cursor in [URL_SAFE_NO_PAD.encode(position), position.to_owned()] {
                for listing in listings {
                    let params = format!("\"cursor\":{}{listing}", json!(cursor));
                    let reply = client.ask(&request("1", "resources/list", &params)).await;
                    assert_eq!(reply["error"]["code"], -32602, "{position:?}: {reply}");
                    tree.assert_unseen(&reply.to_string());
                }
            }
        }
    }
}

#[tokio::test]
async fn a_directory_that_goes_away_takes_only_itself_along() {
    let tree = Tree::new();
    let fixture = tree.fixture();
    let http = Http::listen(&fixture.server).await;
    let mut clients = clients(&fixture, &http).await;
    let base = tree.root.path();
    fs::rename(base.join("data"), base.join("gone")).unwrap();
    symlink("data-evil", base.join("data")).unwrap();
    for client in &mut clients {
        let reply = client
            .ask(&of("resources/read", "file:///data/secret.txt"))
            .await;
        assert!(reply["error"].is_object(), "{reply}");
        tree.assert_unseen(&reply.to_string());
        let reply = client.ask(&of("resources/read", "app://motd")).await;
        assert!(reply["result"].is_object(), "{reply}");
    }
    fs::remove_file(base.join("data")).unwrap();
    fs::remove_dir_all(base.join("gone")).unwrap();
    for client in &mut clients {
        for method in ["resources/read", "resources/metadata", "resources/list"] {
            let reply = client.ask(&of(method, "file:///data/a.txt")).await;
            let code = reply["error"]["code"].as_i64();
            assert!(matches!(code, Some(-32602 | -32603)), "{reply}");
            tree.assert_unseen(&reply.to_string());
        }
    }
}
