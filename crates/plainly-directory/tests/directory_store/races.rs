//! Names that change during calls: files and directories that become links, directories that are
//! moved out of the mount during a walk, and files that are written while they are read.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use plainly::protocol::types::ResourceContents;
use plainly::server::SubscribedResources;
use plainly::store::{Change, ListQuery, Store, StoreError};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tokio::runtime::Builder;

use crate::fixture::{Fixture, SECRET};

/// The duration of changes in each test: `PLAINLY_RACE_SECONDS`, or a short time.
pub(crate) fn time() -> Duration {
    let asked = std::env::var("PLAINLY_RACE_SECONDS").ok();
    let seconds = asked.map_or(2, |seconds| seconds.parse().unwrap());
    Duration::from_secs(seconds)
}

#[test]
fn nothing_outside_is_read_whatever_is_renamed_meanwhile() {
    let fixture = Fixture::new(&[
        ("file", "inside"),
        ("dir/ok.txt", "inside"),
        ("ok.txt", "inside"),
        ("p/q/r/", ""),
    ]);
    let swaps = traps(&fixture);
    let over = AtomicBool::new(false);
    let [reads, inside, told] = [const { AtomicU64::new(0) }; 3];
    let uris = ["/file", "/dir/ok.txt", "/p/q/r/up", ""].map(|path| format!("file:///docs{path}"));
    std::thread::scope(|scope| {
        for (one, other) in &swaps {
            scope.spawn(|| exchange(one, other, &over));
        }
        scope.spawn(|| watch(&fixture, &over, &told));
        for uri in &uris {
            scope.spawn(|| {
                let runtime = Builder::new_current_thread().build().unwrap();
                while !over.load(Ordering::Relaxed) {
                    let found = runtime.block_on(read_and_list(&fixture, uri));
                    inside.fetch_add(found, Ordering::Relaxed);
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(time());
        over.store(true, Ordering::Relaxed);
    });
    println!("{reads:?} rounds, {inside:?} contents from inside, {told:?} changes told");
    assert!(inside.into_inner() > 0);
}

/// Pairs of names to exchange: a file and a link to the secret; a directory and a link to one with
/// a secret; a directory whose `..` leads to the secret once it is moved out.
pub(crate) fn traps(fixture: &Fixture) -> [(PathBuf, PathBuf); 3] {
    let (root, outside) = (fixture.root(), fixture.outside());
    symlink("../secret.txt", root.join("file-link")).unwrap();
    fs::create_dir_all(outside.join("evil/q")).unwrap();
    fs::write(outside.join("evil/ok.txt"), SECRET).unwrap();
    fs::write(outside.join("ok.txt"), SECRET).unwrap();
    symlink("../evil", root.join("dir-link")).unwrap();
    symlink("../../../ok.txt", root.join("p/q/r/up")).unwrap();
    [
        (root.join("file"), root.join("file-link")),
        (root.join("dir"), root.join("dir-link")),
        (root.join("p/q"), outside.join("evil/q")),
    ]
}

/// Reads the reports of changes, and checks that they only name entries inside the mount. There may
/// be few reports while everything changes, and more afterwards.
fn watch(fixture: &Fixture, over: &AtomicBool, told: &AtomicU64) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut changes = fixture.store.watch(SubscribedResources::none()).unwrap();
        let mut end = None;
        loop {
            let next = tokio::time::timeout(Duration::from_millis(200), changes.next()).await;
            if let Ok(change) = &next {
                let said = format!("{change:?}");
                fixture.tells_nothing(&said);
                assert!(!said.contains("evil") && !said.contains("secret"), "{said}");
                told.fetch_add(1, Ordering::Relaxed);
            }
            if over.load(Ordering::Relaxed) {
                let end = *end.get_or_insert_with(|| Instant::now() + Duration::from_secs(20));
                assert!(Instant::now() < end, "nothing is told any more");
                let edited = Change::Resource("file:///docs/ok.txt".to_owned());
                if next == Ok(Some(edited)) {
                    return;
                }
                write_over(&fixture.root().join("ok.txt"), "inside");
            }
        }
    });
}

/// Overwrites a file without truncating it first, because readers must not find it empty.
fn write_over(path: &Path, text: &str) {
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Reads and lists, and checks that all contents are from inside the mount. Returns their number.
async fn read_and_list(fixture: &Fixture, uri: &str) -> u64 {
    let read = fixture.store.read(uri).await;
    let metadata = fixture.store.metadata(uri).await;
    let listed = fixture.store.list(ListQuery::new(100)).await;
    let children = fixture.store.list(ListQuery::new(100).parent(uri)).await;
    fixture.tells_nothing(&format!("{read:?}{metadata:?}{listed:?}{children:?}"));
    match read {
        Ok(contents) => {
            let is_inside = |one: &ResourceContents| one.body.as_text() == Some("inside");
            assert!(contents.iter().all(is_inside), "{contents:?}");
            contents.len() as u64
        }
        Err(StoreError::NotFound | StoreError::Unstable | StoreError::Failed(_)) => 0,
        Err(error) => panic!("{uri}: {error}"),
    }
}

/// Exchanges two names until `over` is set.
pub(crate) fn exchange(one: &Path, other: &Path, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }
}

#[test]
fn a_file_that_is_replaced_is_the_old_or_the_new_one() {
    let (old, new) = ("old".repeat(100_000), "new!".repeat(100_000));
    let fixture = Fixture::new(&[("x", &old)]);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for text in [&new, &old] {
                    fs::write(fixture.outside().join("next"), text).unwrap();
                    fs::rename(fixture.outside().join("next"), fixture.root().join("x")).unwrap();
                }
            }
        });
        let start = Instant::now();
        while start.elapsed() < time() / 4 {
            let text = fixture.text("file:///docs/x");
            assert!(
                text == old || text == new,
                "{} bytes: {text:.40}",
                text.len()
            );
        }
        over.store(true, Ordering::Relaxed);
    });
}

