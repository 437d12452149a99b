//! A key for programs without an authorization server. It is random, with a checksum that separates
//! typing mistakes from unknown keys, and a prefix that scanners of source code find.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use plainly_oauth::{Secret, random_text};
use ring::digest::SHA256;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The prefix of every key.
pub(super) const PREFIX: &str = "plk_";
/// The number of letters of the random part, and of the checksum.
const RANDOM: usize = 43;
const SUM: usize = 6;

/// The SHA-256 of a token.
pub(super) type TokenDigest = [u8; 32];

/// A new key, and its row for the list.
#[derive(Debug)]
#[non_exhaustive]
pub struct ApiKey {
    /// The key itself, which is shown once and not stored.
    pub secret: Secret,
    /// The row for the list of keys.
    pub row: KeyRow,
}

/// The entry of a key in the list, which identifies the key but can't be used as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyRow {
    /// The name of the key's holder.
    pub(super) name: String,
    /// The SHA-256 of the key, in hexadecimal digits.
    pub(super) sha256: String,
    /// The scopes of the key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) scopes: Vec<String>,
    /// The end of the key, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(super) expires: Option<KeyEnd>,
}

/// The end of a key, in seconds since 1970: written in the list as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyEnd(pub(super) u64);

impl ApiKey {
    /// A new key.
    pub fn generate(
        name: impl Into<String>,
        scopes: impl IntoIterator<Item = String>,
        expires: Option<SystemTime>,
    ) -> Self {
        let since_1970 = |at: SystemTime| at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let random = random_text();
        let secret = Secret::new(format!("{PREFIX}{random}{}", sum(&random)));
        let sha256 = digest(secret.expose()).map(|byte| format!("{byte:02x}"));
        Self {
            row: KeyRow {
                name: name.into(),
                sha256: sha256.concat(),
                scopes: scopes.into_iter().collect(),
                expires: expires.map(|at| KeyEnd(since_1970(at).as_secs())),
            },
            secret,
        }
    }
}

impl KeyRow {
    /// The name of the key's holder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The scopes of the key.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// The end of the key, if it has one.
    pub fn expires(&self) -> Option<SystemTime> {
        let KeyEnd(at) = self.expires?;
        UNIX_EPOCH.checked_add(Duration::from_secs(at))
    }

    /// The digest, if it is valid.
    pub(super) fn digest(&self) -> Option<TokenDigest> {
        let digits = self.sha256.as_bytes();
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(self.sha256.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(digest)
    }
}

impl Serialize for KeyEnd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let seconds = i64::try_from(self.0).unwrap_or(i64::MAX);
        let at = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
        serializer.collect_str(&at)
    }
}

impl<'de> Deserialize<'de> for KeyEnd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let at: Timestamp = text.parse().map_err(|_| {
            D::Error::custom(format!(
                "{text:?} is not a time such as 2027-01-31T00:00:00Z"
            ))
        })?;
        // A time before 1970 is in the past in any case.
        Ok(Self(u64::try_from(at.as_second()).unwrap_or_default()))
    }
}

/// Whether a token looks like such a key.
pub(super) fn is_meant(token: &str) -> bool {
    token.starts_with(PREFIX)
}

/// Whether a token has the form of such a key.
pub(super) fn is_well_formed(token: &str) -> bool {
    let rest = token.strip_prefix(PREFIX);
    let parts = rest.and_then(|rest| rest.split_at_checked(RANDOM));
    parts.is_some_and(|(random, given)| given == sum(random))
}

pub(super) fn digest(token: &str) -> TokenDigest {
    let mut fixed = [0; 32];
    fixed.copy_from_slice(ring::digest::digest(&SHA256, token.as_bytes()).as_ref());
    fixed
}

fn sum(random: &str) -> String {
    let digest = digest(&format!("{PREFIX}{random}"));
    let digits = digest[..SUM / 2].iter();
    digits.map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_known_by_its_form_and_by_its_digest() {
        let key = ApiKey::generate("ci", ["a".to_owned()], None);
        let text = key.secret.expose();
        assert!(is_meant(text) && is_well_formed(text), "{}", text.len());
        assert_eq!(text.len(), 4 + RANDOM + SUM);
        assert_eq!(key.row.digest(), Some(digest(text)));
        assert!(!format!("{key:?}").contains(&text[4..]));
        let mut typed = text.to_owned();
        typed.replace_range(10..11, if &text[10..11] == "a" { "b" } else { "a" });
        for wrong in [
            &typed,
            &text[..text.len() - 1],
            &text[4..],
            "plk_",
            "",
            "plk_ü",
        ] {
            assert!(!is_well_formed(wrong), "{wrong}");
        }
        assert!(!is_well_formed(&format!("{text}\n")));
    }

    #[test]
    fn only_a_whole_digest_is_one() {
        for (text, is_one) in [
            ("ab".repeat(32), true),
            ("ab".repeat(31), false),
            ("xy".repeat(32), false),
            ("+1".repeat(32), false),
        ] {
            let mut row = ApiKey::generate("ci", [], None).row;
            row.sha256 = text;
            assert_eq!(row.digest().is_some(), is_one, "{}", row.sha256);
        }
    }
}
