//! A token, a password or a key. It is not shown in logs, is compared in constant time, and is
//! wiped when dropped.

use std::cmp::Reverse;
use std::fmt;

use serde::{Deserialize, Deserializer};
use subtle::ConstantTimeEq;
use url::form_urlencoded;
use zeroize::Zeroizing;

/// A secret text. It has neither `Display` nor `Serialize`, and its `Debug` does not show the text.
///
/// ```
/// use plainly_oauth::Secret;
///
/// let token = Secret::new("t0ken");
/// assert_eq!(format!("{token:?}"), "Secret(…)");
/// assert_eq!(token.expose(), "t0ken");
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// The text as a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text itself. Use it only for the request that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// The text that replaces a secret.
const HIDDEN: &str = "***";

/// Replaces these secrets in a text, both unchanged and form-encoded, because a server may repeat
/// them.
pub(crate) fn hide<'a>(secrets: impl IntoIterator<Item = &'a Secret>, text: &str) -> String {
    let mut hidden: Vec<_> = secrets
        .into_iter()
        .filter(|secret| !secret.expose().is_empty())
        .flat_map(|secret| {
            let encoded = form_urlencoded::byte_serialize(secret.expose().as_bytes());
            [secret.clone(), Secret::new(encoded.collect::<String>())]
        })
        .collect();
    // Longer secrets come first, because shorter ones may be parts of them.
    hidden.sort_by_key(|secret| Reverse(secret.expose().len()));
    let mut text = text.to_owned();
    for secret in hidden {
        text = text.replace(secret.expose(), HIDDEN);
    }
    text
}

/// The time depends only on the lengths.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_however_they_are_repeated() {
        let secrets = ["s3cret", "s3cret-and-more", "a b/c", ""].map(Secret::new);
        for (text, expected) in [
            ("nothing", "nothing"),
            ("s3cret is bad, s3cret!", "*** is bad, ***!"),
            ("not s3cret-and-more", "not ***"),
            ("x=a+b%2Fc&y=a b/c", "x=***&y=***"),
        ] {
            assert_eq!(hide(&secrets, text), expected);
        }
    }
}
