//! Costs of a large file and of a large search for a server: the memory for one file of 16 MiB, from
//! the request to the reply, the time of 1 MiB of a file, compared with a plain read, and the time of
//! a search through everything below this workspace, compared with ripgrep if it is installed.

use std::fs;
use std::hint::black_box;
use std::io::{Read as _, Seek as _, SeekFrom};
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
/// The length of a part, and its position in the file.
const MIB: usize = 1 << 20;
const BEGIN: usize = 20_000_000;
const LINE: &[u8] = b"2026-11-29T16:00:00Z INFO served a request in 12 ms\n";
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

/// A server of `content` as `file:///files/large`.
fn server_of(directory: &Path, content: Vec<u8>) -> Server {
    fs::write(directory.join("large"), content).expect("a file");
    let store = DirectoryStore::builder().mount_as("files", directory);
    Server::builder("bench", "1")
        .store(store.build().expect("a store"))
        .build()
        .expect("a server")
}

/// Reads the file. The row `max alloc` is the peak memory.
#[divan::bench(args = ["text", "binary"], sample_count = 5, sample_size = 1)]
fn read_16_mib(bencher: Bencher<'_, '_>, kind: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let content = match kind {
        "text" => LINE.repeat(LARGE / LINE.len()),
        _ => (0..=u8::MAX).cycle().take(LARGE).collect(),
    };
    let server = server_of(directory.path(), content);
    let request = request("resources/read", json!({ "uri": "file:///files/large" }));
    let runtime = runtime();
    bencher.bench_local(|| serve(&runtime, &server, black_box(&request)));
}

/// Reads 1 MiB of a file that is larger than any file that is read whole, from the request to the
/// reply.
#[divan::bench(sample_count = 500, sample_size = 1)]
fn read_1_mib_by_bytes(bencher: Bencher<'_, '_>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = server_of(directory.path(), LINE.repeat(4 * LARGE / LINE.len()));
    let uri = format!("file:///files/large#bytes={BEGIN}-{}", BEGIN + MIB - 1);
    let request = request("resources/read", json!({ "uri": uri }));
    let runtime = runtime();
    bencher.bench_local(|| serve(&runtime, &server, black_box(&request)));
}

#[divan::bench(sample_count = 500, sample_size = 1)]
fn read_1_mib_by_the_system_alone(bencher: Bencher<'_, '_>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("large");
    fs::write(&path, LINE.repeat(4 * LARGE / LINE.len())).expect("a file");
    let mut bytes = vec![0; MIB];
    bencher.bench_local(|| {
        let mut file = fs::File::open(&path)?;
        file.seek(SeekFrom::Start(BEGIN as u64))?;
        file.read_exact(black_box(&mut bytes))
    });
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
