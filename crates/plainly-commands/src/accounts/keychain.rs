//! The operating system's keychain, which stores the encryption key of logins.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};
use plainly::client::oauth::{Keychain, Secret, TokenStoreError};

use crate::visible::visible;

/// The name of the entry in the keychain.
const ENTRY: (&str, &str) = ("plainly", "key to logins");

/// The display name of the keychain, and the attributes of the entry: its label, or that it stays
/// on this machine, like the file.
#[cfg(target_os = "macos")]
const SYSTEM: (&str, &[(&str, &str)]) = ("the keychain of macOS", &[]);
#[cfg(windows)]
const SYSTEM: (&str, &[(&str, &str)]) = (
    "the Credential Manager of Windows",
    &[("persistence", "Local")],
);
#[cfg(not(any(target_os = "macos", windows)))]
const SYSTEM: (&str, &[(&str, &str)]) = (
    "the keyring (Secret Service)",
    &[("label", "The key to logins of plainly")],
);

type Open = dyn Fn() -> keyring_core::Result<Arc<CredentialStore>> + Send + Sync;

/// The keychain of the user who runs this program.
pub(super) struct SystemKeychain {
    open: Box<Open>,
    about_entry: HashMap<&'static str, &'static str>,
}

impl SystemKeychain {
    pub(super) fn new() -> Self {
        Self {
            open: Box::new(|| Ok(open()?)),
            about_entry: SYSTEM.1.iter().copied().collect(),
        }
    }

    fn entry(&self) -> keyring_core::Result<Entry> {
        let (program, what) = ENTRY;
        let about = Some(&self.about_entry).filter(|it| !it.is_empty());
        (self.open)()?.build(program, what, about)
    }
}

#[cfg(target_os = "macos")]
fn open() -> keyring_core::Result<Arc<apple_native_keyring_store::keychain::Store>> {
    apple_native_keyring_store::keychain::Store::new()
}

#[cfg(windows)]
fn open() -> keyring_core::Result<Arc<windows_native_keyring_store::Store>> {
    windows_native_keyring_store::Store::new()
}

#[cfg(not(any(target_os = "macos", windows)))]
fn open() -> keyring_core::Result<Arc<zbus_secret_service_keyring_store::Store>> {
    zbus_secret_service_keyring_store::Store::new()
}

impl Keychain for SystemKeychain {
    fn load(&self) -> Result<Option<Secret>, TokenStoreError> {
        match self.entry().and_then(|entry| entry.get_password()) {
            Ok(key) => Ok(Some(Secret::new(key))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    fn keep(&self, secret: &Secret) -> Result<(), TokenStoreError> {
        let kept = self
            .entry()
            .and_then(|entry| entry.set_password(secret.expose()));
        kept.map_err(|error| failed(&error))
    }

    fn place(&self) -> String {
        SYSTEM.0.to_owned()
    }
}

impl fmt::Debug for SystemKeychain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SystemKeychain")
    }
}

/// The failure and its remedy, without the contents of the entry.
fn failed(error: &Error) -> TokenStoreError {
    let why = match error {
        Error::NoStorageAccess(why) => {
            format!(
                "it is locked, or access was denied ({})",
                visible(&why.to_string())
            )
        }
        Error::PlatformFailure(why) => visible(&why.to_string()),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => {
            "its entry for plainly is not plainly's own".to_owned()
        }
        Error::Ambiguous(_) => "it has several entries for plainly".to_owned(),
        Error::NoEntry
        | Error::BadStoreFormat(_)
        | Error::TooLong(..)
        | Error::Invalid(..)
        | Error::NoDefaultStore
        | Error::NotSupportedByStore(_)
        | _ => visible(&error.to_string()),
    };
    TokenStoreError::new(format!("cannot use {}", SYSTEM.0)).because(format!(
        "{why}; unlock it, or store logins in a file, with --logins-in file or \
         PLAINLY_LOGINS_IN=file"
    ))
}

#[cfg(test)]
mod tests {
    use keyring_core::mock;

    use super::*;

    fn mocked() -> (SystemKeychain, Entry) {
        let store = mock::Store::new().unwrap();
        let shared: Arc<CredentialStore> = store;
        let keychain = SystemKeychain {
            open: {
                let shared = Arc::clone(&shared);
                Box::new(move || Ok(Arc::clone(&shared)))
            },
            about_entry: HashMap::new(),
        };
        let entry = shared.build(ENTRY.0, ENTRY.1, None).unwrap();
        (keychain, entry)
    }

    #[test]
    fn a_key_is_in_one_entry() {
        let (keychain, entry) = mocked();
        assert_eq!(keychain.load().unwrap(), None);
        keychain.keep(&"k3y".into()).unwrap();
        keychain.keep(&"k3y-2".into()).unwrap();
        assert_eq!(keychain.load().unwrap(), Some("k3y-2".into()));
        assert_eq!(entry.get_password().unwrap(), "k3y-2");
    }

    #[test]
    fn what_goes_wrong_is_said_without_the_key_and_with_a_way_out() {
        let why = || "\u{1b}no collection".into();
        for (error, said) in [
            (
                Error::NoStorageAccess(why()),
                "it is locked, or access was denied (\\u{1b}no collection); unlock it",
            ),
            (Error::PlatformFailure(why()), "\\u{1b}no collection"),
            (
                Error::BadEncoding(b"k3y".to_vec()),
                "its entry for plainly is not",
            ),
            (
                Error::BadDataFormat(b"k3y".to_vec(), "k3y".into()),
                "its entry for plainly is not",
            ),
            (Error::Ambiguous(Vec::new()), "several entries"),
        ] {
            let (keychain, entry) = mocked();
            keychain.keep(&"k3y".into()).unwrap();
            let cred: &mock::Cred = entry.as_any().downcast_ref().unwrap();
            cred.set_error(error);
            let failed = keychain.load().unwrap_err();
            let text = failed.to_string();
            assert!(text.starts_with(&format!("cannot use {}: ", SYSTEM.0)));
            assert!(text.contains(said), "{text}");
            assert!(text.ends_with("--logins-in file or PLAINLY_LOGINS_IN=file"));
            let all = format!("{text} {failed:?} {keychain:?}");
            assert!(!all.contains("k3y"), "{all}");
        }
    }
}
