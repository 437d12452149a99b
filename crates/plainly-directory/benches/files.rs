//! Costs of a large file and of a large search for a server: the memory for one file of 16 MiB,
//! from the request to the reply, and the time of a search through everything below this workspace,
//! compared with ripgrep if it is installed.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use divan::{AllocProfiler, Bencher};
use plainly::Server;
use plainly_directory::DirectoryStore;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

/// The largest file that is read by default.
const LARGE: usize = 16 << 20;
/// A text that no file contains, so that the search reads all files. It is put together here
/// because this file is searched too.
const NOWHERE: [&str; 2] = ["zebra-crossing", "-quagmire"];

fn main() {
    divan::main();
}

fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Serves one request, and discards the reply.
fn serve(runtime: &Runtime, server: &Server, request: &str) {
    let done = server.serve(request.as_bytes(), tokio::io::sink());
    runtime.block_on(done.into_future()).expect("served");
}

fn request(method: &str, mut params: serde_json::Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    format!("{message}\n")
}

/// Reads the file. The row `max alloc` is the peak memory.
#[divan::bench(args = ["text", "binary"], sample_count = 5, sample_size = 1)]
fn read_16_mib(bencher: Bencher<'_, '_>, kind: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let content = match kind {
        "text" => b"A line of plain text, as there are many.\n".repeat(LARGE / 41),
        _ => (0..=u8::MAX).cycle().take(LARGE).collect(),
    };
    fs::write(directory.path().join("large"), content).expect("a file");
    let store = DirectoryStore::builder().mount_as("files", directory.path());
    let server = Server::builder("bench", "1")
        .store(store.build().expect("a store"))
        .build()
        .expect("a server");
    let request = request("resources/read", json!({ "uri": "file:///files/large" }));
    let runtime = runtime();
    bencher.bench_local(|| serve(&runtime, &server, black_box(&request)));
}

/// Everything below the workspace, including build results.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn search(bencher: Bencher<'_, '_>) {
    let store = DirectoryStore::builder()
        .mount_as("workspace", workspace())
        .hidden(true)
        .ignored(true)
        .build()
        .expect("a store");
    let server = Server::builder("bench", "1")
        .tools(store.tools())
        .build()
        .expect("a server");
    let arguments = json!({ "pattern": NOWHERE.concat() });
    let request = request(
        "tools/call",
        json!({ "name": "search", "arguments": arguments }),
    );
    let runtime = runtime();
    bencher.bench_local(|| serve(&runtime, &server, black_box(&request)));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn search_by_ripgrep(bencher: Bencher<'_, '_>) {
    let mut command = Command::new("rg");
    command
        .args(["-uu", &NOWHERE.concat()])
        .arg(workspace())
        .stdout(Stdio::null());
    if command.status().is_err() {
        return;
    }
    bencher.bench_local(|| command.status().map(|status| status.code()));
}
