//! The file in which a client stores its tokens. Several processes change it at once, and may end
//! at any time.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod model;
mod processes;
#[cfg(target_os = "linux")]
mod races;
#[cfg(unix)]
mod refusals;
mod sealed;

use plainly::client::oauth::credentials::{Credentials, Grant, GrantKey, Registration};
use plainly::client::oauth::{FileStore, TokenStore, TokenStoreError};

fn issuer(number: u32) -> String {
    format!("https://as-{number}.example")
}

/// Stores a registration and a grant with `number`.
fn keep(credentials: &mut Credentials, number: u32) {
    let issuer = issuer(number);
    credentials.keep_registration(Registration::new(&issuer, format!("client-{number}")));
    let key = GrantKey::new(&issuer, "https://mcp.example", format!("client-{number}"));
    let mut grant = Grant::new(
        key,
        format!("{issuer}/token"),
        format!("t0ken-{number}").into(),
    );
    grant.refresh_token = Some(format!("r3fresh-{number}").into());
    credentials.keep_grant(&format!("https://mcp-{number}.example"), grant);
}

async fn change(
    store: &impl TokenStore,
    change: impl FnOnce(&mut Credentials) + Send,
) -> Result<(), TokenStoreError> {
    store.update(Box::new(change)).await
}

#[tokio::test]
async fn what_is_kept_is_there_for_the_next_and_for_nobody_else() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("a/b");
    let store = FileStore::new(&inner);
    assert_eq!(store.load().await.unwrap(), Credentials::default());
    change(&store, |_| {}).await.unwrap();
    assert!(!inner.join("credentials.json").exists(), "for nothing");

    change(&store, |it| keep(it, 1)).await.unwrap();
    let mut expected = Credentials::default();
    keep(&mut expected, 1);
    let next = FileStore::new(&inner);
    assert_eq!(next.load().await.unwrap(), expected);
    let path = inner.join("credentials.json");
    assert!(next.place().contains(path.to_str().unwrap()));

    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"version\": 1,"), "{text}");
    #[cfg(unix)]
    for (path, expected) in [
        (directory.path().join("a"), 0o700),
        (inner.clone(), 0o700),
        (path, 0o600),
        (inner.join("credentials.lock"), 0o600),
    ] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, expected, "{}", path.display());
    }
    let shown = format!("{store:?} {:?}", store.load().await);
    assert!(
        !shown.contains("t0ken") && !shown.contains("r3fresh"),
        "{shown}"
    );
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time_works_on_a_name_and_the_next_waits_for_10_seconds() {
    let directory = tempfile::tempdir().unwrap();
    let [first, second] = [(); 2].map(|()| FileStore::new(directory.path()));
    let held = first.lock("https://as.example/../a b").await.unwrap();
    drop(second.lock("another").await.unwrap());
    let refused = second.lock("https://as.example/../a b").await.unwrap_err();
    let expected = format!(
        "cannot work on the logins in {}: another login or renewal is still running after 10 \
         seconds",
        second.place()
    );
    assert_eq!(refused.to_string(), expected);
    // Another process can read and change the file even while a login is locked.
    change(&second, |it| keep(it, 1)).await.unwrap();
    // A process that another test starts may inherit the lock for a moment, in real time.
    tokio::time::resume();
    let (waited, ()) = tokio::join!(second.lock("https://as.example/../a b"), async {
        drop(held)
    });
    waited.unwrap();
}

#[tokio::test]
async fn two_stores_that_change_the_same_at_once_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let changing = (0..4).map(|thread| {
        let store = FileStore::new(directory.path());
        tokio::spawn(async move {
            for number in 0..8 {
                change(&store, |it| keep(it, 8 * thread + number))
                    .await
                    .unwrap();
            }
        })
    });
    for done in changing.collect::<Vec<_>>() {
        done.await.unwrap();
    }
    let kept = FileStore::new(directory.path()).load().await.unwrap();
    assert_eq!((kept.registrations.len(), kept.grants.len()), (32, 32));
}
