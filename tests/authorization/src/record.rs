//! The requests that a server received.

use std::sync::{Arc, Mutex};

use http::HeaderMap;
use serde_json::json;

use crate::answer::Answer;
use crate::parameters;

/// A received request.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The query as sent; empty if there is none.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as text.
    pub body: String,
}

impl Seen {
    /// A parameter of the form, or else of the query.
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

    /// An error that repeats the headers and the form, both as sent and decoded.
    pub(crate) fn repeated(&self) -> Answer {
        let headers = ["authorization", "dpop"].map(|name| self.header(name).unwrap_or_default());
        let meant: Vec<_> = parameters(&self.body)
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        let all = format!("{} {} {}", headers.join(" "), meant.join(" "), self.body);
        Answer::json(400, &json!({ "error": all, "error_description": all }))
    }

    /// The whole request as text, for searching.
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

/// All received requests, in order. Clones share the record.
#[derive(Clone, Debug, Default)]
pub struct Record(Arc<Mutex<Vec<Seen>>>);

impl Record {
    pub(crate) fn keep(&self, seen: Seen) {
        self.0.lock().unwrap().push(seen);
    }

    /// All requests.
    #[must_use]
    pub fn all(&self) -> Vec<Seen> {
        self.0.lock().unwrap().clone()
    }

    /// The requests to this path.
    #[must_use]
    pub fn at(&self, path: &str) -> Vec<Seen> {
        let mut all = self.all();
        all.retain(|it| it.path == path);
        all
    }

    /// The number of requests to this path.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        self.at(path).len()
    }

    /// The number of all requests.
    #[must_use]
    pub fn total(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Whether any request contains this text.
    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        self.all().iter().any(|it| it.text().contains(text))
    }

    /// Removes all requests.
    pub fn clear(&self) {
        self.0.lock().unwrap().clear();
    }
}
