//! Servers that continue each other's listings, with their keys in files.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use plainly::limits::Limits;
use plainly::protocol::types::{Cursor, ListToolsParams};
use plainly::server::Keys;
use plainly::{Client, Server, Tool};
use tempfile::TempDir;
use tokio::time::sleep;

/// The number of tools. Each page of a listing has one.
const TOOLS: usize = 4;
/// The age at which the first key in a file is used for sealing.
pub(crate) const SPREAD: Duration = Duration::from_secs(5 * 60);

fn server(keys: Keys, cursor_ttl: Duration) -> Server {
    let mut limits = Limits::default();
    limits.page_entries = 1;
    limits.cursor_ttl = cursor_ttl;
    let tools = (0..TOOLS).map(|number| Tool::new(format!("t{number}"), async || "done"));
    let builder = Server::builder("replicas", "1").keys(keys).limits(limits);
    let builder = tools.fold(builder, |builder, tool| builder.tool(tool));
    builder.build().unwrap()
}

async fn client(keys: Keys) -> Client {
    let server = server(keys, Duration::from_secs(60 * 60));
    Client::in_memory(&server).connect().await.unwrap()
}

/// Returns the cursor after the first page.
async fn begin(client: &Client) -> Cursor {
    let page = client.list_tools(&ListToolsParams::new()).await.unwrap();
    page.next_cursor.unwrap()
}

/// Returns the cursor after the page at this cursor, if there is a next page.
async fn go_on(client: &Client, cursor: Cursor) -> plainly::client::Result<Option<Cursor>> {
    let page = client
        .list_tools(&ListToolsParams::new().cursor(cursor))
        .await;
    Ok(page?.next_cursor)
}

/// Writes a file of keys. Each key repeats one byte.
pub(crate) fn write(path: &Path, lines: &[u8], age: Duration) {
    let beside = path.with_extension("new");
    let lines = lines.iter().map(|key| format!("{key:02x}").repeat(32));
    fs::write(&beside, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let file = File::options().write(true).open(&beside).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
    fs::rename(beside, path).unwrap();
}

/// Replicas, each with its own file of keys.
struct Replicas {
    _directory: TempDir,
    files: [PathBuf; 3],
    clients: [Client; 3],
}

impl Replicas {
    async fn with(lines: &[u8]) -> Self {
        let directory = TempDir::new().unwrap();
        let files = [0, 1, 2].map(|number| directory.path().join(format!("keys{number}")));
        for file in &files {
            write(file, lines, SPREAD);
        }
        let [one, two, three] = files.clone().map(|file| client(Keys::file(file).unwrap()));
        let (one, two, three) = tokio::join!(one, two, three);
        Self {
            _directory: directory,
            files,
            clients: [one, two, three],
        }
    }

    fn write(&self, lines: &[u8], age: Duration) {
        for file in &self.files {
            write(file, lines, age);
        }
    }

    /// Lists everything, with each page from the next replica.
    async fn list(&self, first: usize) {
        let at = |number: usize| &self.clients[number % self.clients.len()];
        let mut cursor = begin(at(first)).await;
        let mut number = first;
        loop {
            number += 1;
            match go_on(at(number), cursor).await.unwrap() {
                Some(next) => cursor = next,
                None => return assert_eq!(number - first, TOOLS - 1),
            }
        }
    }

    /// Waits until every replica seals with this key.
    async fn all_seal_with(&self, key: u8) {
        let owner = client(Keys::new([key; 32])).await;
        for client in &self.clients {
            while go_on(&owner, begin(client).await).await.is_err() {
                sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// Waits until every replica opens cursors of this key.
    async fn all_open(&self, key: u8) {
        let owner = client(Keys::new([key; 32])).await;
        for client in &self.clients {
            while go_on(client, begin(&owner).await).await.is_err() {
                sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// Waits until no replica opens cursors of this key.
    async fn none_opens(&self, key: u8) {
        let owner = client(Keys::new([key; 32])).await;
        for client in &self.clients {
            while go_on(client, begin(&owner).await).await.is_ok() {
                sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

#[tokio::test]
async fn keys_rotated() {
    let replicas = Arc::new(Replicas::with(&[1]).await);
    let (done, listed) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let load = tokio::spawn({
        let (replicas, done, listed) = (
            Arc::clone(&replicas),
            Arc::clone(&done),
            Arc::clone(&listed),
        );
        async move {
            while !done.load(Ordering::Relaxed) {
                replicas.list(listed.fetch_add(1, Ordering::Relaxed)).await;
            }
        }
    });
    // The replicas get the new key one after the other. After all of them have it, the key becomes
    // old enough at one after the other.
    for file in &replicas.files {
        write(file, &[2, 1], Duration::ZERO);
        replicas.list(0).await;
    }
    replicas.all_open(2).await;
    for file in &replicas.files {
        write(file, &[2, 1], SPREAD);
        replicas.list(0).await;
    }
    replicas.all_seal_with(2).await;
    // A listing that began with the old key ends before the key is removed.
    let begun = listed.load(Ordering::Relaxed);
    while listed.load(Ordering::Relaxed) <= begun && !load.is_finished() {
        sleep(Duration::from_millis(1)).await;
    }
    replicas.write(&[2], Duration::ZERO);
    replicas.none_opens(1).await;
    done.store(true, Ordering::Relaxed);
    load.await.unwrap();
    replicas.list(0).await;
}

#[tokio::test]
async fn foreign_keys() {
    let own = client(Keys::new([1; 32]).and([2; 32])).await;
    let past = server(Keys::new([1; 32]), Duration::ZERO);
    let past = Client::in_memory(&past).connect().await.unwrap();
    let expired = go_on(&own, begin(&past).await).await.unwrap_err();
    let foreign = client(Keys::new([3; 32])).await;
    let refused = go_on(&own, begin(&foreign).await).await.unwrap_err();
    // The error does not show which of the two it is.
    assert_eq!(format!("{refused:?}"), format!("{expired:?}"));
}
