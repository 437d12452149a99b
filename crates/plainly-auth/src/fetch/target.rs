//! A URL named by another party, in a form that all readers interpret in the same way.

use http::HeaderValue;
use plainly_errors::mistake::{in_quotes, printable};
use reqwest::Url;

use super::error::FetchError;

/// A URL, and its text.
pub(super) struct Target {
    url: Url,
    text: String,
}

impl Target {
    /// Parses the URL.
    pub(super) fn parse(text: &str) -> Result<Self, FetchError> {
        let fenced = |why: &str| FetchError::Fenced {
            url: shown(text),
            why: why.to_owned(),
        };
        if !is_plain(text) {
            return Err(fenced("it has characters that are invalid in a URL"));
        }
        let url = Url::parse(text).map_err(|why| fenced(&format!("it is not a URL: {why}")))?;
        Self::new(url, text.to_owned())
    }

    fn new(url: Url, text: String) -> Result<Self, FetchError> {
        let why = match url.scheme() {
            "https" | "http" if !url.username().is_empty() || url.password().is_some() => {
                "it contains a user name or a password"
            }
            "https" | "http" => return Ok(Self { url, text }),
            _ => "expected https, or http within this machine",
        };
        Err(FetchError::Fenced {
            url: shown(&text),
            why: why.to_owned(),
        })
    }

    /// The target of a redirect.
    pub(super) fn redirected(&self, location: &HeaderValue) -> Result<Self, FetchError> {
        let text = String::from_utf8_lossy(location.as_bytes());
        let fenced = |why: String| FetchError::Fenced {
            url: self.shown(),
            why: format!("it redirects to {}, {why}", in_quotes(&shown(&text))),
        };
        if !is_plain(&text) {
            return Err(fenced(
                "which has characters that are invalid in a URL".into(),
            ));
        }
        let url = self.url.join(&text);
        let url = url.map_err(|why| fenced(format!("which is not a URL: {why}")))?;
        if self.is_https() && url.scheme() == "http" {
            return Err(fenced("which is not https".into()));
        }
        let text = url.as_str().to_owned();
        Self::new(url, text)
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The text, unchanged.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// The URL, without parts that may be secret.
    pub(super) fn shown(&self) -> String {
        shown(&self.text)
    }
}

/// Whether a text has only characters of URLs. Some readers treat `\` like `/`, and some ignore
/// spaces.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_graphic() && it != b'\\')
}

/// A URL, or an invalid text, without user, password, query and fragment.
pub(super) fn shown(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let text = &text[..end];
    let scheme = text.find("//").map_or(0, |at| at + 2);
    let (scheme, rest) = text.split_at(scheme);
    let authority = rest.find('/').unwrap_or(rest.len());
    let host = rest[..authority].rfind('@').map_or(0, |at| at + 1);
    printable(&format!("{scheme}{}", &rest[host..])).into_owned()
}
