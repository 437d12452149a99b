//! The form of others' texts in errors of authorization: in quotation marks and bounded, URLs
//! without their secret parts.

use std::fmt;

use plainly_errors::mistake::shortened;

use super::IssuerPlace;
use plainly_transport::Escaped;

/// The most characters of a text of others that are shown.
const SHOWN: usize = 500;

/// The most scopes and URLs that are named.
const NAMED: usize = 20;

/// Another party's text, in quotation marks.
pub(super) struct Theirs<'a>(pub(super) &'a str);

impl fmt::Display for Theirs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", shortened(self.0, SHOWN))
    }
}

/// A reason in our words, which may quote theirs.
pub(super) struct Why<'a>(pub(super) &'a str);

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Escaped(&shortened(self.0, SHOWN)).fmt(f)
    }
}

/// A URL without user name, password, query and fragment. Whatever it is, it is shown as it is spelled.
pub(super) struct Address<'a>(pub(super) &'a str);

impl Address<'_> {
    fn parts(&self) -> (&str, &str) {
        let whole = self.0.split(['?', '#']).next().unwrap_or_default();
        let (scheme, rest) = match whole.find("://") {
            Some(at) => whole.split_at(at + "://".len()),
            None => ("", whole),
        };
        let authority = rest.split(['/', '\\']).next().unwrap_or_default();
        let user = authority.rfind('@').map_or(0, |at| at + 1);
        (scheme, rest.get(user..).unwrap_or_default())
    }
}

impl fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.parts();
        write!(f, "{}{}", Why(scheme), Why(rest))
    }
}

/// Scopes after the words for them; nothing if there are none.
pub(super) struct Scopes<'a>(pub(super) &'a str, pub(super) &'a [String]);

impl fmt::Display for Scopes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(before, scopes) = self;
        match scopes {
            [] => Ok(()),
            scopes => write!(f, "{before} {}", Theirs(&scopes.join(" "))),
        }
    }
}

/// The URLs that were asked, and what they answered.
pub(super) struct Tried<'a>(pub(super) &'a [(String, u16)]);

impl fmt::Display for Tried<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = ": ";
        for (url, status) in self.0.iter().take(NAMED) {
            write!(f, "{before}{} answered {status}", Address(url))?;
            before = ", ";
        }
        Ok(())
    }
}

/// The code and the words of a refusal, as far as there are any.
pub(super) struct Answered<'a>(pub(super) Option<&'a str>, pub(super) Option<&'a str>);

impl fmt::Display for Answered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (None, None) => Ok(()),
            (Some(said), None) | (None, Some(said)) => write!(f, ": {}", Theirs(said)),
            (Some(code), Some(said)) => write!(f, ": {}, {}", Theirs(code), Theirs(said)),
        }
    }
}

impl fmt::Display for IssuerPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metadata => "the metadata of the authorization server",
            Self::Callback => "the answer to the login",
        })
    }
}
