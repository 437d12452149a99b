//! The authentication of a command at a server over HTTP: from the options and the environment to
//! the source of tokens, and the stored logins.
//!
//! ```text
//! options, environment ─► identity ─┐
//! terminal, browser ─► person ──────┼► Account ─► requests
//! file, keychain ─► kept ────────────┘
//! ```

mod anew;
mod identity;
mod kept;
#[cfg(any(target_os = "macos", windows, feature = "keychain"))]
mod keychain;
mod person;
mod secret;
mod shown;

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use plainly::client::oauth::OAuth;
use plainly::client::oauth::credentials::Grant;

use self::identity::Identity;
pub(crate) use self::kept::{Login, logins};
pub(crate) use self::person::{LoginPerson, LoginWay};
pub(crate) use self::secret::{readable, secret};
pub(crate) use self::shown::{ends, login_json, scopes};
use crate::args::{ServerArgs, Tolerance};
use crate::failure::Failure;
use crate::format::Format;
use crate::terminal;

/// The credentials of a command for one server.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) oauth: Arc<OAuth>,
    /// The URL of the server, once it is known.
    pub(crate) url: Arc<OnceLock<String>>,
    /// The scopes to request, if options name any.
    scopes: Vec<String>,
}

impl Account {
    /// The credentials of a command that needs a server: uses stored logins, and asks the user if
    /// there is one.
    pub(crate) fn of_command(args: &ServerArgs) -> Result<Self, Failure> {
        let identity = Identity::of_command(&args.account)?;
        let oauth = identity.oauth();
        // Tokens that no user logged in for are not stored.
        let oauth = match identity.is_for_people() {
            true => kept::keep(oauth, args.account.kept)?,
            false => oauth,
        };
        let oauth = match may_ask(args) {
            true => LoginPerson::new(Format::Text, LoginWay::AtBrowser, None).ask(oauth),
            false => oauth,
        };
        Self::new(oauth, identity.scopes, args)
    }

    /// The credentials of a login that the user started. If it `is_anew`, stored logins are
    /// ignored.
    pub(crate) fn of_login(
        args: &ServerArgs,
        person: &LoginPerson,
        login: Login,
    ) -> Result<Self, Failure> {
        let identity = Identity::of_login(&args.account)?;
        let oauth = person.ask(login.keep(identity.oauth(), args.account.kept)?);
        Self::new(oauth, identity.scopes, args)
    }

    /// The credentials of a logout.
    pub(crate) fn of_logout(args: &ServerArgs) -> Result<Self, Failure> {
        let oauth = OAuth::new().store(logins(args.account.kept)?);
        Self::new(oauth, Vec::new(), args)
    }

    fn new(mut oauth: OAuth, scopes: Vec<String>, args: &ServerArgs) -> Result<Self, Failure> {
        if !scopes.is_empty() {
            oauth = oauth.scope(scopes.clone());
        }
        if args.account.dpop {
            oauth = oauth.dpop();
        }
        if args.account.tolerate.contains(&Tolerance::IssuerSlash) {
            oauth = oauth.tolerate_issuer_slash();
        }
        if let Some(path) = &args.cacert {
            oauth = oauth.trust(authorities(path)?);
        }
        Ok(Self {
            oauth: Arc::new(oauth),
            url: Arc::default(),
            scopes,
        })
    }

    /// Whether no option names scopes.
    pub(crate) fn names_no_scopes(&self) -> bool {
        self.scopes.is_empty()
    }

    /// Whether a login requested all scopes that this command requests.
    pub(crate) fn covers(&self, grant: &Grant) -> bool {
        let mut scopes = self.scopes.iter();
        scopes.all(|it| grant.requested_scope.contains(it))
    }

    /// The requested scopes that a login was not granted.
    pub(crate) fn not_granted(&self, grant: &Grant) -> Vec<&str> {
        let scopes = self.scopes.iter().map(String::as_str);
        scopes
            .filter(|&scope| grant.granted_scope.iter().all(|it| it != scope))
            .collect()
    }
}

/// Whether the user is present and expects a login.
fn may_ask(args: &ServerArgs) -> bool {
    let is_automatic = std::env::var_os("CI").is_some_and(|it| !it.is_empty() && it != "false");
    let is_for_program = args.format().is_json();
    !args.account.no_login && !is_automatic && !is_for_program && terminal::is_attended()
}

/// The certificates in the file of `--cacert`, in PEM.
pub(crate) fn authorities(path: &Path) -> Result<Vec<u8>, Failure> {
    const BEGIN: &str = "-----BEGIN CERTIFICATE-----";

    let pem = readable(path, fs::read(path))?;
    if memchr::memmem::find(&pem, BEGIN.as_bytes()).is_none() {
        let path = path.display();
        let what = format!("no certificate in {path}: expected certificates in PEM: {BEGIN}");
        return Err(Failure::impossible(what, None));
    }
    Ok(pem)
}
