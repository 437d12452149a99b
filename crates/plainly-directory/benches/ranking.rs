//! The time of a search by words over 5,000 files, which are the sources of this project: of the
//! first search, which reads all files, and of later ones. Reading the files alone is measured for
//! comparison.

#[path = "../tests/directory_store/tools/ranking/tree.rs"]
mod tree;

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;

use divan::Bencher;
use plainly::Server;
use plainly_directory::DirectoryStore;
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

fn main() {
    divan::main();
}

/// The files, in a directory.
struct Tree {
    directory: TempDir,
    paths: Vec<PathBuf>,
}

impl Tree {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut paths = Vec::new();
        for (name, text) in tree::files_of_project() {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(&path, text).expect("a file");
            paths.push(path);
        }
        Self { directory, paths }
    }

    /// A new server, without an index.
    fn server(&self) -> Server {
        let store = DirectoryStore::builder().mount_as("tree", self.directory.path());
        let store = store.build().expect("a store");
        let server = Server::builder("bench", "1").tools(store.tools());
        server.build().expect("a server")
    }
}

fn search(runtime: &Runtime, server: &Server, arguments: serde_json::Value) {
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "search",
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let request = format!("{request}\n");
    let done = server.serve(black_box(request.as_bytes()), tokio::io::sink());
    runtime.block_on(done.into_future()).expect("served");
}

fn words() -> serde_json::Value {
    json!({ "words": "memory limit of the container cgroup" })
}

fn runtime() -> Runtime {
    let mut runtime = Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime")
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn first_search(bencher: Bencher<'_, '_>) {
    let (tree, runtime) = (Tree::new(), runtime());
    let bencher = bencher.with_inputs(|| tree.server());
    bencher.bench_local_values(|server| search(&runtime, &server, words()));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn next_search(bencher: Bencher<'_, '_>) {
    let (tree, runtime) = (Tree::new(), runtime());
    let server = tree.server();
    search(&runtime, &server, words());
    bencher.bench_local(|| search(&runtime, &server, words()));
}

/// The walk through all files, which is part of every search.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn names_alone(bencher: Bencher<'_, '_>) {
    let (tree, runtime) = (Tree::new(), runtime());
    let server = tree.server();
    bencher.bench_local(|| search(&runtime, &server, json!({ "glob": "nowhere" })));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn read_all_files(bencher: Bencher<'_, '_>) {
    let tree = Tree::new();
    bencher.bench_local(|| {
        let read = tree
            .paths
            .iter()
            .map(|path| fs::read(path).expect("a file").len());
        black_box(read.sum::<usize>())
    });
}
