//! Masks the secrets in what passes between a client and a server: in messages by the names of their members, in all texts by
//! what these look like, and whatever was a secret once, wherever it comes back. The shape of a message stays: it is as good a
//! JSON as it was, on one line.

use std::borrow::Cow;

pub(crate) use super::secrets::MASK;
use super::secrets::{self, Secrecy, secrecy};

/// The fewest characters of a secret that is looked for everywhere: shorter ones are in every text.
const LEAST: usize = 6;

/// The members of JSON Schema whose own members are named by the one who wrote the schema.
const SCHEMAS: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependentRequired",
];

/// What is masked besides what looks like a secret.
#[derive(Debug, Default)]
pub(crate) struct Mask {
    /// Secrets that this client sends.
    known: Vec<String>,
}

impl Mask {
    /// Masks this value from now on, and each of its words.
    pub(crate) fn learn(&mut self, secret: &str) {
        let words = secret.split_whitespace().filter(|word| *word != secret);
        for part in [secret].into_iter().chain(words) {
            if part.len() >= LEAST && !self.known.iter().any(|known| known == part) {
                self.known.push(part.to_owned());
            }
        }
        // A secret before those that are parts of it.
        self.known
            .sort_by_key(|known| std::cmp::Reverse(known.len()));
    }

    /// Masks what is secret in the URL of a server wherever it comes back.
    pub(crate) fn learn_url(&mut self, url: &str) {
        let (rest, query) = url.split_once('?').unwrap_or((url, ""));
        let authority = rest.split('/').nth(2).unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@') {
            user.split(':').for_each(|part| self.learn(part));
        }
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            if secrecy(name) != Secrecy::Looks {
                self.learn(value);
            }
        }
    }

    /// The text without secrets.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        for known in &self.known {
            if masked.contains(known) {
                masked = masked.replace(known, MASK).into();
            }
        }
        match secrets::masked(&masked) {
            Some(more) => more.into(),
            None => masked,
        }
    }

    /// The value of something with this name.
    pub(crate) fn named<'a>(&self, name: &str, value: &'a str) -> Cow<'a, str> {
        match secrecy(name) {
            Secrecy::Looks => self.text(value),
            Secrecy::Texts | Secrecy::All => MASK.into(),
        }
    }

    /// The words of a command without secrets: neither within a word nor as the value of an option before it.
    pub(crate) fn words(&self, words: &[String]) -> Vec<String> {
        let mut is_secret = false;
        let mut masked = Vec::new();
        for word in words {
            let is_name = word.starts_with('-') && secrecy(word) != Secrecy::Looks;
            let was_secret = std::mem::replace(&mut is_secret, is_name);
            masked.push(match was_secret {
                true => MASK.to_owned(),
                false => self.text(word).into_owned(),
            });
        }
        masked
    }

    /// The same JSON on one line without secrets; `None` if it is none.
    pub(crate) fn json(&self, bytes: &[u8]) -> Option<String> {
        let json = str::from_utf8(bytes).ok()?;
        // Only what is valid is walked through, and not too deep.
        let _: serde::de::IgnoredAny = serde_json::from_str(json).ok()?;
        let mut walk = Walk {
            mask: self,
            rest: json,
            out: String::with_capacity(json.len()),
        };
        walk.value(Place::default());
        Some(walk.out)
    }
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// By the names that it is under.
    secrecy: Secrecy,
    /// In the place of a schema's named schemas.
    has_schemas: bool,
}

/// A walk through valid JSON, which is written out without blanks.
#[derive(Debug)]
struct Walk<'a> {
    mask: &'a Mask,
    rest: &'a str,
    out: String,
}

impl Walk<'_> {
    fn value(&mut self, place: Place) {
        match self.next() {
            Some('{') => self.members(place),
            Some('[') => self.elements(place),
            Some('"') => {
                let text = self.string();
                self.text(text, place.secrecy >= Secrecy::Texts);
            }
            _ => {
                let end = self.rest.find([',', ']', '}']).unwrap_or(self.rest.len());
                let (scalar, rest) = self.rest.split_at(end);
                self.rest = rest;
                let scalar = scalar.trim_end();
                let is_number = scalar.starts_with(|it: char| it == '-' || it.is_ascii_digit());
                match place.secrecy == Secrecy::All && is_number {
                    true => self.text("\"\"", true),
                    false => self.out.push_str(scalar),
                }
            }
        }
    }

    fn members(&mut self, place: Place) {
        self.put('{');
        while self.next() == Some('"') {
            let name = self.string();
            let decoded: String = serde_json::from_str(name).unwrap_or_default();
            self.text(name, false);
            self.next();
            self.put(':');
            let is_schema = place.has_schemas && matches!(self.next(), Some('{' | '['));
            let secrecy = match is_schema {
                true => Secrecy::Looks,
                false => place.secrecy.max(secrecy(&decoded)),
            };
            self.value(Place {
                secrecy,
                has_schemas: SCHEMAS.contains(&&*decoded),
            });
            if self.next() == Some(',') {
                self.put(',');
            }
        }
        self.put('}');
    }

    fn elements(&mut self, place: Place) {
        self.put('[');
        let place = Place {
            has_schemas: false,
            ..place
        };
        while !matches!(self.next(), Some(']') | None) {
            self.value(place);
            if self.next() == Some(',') {
                self.put(',');
            }
        }
        self.put(']');
    }

    /// Writes a string that stands there as this JSON.
    fn text(&mut self, json: &str, is_secret: bool) {
        let decoded: String = serde_json::from_str(json).unwrap_or_default();
        let masked = match is_secret {
            true => MASK.into(),
            false => self.mask.text(&decoded),
        };
        match masked == decoded {
            true => self.out.push_str(json),
            false => self
                .out
                .push_str(&serde_json::Value::from(masked).to_string()),
        }
    }

    /// What comes next, after blanks.
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Writes a sign that comes next.
    fn put(&mut self, sign: char) {
        self.rest = self.rest.strip_prefix(sign).unwrap_or(self.rest);
        self.out.push(sign);
    }
}

impl<'a> Walk<'a> {
    /// Takes the string that comes next, with its quotes.
    fn string(&mut self) -> &'a str {
        let mut is_escaped = false;
        let mut signs = self.rest.char_indices().skip(1);
        let end = signs.find(|(_, sign)| {
            let ends = *sign == '"' && !is_escaped;
            is_escaped = *sign == '\\' && !is_escaped;
            ends
        });
        let end = end.map_or(self.rest.len(), |(at, _)| at + 1);
        let (string, rest) = self.rest.split_at(end);
        self.rest = rest;
        string
    }
}

#[cfg(test)]
mod tests;
