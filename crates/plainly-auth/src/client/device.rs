//! Logging in at another device: a person is shown a code, and enters it wherever they have a browser (RFC 8628).
//!
//! Only where the program asks for it: a code that somebody else shows is a trap (RFC 8628, 5.4).

use std::fmt;
use std::sync::Arc;

/// What a person is to do at another device. What the servers have written of it is as they wrote it: escape it before you show
/// it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DevicePage<'a> {
    /// The page to open.
    pub url: &'a str,
    /// The code to enter there.
    pub code: &'a str,
    /// The same page with the code entered already, if there is one.
    pub complete_url: Option<&'a str>,
    /// The MCP server that wants the login.
    pub server: &'a str,
    /// The authorization server that the page is of.
    pub issuer: &'a str,
    /// What is asked for.
    pub scope: &'a [String],
}

/// Where a person is shown a page.
#[derive(Clone)]
pub(super) struct Screen(Arc<dyn Fn(&DevicePage<'_>) + Send + Sync>);

impl Screen {
    pub(super) fn new(show: impl Fn(&DevicePage<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(show))
    }

    pub(super) fn show(&self, page: &DevicePage<'_>) {
        (self.0)(page);
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Screen")
    }
}
