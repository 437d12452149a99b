//! Files that are replaced between their check and their opening.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plainly::client::oauth::credentials::Credentials;
use plainly::client::oauth::{FileStore, TokenStore as _, TokenStoreError};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{change, keep};

/// The minimum number of reads, and of changes during them.
const TIMES: usize = 4_000;

/// Returns the results of reading while an action is repeated.
async fn read_during(
    store: &FileStore,
    does: impl Fn() + Send + 'static,
) -> Vec<Result<Credentials, TokenStoreError>> {
    let done = Arc::new(AtomicUsize::new(0));
    let over = Arc::new(AtomicBool::new(false));
    let doing = std::thread::spawn({
        let (over, done) = (Arc::clone(&over), Arc::clone(&done));
        move || {
            while !over.load(Ordering::Relaxed) {
                does();
                done.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let mut read = Vec::new();
    while !doing.is_finished() && (read.len() < TIMES || done.load(Ordering::Relaxed) < TIMES) {
        read.push(store.load().await);
    }
    over.store(true, Ordering::Relaxed);
    doing.join().unwrap();
    read
}

#[tokio::test]
async fn a_file_that_becomes_a_link_is_not_followed_and_not_taken_for_none() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    change(&store, |it| keep(it, 1)).await.unwrap();
    let before = store.load().await.unwrap();
    let other = directory.path().join("other");
    let elsewhere = FileStore::new(&other);
    change(&elsewhere, |it| keep(it, 2)).await.unwrap();
    let (file, link) = ["credentials.json", "link"]
        .map(|it| directory.path().join(it))
        .into();
    symlink(other.join("credentials.json"), &link).unwrap();
    let exchange = move || renameat_with(CWD, &file, CWD, &link, RenameFlags::EXCHANGE).unwrap();
    let read = read_during(&store, exchange).await;
    let (read, refused): (Vec<_>, Vec<_>) = read.into_iter().partition(Result::is_ok);
    assert!(!read.is_empty() && !refused.is_empty());
    for kept in read {
        assert_eq!(kept.unwrap(), before);
    }
}

#[tokio::test]
async fn a_file_that_comes_and_goes_is_there_or_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    change(&store, |it| keep(it, 1)).await.unwrap();
    let before = store.load().await.unwrap();
    let (file, aside) = ["credentials.json", "aside"]
        .map(|it| directory.path().join(it))
        .into();
    let go_and_come = move || {
        fs::rename(&file, &aside).unwrap();
        fs::rename(&aside, &file).unwrap();
    };
    let nothing = Credentials::default();
    for kept in read_during(&store, go_and_come).await {
        let kept = kept.unwrap();
        assert!(kept == before || kept == nothing, "{kept:?}");
    }
}