/// Linux tells when the clock of its file systems ticks, every 1 to 10 ms.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_overwritten_every_few_milliseconds_is_read_between_two_changes() {
    let (one, other) = ("1".repeat(1_000), "2".repeat(1_000));
    let fixture = Fixture::new(&[("x", &one)]);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for text in [&other, &one].into_iter().cycle() {
                write_over(&fixture.root().join("x"), text);
                std::thread::sleep(Duration::from_millis(5));
                if over.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let (mut reads, mut torn, mut failed) = (0, false, None);
        let end = Instant::now() + Duration::from_secs(60);
        while reads < 10 && Instant::now() < end {
            match fixture.read("file:///docs/x") {
                Ok(contents) => {
                    let text = contents[0].body.as_text().unwrap();
                    torn |= text != one && text != other;
                    reads += 1;
                }
                Err(error) => failed = Some(error),
            }
        }
        over.store(true, Ordering::Relaxed);
        assert!(reads == 10 && !torn, "{reads} reads, {failed:?}");
    });
}

#[test]
fn a_file_that_grows_without_end_is_never_read_beyond_the_limit() {
    let fixture = Fixture::with(&[("x", "")], |builder| builder.max_file_bytes(1 << 20));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = fs::File::options()
                .write(true)
                .open(fixture.root().join("x"))
                .unwrap();
            while !over.load(Ordering::Relaxed) {
                for size in (0..=4 << 20).step_by(64 << 10) {
                    file.set_len(size).unwrap();
                }
            }
        });
        let start = Instant::now();
        while start.elapsed() < time() / 4 {
            match fixture.read("file:///docs/x") {
                Ok(contents) => assert!(contents[0].body.as_bytes().len() <= 1 << 20),
                Err(StoreError::TooLarge { size, limit }) => assert!(size > limit),
                Err(StoreError::Unstable) => {}
                Err(error) => panic!("{error}"),
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}
