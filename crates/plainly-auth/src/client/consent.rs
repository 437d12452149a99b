//! How a person is asked for consent, behind a trait: a page of the authorization server is shown to them, and their browser
//! comes back with the answer.

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

/// Asks a person at a browser for consent.
pub trait Consent: fmt::Debug + Send + Sync {
    /// Gets ready to be called back, before anybody is told where: a port is bound, so that nobody else can have it.
    ///
    /// `redirect` is the URI that a registration wants: none if any will do, and one without a port if any port will.
    fn prepare<'a>(
        &'a self,
        redirect: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Visit>, ConsentError>>;
}

/// One visit of a person's browser to an authorization server.
pub trait Visit: fmt::Debug + Send {
    /// Where the browser must be sent back to.
    fn redirect_uri(&self) -> &str;

    /// Shows the page to a person, and waits until the browser comes back: with the query of that URL, as it came, in which
    /// `state` occurs once and is right.
    fn visit<'a>(
        self: Box<Self>,
        page: &'a ConsentPage<'a>,
    ) -> BoxFuture<'a, Result<String, ConsentError>>;
}

/// The page that a person is to visit. What the servers have written of it is as they wrote it: escape it before you show it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ConsentPage<'a> {
    /// Its URL, which nobody else may see: it leads whoever has it into this login.
    pub url: &'a str,
    /// What the browser must bring back.
    pub state: &'a str,
    /// The MCP server that wants the login.
    pub server: &'a str,
    /// The authorization server that the page is of.
    pub issuer: &'a str,
    /// What is asked for.
    pub scope: &'a [String],
}

impl ConsentPage<'_> {
    /// Refuses what no browser may be given, whoever wrote the metadata that it comes from: its URL is read by the program that
    /// opens it, and by a person.
    fn check(&self) -> Result<(), ConsentError> {
        plainly_oauth::check_page(self.url).map_err(|why| ConsentError::Page {
            issuer: printable(self.issuer).into_owned(),
            why: why.to_string(),
        })
    }
}

/// Without what makes a login this one.
impl fmt::Debug for ConsentPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsentPage")
            .field("server", &self.server)
            .field("issuer", &self.issuer)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
