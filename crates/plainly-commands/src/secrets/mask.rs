//! Masks the secrets in the messages between a client and a server: values by the names of their
//! members, and secrets that were sent, wherever they occur. The shape of a message is preserved:
//! valid JSON stays valid, on one line.

use std::borrow::Cow;

use http::HeaderMap;
use serde_json::Value;

use super::{MASK, Secrecy, credentials, is_random, is_setting, is_variable, secrecy, secret_in};

/// The fewest characters of a secret that is masked everywhere, because shorter ones occur in any
/// text.
const LEAST: usize = 6;

/// The members of JSON Schema whose own members have names that the author of the schema chose.
const SCHEMAS: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependentRequired",
];

/// The secrets that are masked, in addition to the values of some names.
#[derive(Debug, Default)]
pub(crate) struct Mask {
    /// The secrets that this client sends.
    known: Vec<String>,
}

impl Mask {
    /// Masks this value from now on.
    fn learn(&mut self, secret: &str) {
        if secret.len() < LEAST || is_variable(secret) || self.known.iter().any(|it| it == secret) {
            return;
        }
        self.known.push(secret.to_owned());
        // Longer secrets come first, because shorter ones may be parts of them.
        self.known
            .sort_by_key(|known| std::cmp::Reverse(known.len()));
    }

    /// Masks the secrets in the headers of a request.
    pub(crate) fn learn_headers(&mut self, headers: &HeaderMap) {
        for (name, value) in headers.iter().filter(|(_, value)| value.is_sensitive()) {
            if let Ok(value) = value.to_str() {
                self.learn_header(name.as_str(), value);
            }
        }
    }

    /// Masks the value of a header if it is secret, and the credentials after its scheme.
    fn learn_header(&mut self, name: &str, value: &str) {
        if is_setting(name) || is_random(value) {
            self.learn(value);
        }
        if let Some(secret) = credentials(value) {
            self.learn(secret);
        }
    }

    /// Masks the value of a variable, if its name is that of a secret.
    pub(crate) fn learn_variable(&mut self, name: &str, value: &str) {
        if is_setting(name) {
            self.learn(value);
        }
    }

