//! The cost of writing 1 KiB, compared with the bare system calls (write, sync, rename, sync); and
//! with the overwritten file going to the trash.

#![expect(clippy::print_stdout, reason = "the result of a benchmark")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use plainly::store::{RemoveQuery, Writable, WriteQuery};
use plainly_directory::DirectoryStore;
use tokio::runtime::{Builder, Runtime};

/// The number of writes of each kind. The kinds alternate, so that the state of the disk is the
/// same for all.
const ROUNDS: usize = 200;

fn main() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let store = DirectoryStore::builder().mount_writable_as("files", directory.path());
    let store = store.build().expect("a store");
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let content = vec![b'x'; 1024];
    let mut times: [Vec<Duration>; 3] = Default::default();
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    for _ in 0..ROUNDS {
        times[0].push(time(&mut || bare(directory.path(), &content)));
        times[1].push(time(&mut || write(&store, &runtime, "new", &content)));
        times[2].push(time(&mut || write(&store, &runtime, "old", &content)));
        let query = RemoveQuery::new("file:///files/new").permanent(true);
        runtime.block_on(store.remove(query)).expect("removed");
    }
    let [bare, new, over] = times.map(|mut times| {
        times.sort_unstable();
        times.get(ROUNDS / 2).copied().unwrap_or_default()
    });
    let ratio = |time: Duration| time.as_secs_f64() / bare.as_secs_f64();
    println!("bare calls           {bare:?}");
    println!("a new file           {new:?}  {:.2} x", ratio(new));
    println!("over, old one kept   {over:?}  {:.2} x", ratio(over));
}

fn bare(directory: &Path, content: &[u8]) {
    let temporary = directory.join("bare.tmp");
    let mut file = File::create(&temporary).expect("a file");
    file.write_all(content).expect("written");
    file.sync_all().expect("synced");
    fs::rename(&temporary, directory.join("bare")).expect("renamed");
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .expect("synced");
}

fn write(store: &DirectoryStore, runtime: &Runtime, name: &str, content: &[u8]) {
    let uri = format!("file:///files/{name}");
    let query = WriteQuery::new(&uri, content.to_vec());
    runtime.block_on(store.write(query)).expect("written");
}
