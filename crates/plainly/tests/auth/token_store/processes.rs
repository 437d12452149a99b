//! Several processes that change one file. Each process runs this test again.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use plainly::client::oauth::{FileStore, TokenStore as _};

use super::{change, issuer, keep};

/// The environment variables for another process: its work, and the directory.
const WORK: &str = "TOKEN_STORE_WORK";
const DIRECTORY: &str = "TOKEN_STORE_DIRECTORY";

/// The number of changes by each process.
const CHANGES: u32 = 20;

/// A time longer than any of these tests takes.
const TOO_LONG: Duration = Duration::from_secs(60);

/// A process that ends with its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(work: &str, directory: &Path) -> Ended {
    start_in(directory, work, directory)
}

fn start_in(current: &Path, work: &str, directory: &Path) -> Ended {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "token_store::processes::what_another_process_does",
            "--nocapture",
        ])
        .args(["--include-ignored", "--test-threads=1"])
        .env(WORK, work)
        .env(DIRECTORY, directory)
        .current_dir(current)
        .env("XDG_STATE_HOME", directory)
        .env("LOCALAPPDATA", directory)
        .stdout(Stdio::piped());
    Ended(command.spawn().unwrap())
}

#[tokio::test]
#[ignore = "it is started by other tests"]
async fn what_another_process_does() {
    let Ok(work) = std::env::var(WORK) else {
        return;
    };
    let store = FileStore::new(std::env::var_os(DIRECTORY).unwrap());
    match work.as_str() {
        "hold" => {
            let _held = store.lock("a").await.unwrap();
            println!("\nheld");
            std::future::pending().await
        }
        "tell" => println!("\n{}", FileStore::of_user().unwrap().place()),
        // All stored registrations contain the same number at any time.
        "count" => {
            for number in 0.. {
                let counted = change(&store, |it| {
                    *it = Default::default();
                    (0..50).for_each(|other| keep(it, other));
                    for registration in &mut it.registrations {
                        registration.client_id = format!("client-{number}");
                    }
                });
                counted.await.unwrap();
                println!("\ncounted");
            }
        }
        first => {
            let first: u32 = first.parse().unwrap();
            for number in first..first + CHANGES {
                change(&store, |it| keep(it, number)).await.unwrap();
            }
        }
    }
}

/// Waits until `child` has printed `word` so many times.
fn said(child: &mut Ended, word: &str, times: usize) {
    let lines = BufReader::new(child.0.stdout.as_mut().unwrap()).lines();
    let said = lines.map(Result::unwrap).filter(|line| line == word);
    assert_eq!(said.take(times).count(), times);
}

#[tokio::test]
async fn processes_that_change_the_same_at_once_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let firsts = [0, 100, 200].map(|first| first.to_string());
    let mut children = firsts.map(|first| start(&first, directory.path()));
    for child in &mut children {
        assert!(child.0.wait().unwrap().success());
    }
    let kept = FileStore::new(directory.path()).load().await.unwrap();
    for number in [0, 100, 200].into_iter().flat_map(|it| it..it + CHANGES) {
        let found = kept.registration(&issuer(number), 0);
        assert!(found.is_some(), "{number}");
    }
    assert_eq!(kept.grants.len(), 3 * CHANGES as usize);
}

#[test]
fn what_a_user_keeps_has_its_place_in_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = start("tell", directory.path());
    let place = FileStore::new(directory.path().join("plainly")).place();
    said(&mut child, &place, 1);
}

/// A path with one part has an empty path as its parent.
#[tokio::test]
async fn a_path_of_no_parts_is_where_a_program_runs() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = start_in(directory.path(), "0", Path::new(""));
    assert!(child.0.wait().unwrap().success());
    let kept = FileStore::new(directory.path()).load().await.unwrap();
    assert_eq!(kept.grants.len(), CHANGES as usize);
}

#[tokio::test]
async fn a_lock_ends_with_its_process() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = start("hold", directory.path());
    said(&mut child, "held", 1);
    let store = FileStore::new(directory.path());
    let mut waiting = std::pin::pin!(store.lock("a"));
    let early = tokio::time::timeout(Duration::from_millis(50), &mut waiting).await;
    assert!(early.is_err(), "it is held");
    child.0.kill().unwrap();
    let waited = tokio::time::timeout(TOO_LONG, waiting).await;
    waited.unwrap().unwrap();
}

#[tokio::test]
async fn whoever_is_killed_while_writing_leaves_one_whole_document() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    for round in 0..12 {
        let mut child = start("count", directory.path());
        said(&mut child, "counted", 1 + round % 3);
        // The process is killed at an arbitrary point of its next change.
        (0..round * 20_000).for_each(|it| {
            std::hint::black_box(it);
        });
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        let kept = store.load().await.unwrap();
        let mut names = kept.registrations.iter().map(|it| &it.client_id);
        let first = names.next().unwrap();
        assert!(names.all(|name| name == first), "{kept:?}");
        assert_eq!(kept.grants.len(), 50);
        let next = tokio::time::timeout(TOO_LONG, change(&store, |it| keep(it, 1_000)));
        next.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn what_a_killed_process_had_begun_to_write_is_not_read() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    change(&store, |it| keep(it, 1)).await.unwrap();
    let before = store.load().await.unwrap();
    let new = directory.path().join("credentials.json.new");
    for begun in ["", "{\"version\": 1, \"gra"] {
        std::fs::write(&new, begun).unwrap();
        assert_eq!(store.load().await.unwrap(), before);
    }
    change(&store, |it| keep(it, 2)).await.unwrap();
    assert_eq!(store.load().await.unwrap().grants.len(), 2);
    assert!(!new.exists());
}
