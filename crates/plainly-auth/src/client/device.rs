//! The instructions for a login on another device: the user is shown a code, and enters it in any
//! browser (RFC 8628).
//!
//! Used only if the program asks for it, because an attacker could show the user a code of their
//! own (RFC 8628, 5.4).

use std::fmt;
use std::sync::Arc;

/// The instructions for a login on another device. Their texts come unchanged from servers: escape
/// them before you show them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DevicePage<'a> {
    /// The page to open.
    pub url: &'a str,
    /// The code to enter there.
    pub code: &'a str,
    /// The page's URL that includes the code, if the server provides one.
    pub complete_url: Option<&'a str>,
    /// The MCP server that wants the login.
    pub server: &'a str,
    /// The authorization server of the page.
    pub issuer: &'a str,
    /// The scopes to request.
    pub scope: &'a [String],
}

/// The program's display of the instructions.
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
