//! Limits a server's text to the length at which errors show it.

use std::fmt;

use plainly_errors::mistake::shortened;

use plainly_transport::EscapedText;

/// The most bytes that are shown of a server's text: a few sentences.
const SHOWN: usize = 1_024;

/// A server's text for display: without control characters, and without its middle if it is long.
pub(super) struct BoundedText<'a>(pub(super) &'a str);

impl fmt::Display for BoundedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EscapedText(&shortened(self.0, SHOWN)).fmt(f)
    }
}