    /// Masks the secrets in the URL of a server, wherever they occur.
    pub(crate) fn learn_url(&mut self, url: &str) {
        if !url.contains("://") {
            return;
        }
        let (rest, query) = url.split_once('?').unwrap_or((url, ""));
        let mut parts = rest.split('/').skip(2);
        let authority = parts.next().unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@') {
            user.split(':').for_each(|part| self.learn(part));
        }
        parts
            .filter(|part| is_random(part))
            .for_each(|part| self.learn(part));
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            self.learn_variable(name, value);
        }
    }

    /// Masks the secrets of any server in a host's file: the values whose name, or a name above, is
    /// that of a secret, and the secrets in URLs and commands.
    pub(crate) fn learn_settings(&mut self, file: &Value) {
        self.learn_setting(file, false);
    }

    fn learn_setting(&mut self, value: &Value, is_secret: bool) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    self.learn_setting(value, is_secret || is_setting(name));
                }
            }
            Value::Array(items) => {
                let mut before = "";
                for item in items {
                    let word = item.as_str().unwrap_or_default();
                    if let Some(secret) = secret_in(before, word) {
                        self.learn_written(secret);
                    }
                    self.learn_setting(item, is_secret);
                    before = word;
                }
            }
            Value::String(text) if is_secret => self.learn_written(text),
            Value::String(text) => {
                self.learn_url(text);
                credentials(text).into_iter().for_each(|it| self.learn(it));
            }
            Value::Number(number) if is_secret => self.learn(&number.to_string()),
            Value::Number(_) | Value::Bool(_) | Value::Null => {}
        }
    }

    /// Masks a text, also in quoted form and line by line. A short text is only masked in quotation
    /// marks of either kind.
    fn learn_written(&mut self, text: &str) {
        text.lines().for_each(|line| self.learn(line.trim()));
        let quoted = Value::from(text).to_string();
        self.learn(quoted.trim_matches('"'));
        if (1..LEAST).contains(&text.len()) {
            self.known.extend([quoted, format!("'{text}'")]);
        }
    }

    /// The text of a message without the secrets that this client sends, and without user names and
    /// passwords in URLs.
    fn passing<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match without_users(text) {
            Cow::Borrowed(text) => self.text(text),
            Cow::Owned(text) => self.text(&text).into_owned().into(),
        }
    }

    /// The text without the secrets that this client sends.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for known in &self.known {
            if text.contains(known) {
                let quote = known.get(..1).filter(|it| ["\"", "'"].contains(it));
                let quote = quote.unwrap_or_default();
                text = text.replace(known, &format!("{quote}{MASK}{quote}")).into();
            }
        }
        text
    }

    /// A line of a settings file, masked like [`text`](Self::text). In a comment, everything after
    /// the name of a secret is masked, too.
    pub(crate) fn comment<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let written = line.trim_start_matches(['+', '-', ' ', '\t']);
        let is_comment = ["//", "/*", "*", "#"]
            .iter()
            .any(|it| written.starts_with(it));
        let named = line.split_once([':', '=']);
        match named.filter(|(name, _)| is_comment && is_setting(name)) {
            Some((name, _)) => format!("{name}: {MASK}\n").into(),
            None => self.text(line),
        }
    }

    /// The value with this name.
    pub(crate) fn named<'a>(&self, name: &str, value: &'a str) -> Cow<'a, str> {
        match secrecy(name) {
            Secrecy::None => self.passing(value),
            Secrecy::Texts | Secrecy::All => MASK.into(),
        }
    }

    /// The JSON on one line without secrets; `None` if it is no JSON.
    pub(crate) fn json(&self, bytes: &[u8]) -> Option<String> {
        let json = str::from_utf8(bytes).ok()?;
        // Only valid JSON of limited depth is processed.
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

/// The context of a value.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The secrecy that the names above it require.
    secrecy: Secrecy,
    /// Whether its members are named schemas.
    has_schemas: bool,
}

/// Walks through valid JSON, and writes it without blanks.
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
            // The name is never masked, because the meaning of the value depends on it.
            self.out.push_str(name);
            self.next();
            self.put(':');
            let is_schema = place.has_schemas && matches!(self.next(), Some('{' | '['));
            let secrecy = match is_schema {
                true => Secrecy::None,
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

    /// Writes a string, which `json` contains.
    fn text(&mut self, json: &str, is_secret: bool) {
        let decoded: String = serde_json::from_str(json).unwrap_or_default();
        let masked = match is_secret {
            true => MASK.into(),
            false => self.mask.passing(&decoded),
        };
        // Tools repeat their structured results as text.
        let inner = self.mask.json(masked.as_bytes());
        let masked = match inner.filter(|inner| is_other_json(inner, &masked)) {
            Some(inner) => inner.into(),
            None => masked,
        };
        match masked == decoded {
            true => self.out.push_str(json),
            false => self.out.push_str(&Value::from(masked).to_string()),
        }
    }

    /// The next character after blanks.
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Writes the next character.
    fn put(&mut self, sign: char) {
        self.rest = self.rest.strip_prefix(sign).unwrap_or(self.rest);
        self.out.push(sign);
    }
}

impl<'a> Walk<'a> {
    /// Reads the next string, including its quotation marks.
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

/// Whether two texts are different JSON values. Other spacing is no difference.
fn is_other_json(one: &str, other: &str) -> bool {
    let value = |text| serde_json::from_str::<Value>(text).ok();
    one.contains(MASK) && value(one) != value(other)
}

/// The text without user names and passwords in its URLs.
fn without_users(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        let ends = |it: char| it.is_whitespace() || "/?#\"'<>\\".contains(it);
        let authority = &after[..after.find(ends).unwrap_or(after.len())];
        masked.push_str(before);
        rest = after;
        if let Some(user) = authority.rfind('@') {
            masked.push_str(MASK);
            rest = &after[user..];
        }
    }
    match masked.is_empty() {
        true => text.into(),
        false => (masked + rest).into(),
    }
}

#[cfg(test)]
mod tests;
