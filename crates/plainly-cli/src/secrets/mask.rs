//! Masks the secrets in what passes between a client and a server: in messages by the names of their members, and what was
//! sent as a secret wherever it comes back. The shape of a message stays: it is as good a JSON as it was, on one line.

use std::borrow::Cow;

use http::HeaderMap;
use serde_json::Value;

use super::{MASK, Secrecy, credentials, is_random, is_setting, is_variable, secrecy, secret_in};

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

/// The parts that are masked besides the values of some names.
#[derive(Debug, Default)]
pub(crate) struct Mask {
    /// Secrets that this client sends.
    known: Vec<String>,
}

impl Mask {
    /// Masks this value from now on.
    fn learn(&mut self, secret: &str) {
        if secret.len() < LEAST || is_variable(secret) || self.known.iter().any(|it| it == secret) {
            return;
        }
        self.known.push(secret.to_owned());
        // A secret before those that are parts of it.
        self.known
            .sort_by_key(|known| std::cmp::Reverse(known.len()));
    }

    /// Masks what is secret in the headers of a request.
    pub(crate) fn learn_headers(&mut self, headers: &HeaderMap) {
        for (name, value) in headers.iter().filter(|(_, value)| value.is_sensitive()) {
            if let Ok(value) = value.to_str() {
                self.learn_header(name.as_str(), value);
            }
        }
    }

    /// Masks the value of a header, if it is a secret, and what follows its scheme.
    fn learn_header(&mut self, name: &str, value: &str) {
        if is_setting(name) || is_random(value) {
            self.learn(value);
        }
        if let Some(secret) = credentials(value) {
            self.learn(secret);
        }
    }

    /// Masks the value of a variable, if that has the name of a secret.
    pub(crate) fn learn_variable(&mut self, name: &str, value: &str) {
        if is_setting(name) {
            self.learn(value);
        }
    }

    /// Masks what is secret in the URL of a server wherever it comes back.
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

    /// Masks the secrets in the file of a host, of whatever server: what has the name of one or is below it, and what is one in
    /// URLs and commands.
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

    /// Masks a text, also as it stands in quotes, and line by line; a short one only in quotes of either kind.
    fn learn_written(&mut self, text: &str) {
        text.lines().for_each(|line| self.learn(line.trim()));
        let quoted = Value::from(text).to_string();
        self.learn(quoted.trim_matches('"'));
        if (1..LEAST).contains(&text.len()) {
            self.known.extend([quoted, format!("'{text}'")]);
        }
    }

    /// A text of a message without the secrets that this client sends, and without the names and passwords in URLs.
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

    /// A line of a file with settings: [`text`](Self::text), and of a comment nothing behind the name of a secret.
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

    /// The value of something with this name.
    pub(crate) fn named<'a>(&self, name: &str, value: &'a str) -> Cow<'a, str> {
        match secrecy(name) {
            Secrecy::None => self.passing(value),
            Secrecy::Texts | Secrecy::All => MASK.into(),
        }
    }

    /// This JSON on one line without secrets; `None` if it is no JSON.
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

/// The place of a value.
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
            // As it is: without it, nothing knows what the value is for.
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

    /// Writes a string that stands there as this JSON.
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

    /// The next character, after blanks.
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

/// Whether one text has another value of JSON than the other, which may differ in blanks alone.
fn is_other_json(one: &str, other: &str) -> bool {
    let value = |text| serde_json::from_str::<Value>(text).ok();
    one.contains(MASK) && value(one) != value(other)
}

/// The text without what stands before the host of each URL.
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
