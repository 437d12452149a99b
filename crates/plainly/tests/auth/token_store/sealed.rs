//! Files that are encrypted with a key from a keychain, which may be locked, empty, or a different
//! one.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use plainly::client::oauth::credentials::Credentials;
use plainly::client::oauth::{FileStore, Keychain, Secret, TokenStore as _, TokenStoreError};

use super::{change, keep};

/// A keychain in memory. Its clones share their content.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    secret: Option<Secret>,
    is_locked: bool,
    /// If set, the keychain answers only after it receives a message here.
    answers: Option<Receiver<()>>,
    kept: usize,
}

impl Chain {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn unlocked(&self) -> Result<MutexGuard<'_, State>, TokenStoreError> {
        let state = self.state();
        if let Some(answers) = &state.answers {
            // The sender may have been dropped.
            let _ = answers.recv();
        }
        match state.is_locked {
            true => {
                Err(TokenStoreError::new("cannot use the keychain of the test")
                    .because("it is locked"))
            }
            false => Ok(state),
        }
    }
}

impl Keychain for Chain {
    fn load(&self) -> Result<Option<Secret>, TokenStoreError> {
        Ok(self.unlocked()?.secret.clone())
    }

    fn keep(&self, secret: &Secret) -> Result<(), TokenStoreError> {
        let mut state = self.unlocked()?;
        state.secret = Some(secret.clone());
        state.kept += 1;
        Ok(())
    }

    fn place(&self) -> String {
        "the keychain of the test".to_owned()
    }
}

/// Returns the bytes of all files in a directory.
fn bytes(directory: &Path) -> Vec<u8> {
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|it| it.is_file())
        .flat_map(|it| fs::read(it).unwrap())
        .collect()
}

const LOCKED: &str = "cannot use the keychain of the test: it is locked";

#[tokio::test]
async fn what_is_sealed_can_be_read_with_the_key_in_the_keychain_and_not_without() {
    let directory = tempfile::tempdir().unwrap();
    let chain = Chain::default();
    let store = FileStore::new(directory.path()).sealed(chain.clone());
    assert_eq!(store.load().await.unwrap(), Credentials::default());
    assert_eq!(chain.state().kept, 0, "for nothing");
    change(&store, |it| keep(it, 1)).await.unwrap();
    change(&store, |it| keep(it, 2)).await.unwrap();
    let mut expected = Credentials::default();
    keep(&mut expected, 1);
    keep(&mut expected, 2);
    let next = FileStore::new(directory.path()).sealed(chain.clone());
    assert_eq!(next.load().await.unwrap(), expected);
    assert_eq!(chain.state().kept, 1);

    let path = directory.path().join("credentials.sealed");
    let place = format!(
        "{}', encrypted with a key in the keychain of the test",
        path.display()
    );
    assert!(next.place().ends_with(&place), "{}", next.place());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let written = String::from_utf8(bytes(directory.path())).unwrap();
    let key = chain.state().secret.clone().unwrap();
    for secret in ["t0ken", "r3fresh", "client", "example", key.expose()] {
        assert!(!written.contains(secret), "{secret}: {written}");
        assert!(!format!("{store:?}").contains(secret), "{store:?}");
    }
    // A store without a keychain uses another file.
    let unsealed = FileStore::new(directory.path());
    assert_eq!(unsealed.load().await.unwrap(), Credentials::default());
}

#[tokio::test]
async fn a_locked_keychain_is_said_and_nothing_is_kept_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let chain = Chain::default();
    let store = FileStore::new(directory.path()).sealed(chain.clone());
    chain.state().is_locked = true;
    // The store fails before a user is sent to a browser.
    assert_eq!(store.lock("a").await.unwrap_err().to_string(), LOCKED);
    let refused = change(&store, |it| keep(it, 1)).await.unwrap_err();
    assert_eq!(refused.to_string(), LOCKED);
    assert_eq!(bytes(directory.path()), b"");

    chain.state().is_locked = false;
    drop(store.lock("a").await.unwrap());
    change(&store, |it| keep(it, 1)).await.unwrap();
    chain.state().is_locked = true;
    let before = bytes(directory.path());
    assert_eq!(store.load().await.unwrap_err().to_string(), LOCKED);
    let refused = change(&store, |it| keep(it, 2)).await.unwrap_err();
    assert_eq!(refused.to_string(), LOCKED);
    assert_eq!(bytes(directory.path()), before);

    chain.state().is_locked = false;
    assert_eq!(store.load().await.unwrap().grants.len(), 1);
    assert_eq!(chain.state().kept, 1);
}

