//! What a server was sent, request by request.

use std::sync::{Arc, Mutex};

use http::HeaderMap;
use serde_json::json;

use crate::answer::Answer;
use crate::parameters;

/// A request that came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// Its query, as it was written; empty if there is none.
    pub query: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, as text.
    pub body: String,
}

impl Seen {
    /// A parameter of its form, or else of its query.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<String> {
        let all = [&self.body, &self.query].map(|it| parameters(it));
        let mut all = all.into_iter().flatten();
        all.find_map(|(it, value)| (it == name).then_some(value))
    }

    /// A header, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// A refusal that repeats its headers and its form, as they came and as they were meant.
    pub(crate) fn repeated(&self) -> Answer {
        let headers = ["authorization", "dpop"].map(|name| self.header(name).unwrap_or_default());
        let meant: Vec<_> = parameters(&self.body)
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        let all = format!("{} {} {}", headers.join(" "), meant.join(" "), self.body);
        Answer::json(400, &json!({ "error": all, "error_description": all }))
    }

    /// All of it, for a search.
    #[must_use]
    pub fn text(&self) -> String {
        let Self {
            method,
            path,
            query,
            headers,
            body,
        } = self;
        format!("{method} {path}?{query}\n{headers:?}\n{body}")
    }
}

/// All that came, in its order. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Record(Arc<Mutex<Vec<Seen>>>);

impl Record {
    pub(crate) fn keep(&self, seen: Seen) {
        self.0.lock().unwrap().push(seen);
    }

    /// All that came.
    #[must_use]
    pub fn all(&self) -> Vec<Seen> {
        self.0.lock().unwrap().clone()
    }

    /// What came to this path.
    #[must_use]
    pub fn at(&self, path: &str) -> Vec<Seen> {
        let mut all = self.all();
        all.retain(|it| it.path == path);
        all
    }

    /// How much came to this path.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        self.at(path).len()
    }

    /// How much came.
    #[must_use]
    pub fn total(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Whether this text came, anywhere.
    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        self.all().iter().any(|it| it.text().contains(text))
    }

    /// Forgets what came so far.
    pub fn clear(&self) {
        self.0.lock().unwrap().clear();
    }
}
