//! The trait for consent: shows a page of the authorization server to the user, whose browser
//! returns with the answer.

mod callback;
mod error;
mod listening;
mod loopback;
mod paste;
mod redirect;
#[cfg(test)]
mod tests;

use std::fmt;

use futures_util::future::BoxFuture;
use plainly_errors::mistake::printable;

pub use self::error::ConsentError;
pub use self::loopback::Loopback;
pub use self::paste::{Paste, PasteMistake};

/// Asks the user for consent in a browser.
pub trait Consent: fmt::Debug + Send + Sync {
    /// Prepares for the redirect before its URI is sent: binds a port, so that no other program can
    /// use it.
    ///
    /// `redirect` is the redirect URI of an existing registration. It is `None` if any URI is
    /// possible, and has no port if any port is.
    fn prepare<'a>(
        &'a self,
        redirect: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Visit>, ConsentError>>;
}

/// One visit of the user's browser to an authorization server.
pub trait Visit: fmt::Debug + Send {
    /// The URI to redirect the browser to.
    fn redirect_uri(&self) -> &str;

    /// Shows the page to the user, and waits until the browser is redirected. Returns the unchanged
    /// query of that URL, in which `state` occurs exactly once and matches.
    fn visit<'a>(
        self: Box<Self>,
        page: &'a ConsentPage<'a>,
    ) -> BoxFuture<'a, Result<String, ConsentError>>;
}

/// The page for the user to visit. Its texts come unchanged from servers: escape them before you
/// show them.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ConsentPage<'a> {
    /// Its URL, which must stay secret, because it gives access to this login.
    pub url: &'a str,
    /// The state that the browser must return.
    pub state: &'a str,
    /// The MCP server that wants the login.
    pub server: &'a str,
    /// The authorization server of the page.
    pub issuer: &'a str,
    /// The scopes to request.
    pub scope: &'a [String],
}

impl ConsentPage<'_> {
    /// Rejects a URL that the user and the opening program might read differently, because a server
    /// wrote it.
    fn check(&self) -> Result<(), ConsentError> {
        plainly_oauth::check_page(self.url).map_err(|why| ConsentError::Page {
            issuer: printable(self.issuer).into_owned(),
            why: why.to_string(),
        })
    }
}

/// Omits the URL and the state, which are secret.
impl fmt::Debug for ConsentPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsentPage")
            .field("server", &self.server)
            .field("issuer", &self.issuer)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
