//! The store of logins, for all commands: a file of the user, whose key may be in the keychain.

use clap::ValueEnum;
use plainly::client::oauth::{FileStore, OAuth};
use plainly::errors::mistake::in_quotes;

use super::anew::FreshLogins;
use crate::args::{LoginStoreArgs, LoginsPlace};
use crate::failure::Failure;

/// The environment variable that chooses the store, if the option does not.
const VARIABLE: &str = "PLAINLY_LOGINS_IN";

/// The kind of login that a command performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Login {
    /// A login, unless one is stored.
    IfNeeded,
    /// A new login, even if one is stored.
    Anew,
    /// A new login, possibly at the authorization server of the stored one.
    Again,
    /// A new login, without falling back to the 2025-03-26 endpoints, because the server has not
    /// asked for one.
    Unasked,
}

impl Login {
    pub(super) fn keep(self, oauth: OAuth, args: LoginStoreArgs) -> Result<OAuth, Failure> {
        let logins = logins(args)?;
        Ok(match self {
            Self::IfNeeded => oauth.store(logins),
            Self::Anew => oauth.store(FreshLogins::new(logins)),
            Self::Again => oauth.store(FreshLogins::new(logins).show_grants()),
            Self::Unasked => oauth.store(logins).without_fallback(),
        })
    }
}

/// The user's logins: in the store that the option names, or else the environment, or else the
/// default of the system.
pub(crate) fn logins(args: LoginStoreArgs) -> Result<FileStore, Failure> {
    let place = place(args)?;
    let file = FileStore::of_user().map_err(|error| Failure::local(error.to_string()))?;
    match place {
        LoginsPlace::File => Ok(file),
        LoginsPlace::Keychain => sealed(file),
    }
}

/// Uses the user's stored logins, if they have a directory. Without one, a command can still
/// authenticate.
pub(super) fn keep(oauth: OAuth, args: LoginStoreArgs) -> Result<OAuth, Failure> {
    if let Err(error) = FileStore::of_user() {
        tracing::debug!("{error}");
        return Ok(oauth);
    }
    Ok(oauth.store(logins(args)?))
}

fn place(args: LoginStoreArgs) -> Result<LoginsPlace, Failure> {
    if let Some(place) = args.logins_in {
        return Ok(place);
    }
    let value = std::env::var_os(VARIABLE).unwrap_or_default();
    let value = value.to_string_lossy();
    if value.is_empty() {
        return Ok(match cfg!(any(target_os = "macos", windows)) {
            true => LoginsPlace::Keychain,
            false => LoginsPlace::File,
        });
    }
    LoginsPlace::from_str(&value, false).map_err(|_unknown| {
        let why = format!(
            "invalid {VARIABLE} {}: expected file or keychain",
            in_quotes(&value)
        );
        Failure::impossible(why, None)
    })
}

#[cfg(any(target_os = "macos", windows, feature = "keychain"))]
fn sealed(file: FileStore) -> Result<FileStore, Failure> {
    Ok(file.sealed(super::keychain::SystemKeychain::new()))
}

#[cfg(not(any(target_os = "macos", windows, feature = "keychain")))]
fn sealed(_: FileStore) -> Result<FileStore, Failure> {
    let why = "this plainly was built without the feature `keychain`: build it with that, or store logins in a file, with --logins-in file";
    Err(Failure::impossible(why, None))
}
