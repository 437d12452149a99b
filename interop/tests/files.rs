//! rmcp's client with `plainly serve`: parts of a log, completion, and changes of its tail, in both
//! eras. Build the program first: `cargo build -p plainly-cli`.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::model::{
    ProtocolVersion, ReadResourceRequestParams, ResourceUpdatedNotificationParam,
    ServerNotification, SubscribeRequestParams, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt};
use serde_json::json;
use tokio::process::Command;
use tokio::sync::mpsc;

const LOG: &str = "file:///docs/server.log";
const TAIL: &str = "file:///docs/server.log#tail=1";
const TEMPLATE: &str = "file:///{+path}{#part}";

/// A host that forwards the URIs of changed resources.
#[derive(Clone, Debug)]
struct Host {
    changed: mpsc::UnboundedSender<String>,
}

impl ClientHandler for Host {
    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.changed.send(params.uri).unwrap();
    }
}

type Client = RunningService<RoleClient, Host>;

/// Connects a client to a server of a directory. Returns it with the URIs of changed resources in a
/// session.
async fn connect(
    docs: &Path,
    mode: ClientLifecycleMode,
) -> (Client, mpsc::UnboundedReceiver<String>) {
    let test = std::env::current_exe().unwrap();
    let program: PathBuf = test.ancestors().nth(2).unwrap().join("plainly");
    let mut command = Command::new(program);
    command
        .arg("serve")
        .arg(docs)
        .arg("--stdio")
        .kill_on_drop(true);
    let (changed, heard) = mpsc::unbounded_channel();
    let child = TokioChildProcess::new(command).unwrap();
    let client = Host { changed }.serve_with_lifecycle(child, mode).await;
    (client.unwrap(), heard)
}

async fn text(client: &Client, uri: &str) -> String {
    let read = client
        .read_resource(ReadResourceRequestParams::new(uri))
        .await;
    let contents = &json!(read.unwrap())["contents"];
    assert_eq!(contents[0]["uri"], uri);
    contents[0]["text"].as_str().unwrap().to_owned()
}

/// Appends lines to the log until the client is notified of a change.
async fn appending<T>(docs: &Path, heard: impl Future<Output = T>) -> T {
    let append = async {
        loop {
            let mut log = OpenOptions::new()
                .append(true)
                .open(docs.join("server.log"))
                .unwrap();
            log.write_all(b"last\n").unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::select! {
        heard = heard => heard,
        () = append => unreachable!("lines are appended without end"),
    }
}

/// The URI in the client's first notification of a change of the log's tail.
async fn changed(
    client: &Client,
    docs: &Path,
    heard: &mut mpsc::UnboundedReceiver<String>,
    is_newest: bool,
) -> String {
    if !is_newest {
        #[expect(deprecated, reason = "sessions have no other request for it")]
        client
            .subscribe(SubscribeRequestParams::new(TAIL))
            .await
            .unwrap();
        return appending(docs, heard.recv()).await.unwrap();
    }
    let mut filter = SubscriptionFilter::new();
    filter.resource_subscriptions = Some(vec![TAIL.to_owned()]);
    let mut subscription = client.listen(filter).await.unwrap();
    let notification = appending(docs, subscription.next()).await.unwrap();
    let Some(ServerNotification::ResourceUpdatedNotification(updated)) = notification else {
        panic!("{notification:?}");
    };
    subscription.cancel().await.unwrap();
    updated.params.uri
}

async fn run(mode: ClientLifecycleMode, is_newest: bool) {
    let root = tempfile::tempdir().unwrap();
    let docs = root.path().join("docs");
    fs::create_dir(&docs).unwrap();
    fs::write(docs.join("server.log"), "one\ntwo\nthree\n").unwrap();
    let (client, mut heard) = connect(&docs, mode).await;

    let templates = client.list_all_resource_templates().await.unwrap();
    assert_eq!(json!(templates)[0]["uriTemplate"], TEMPLATE);
    let paths = client
        .complete_resource_simple(TEMPLATE, "path", "docs/se")
        .await;
    assert_eq!(paths.unwrap(), ["docs/server.log"]);
    assert_eq!(text(&client, &format!("{LOG}#line=1,2")).await, "two\n");
    assert_eq!(text(&client, &format!("{LOG}#bytes=0-2")).await, "one");
    assert_eq!(changed(&client, &docs, &mut heard, is_newest).await, TAIL);
    assert_eq!(text(&client, TAIL).await, "last\n");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_client_on_rmcp_of_the_newest_revision_follows_a_log() {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    run(ClientLifecycleMode::Discover { preferred_versions }, true).await;
}

#[tokio::test]
async fn a_client_on_rmcp_that_shakes_hands_follows_a_log() {
    run(ClientLifecycleMode::Initialize, false).await;
}
