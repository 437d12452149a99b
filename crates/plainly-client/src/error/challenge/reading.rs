//! Reads challenges within bounds, interprets their known parameters, and rejects invalid
//! challenges.

use std::collections::BTreeSet;

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, StatusCode};

use super::grammar::{self, WrittenChallenge};
use super::{Challenge, Challenges};

/// The most bytes of all values together that are read.
const MOST_BYTES: usize = 8 << 10;
/// The most scopes that a challenge may name.
const MOST_SCOPES: usize = 100;

impl Challenge {
    /// Reads the values of `WWW-Authenticate`. If there are several challenges, returns the one for
    /// a bearer token, which is what MCP uses. `None` if no challenge can be read.
    ///
    /// ```
    /// use plainly::client::Challenge;
    ///
    /// let challenge = Challenge::read([r#"Basic realm="a", Bearer scope="files:read""#]).unwrap();
    /// assert_eq!(challenge.scope.as_deref(), Some("files:read"));
    /// ```
    pub fn read<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        Self::main(&Self::read_all(values)).cloned()
    }

    /// All challenges, in their order. A challenge that repeats a parameter is left out. One that
    /// breaks the grammar is left out with the rest of its value.
    pub fn read_all<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        Challenges::read(values).readable
    }
}

impl Challenges {
    /// The challenges of a response with this status; none with a status that asks for no
    /// credentials.
    pub(crate) fn of(status: StatusCode, headers: &HeaderMap) -> Self {
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Self::default();
        }
        let values = headers.get_all(WWW_AUTHENTICATE).iter();
        let values: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        Self::read(values.iter().map(|value| &**value))
    }

    fn read<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut challenges = Self::default();
        let mut room = MOST_BYTES;
        for value in values {
            let Some(left) = room.checked_sub(value.len()) else {
                let why = format!("the challenges have more than {MOST_BYTES} bytes");
                challenges.malformed.push(why);
                break;
            };
            room = left;
            let (written, broken) = grammar::read(value);
            for challenge in &written {
                match Challenge::try_from(challenge) {
                    Ok(challenge) => challenges.readable.push(challenge),
                    Err(why) => challenges.reject(challenge, &why),
                }
            }
            if let Some((broken, why)) = broken {
                challenges.reject(&broken, why);
            }
        }
        challenges
    }

    fn reject(&mut self, challenge: &WrittenChallenge<'_>, why: &str) {
        let of = match challenge.scheme {
            "" => String::new(),
            scheme => format!(" for {scheme} credentials"),
        };
        let why = format!("a challenge{of} can't be read: {why}");
        self.malformed.push(why);
    }
}

impl TryFrom<&WrittenChallenge<'_>> for Challenge {
    type Error = String;

    fn try_from(written: &WrittenChallenge<'_>) -> Result<Self, String> {
        let mut challenge = Self {
            scheme: written.scheme.to_owned(),
            ..Self::default()
        };
        let mut names = BTreeSet::new();
        for (name, value) in &written.parameters {
            let name = name.to_ascii_lowercase();
            let member = match name.as_str() {
                "scope" => &mut challenge.scope,
                "resource_metadata" => &mut challenge.resource_metadata,
                "error" => &mut challenge.error,
                "error_description" => &mut challenge.error_description,
                "realm" => &mut challenge.realm,
                "algs" => &mut challenge.algs,
                _ => &mut None,
            };
            *member = Some(value.clone());
            if let Some(twice) = names.replace(name) {
                return Err(format!("{twice} is there twice"));
            }
        }
        challenge.check_scope()?;
        Ok(challenge)
    }
}

impl Challenge {
    /// Checks the scope by the rules of RFC 6749, 3.3. An empty scope counts as none.
    fn check_scope(&mut self) -> Result<(), String> {
        let is_allowed = |byte| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
        let scope = self.scope.as_deref().unwrap_or_default();
        if !scope.bytes().all(is_allowed) {
            return Err("its scope has a character that no scope may have".to_owned());
        }
        match self.scopes().count() {
            0 => self.scope = None,
            1..=MOST_SCOPES => {}
            _ => return Err(format!("it names more than {MOST_SCOPES} scopes")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