#[tokio::test]
#[cfg(unix)]
async fn a_file_whose_key_is_gone_is_refused_with_what_mends_it() {
    type Row = (fn(&mut State), fn(&Path), &'static str);
    let rows: [Row; 5] = [
        (
            |it| it.secret = None,
            |_| {},
            "its key is no longer in the keychain of the test: move the file away",
        ),
        (
            |it| it.secret = Some("s3cret of others".into()),
            |_| {},
            "the key in the keychain of the test is not the file's: move the file away",
        ),
        (
            |it| it.secret = Some("A".repeat(43).into()),
            |_| {},
            "it is encrypted with another key, or damaged: move it away",
        ),
        (
            |_| {},
            |it| fs::write(it, "{\"version\":1,\"sealed\":\"AAAA\"}").unwrap(),
            "it is encrypted with another key, or damaged: move it away",
        ),
        (
            |_| {},
            |it| fs::write(it, "{\"version\":1,").unwrap(),
            "it is incomplete: move it away",
        ),
    ];
    for (spoil, spoil_file, said) in rows {
        let directory = tempfile::tempdir().unwrap();
        let chain = Chain::default();
        let store = FileStore::new(directory.path()).sealed(chain.clone());
        change(&store, |it| keep(it, 1)).await.unwrap();
        spoil(&mut chain.state());
        let path = directory.path().join("credentials.sealed");
        spoil_file(&path);
        let before = bytes(directory.path());
        let shown = path.display();
        let expected = format!(
            "'{shown}' cannot be read: {said} and log in again; run `mv '{shown}' '{shown}.old'`"
        );
        let refused = store.load().await.unwrap_err();
        assert_eq!(refused.to_string(), expected);
        let refused_too = change(&store, |it| keep(it, 2)).await.unwrap_err();
        assert_eq!(refused_too.to_string(), expected);
        assert_eq!(bytes(directory.path()), before, "{said}");
        let mended = std::process::Command::new("sh")
            .args(["-c", refused.command().unwrap()])
            .status();
        assert!(mended.unwrap().success());
        change(&store, |it| keep(it, 2)).await.unwrap();
        assert_eq!(store.load().await.unwrap().grants.len(), 1);
    }
}

#[tokio::test]
async fn two_that_begin_at_once_make_one_key() {
    let directory = tempfile::tempdir().unwrap();
    let chain = Chain::default();
    let changing = (0..4).map(|number| {
        let store = FileStore::new(directory.path()).sealed(chain.clone());
        tokio::spawn(async move {
            drop(store.lock(&number.to_string()).await.unwrap());
            change(&store, |it| keep(it, number)).await.unwrap();
        })
    });
    for done in changing.collect::<Vec<_>>() {
        done.await.unwrap();
    }
    let store = FileStore::new(directory.path()).sealed(chain.clone());
    assert_eq!(store.load().await.unwrap().grants.len(), 4);
    assert_eq!(chain.state().kept, 1);
}

#[tokio::test(start_paused = true)]
async fn a_keychain_that_never_answers_is_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let chain = Chain::default();
    let store = FileStore::new(directory.path()).sealed(chain.clone());
    let (answer, answers) = channel();
    chain.state().answers = Some(answers);
    let waiting = tokio::spawn(async move { store.lock("a").await.map(drop) });
    while !waiting.is_finished() {
        tokio::time::advance(Duration::from_secs(10)).await;
    }
    let refused = waiting.await.unwrap().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "cannot use the keychain of the test: no answer within 120 seconds; it may be locked: \
         unlock it"
    );
    drop(answer);
}
