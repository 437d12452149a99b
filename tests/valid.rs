//! Messages of a client and a server, validated by the JSON Schema of their revision. A test's
//! driver passes each message to a [`Conversation`], which panics at the first invalid one. Without
//! `PLAINLY_SPEC` there are no schemas, and every message passes.

#[cfg_attr(not(feature = "schemas"), path = "valid/uncompiled.rs")]
mod compiled;
mod overheard;
mod schemas;

use std::collections::HashMap;
use std::slice;

use plainly::errors::Revision;
use serde_json::Value;

pub use self::overheard::overheard;
use self::schemas::{Schemas, schemas};
use crate::words::check_words;

/// The key in a request's `_meta` that makes the request modern.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The key in a notification's `_meta` that makes the notification modern.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// The messages of one stream, or of one HTTP request and its response.
#[derive(Debug, Default)]
pub struct Conversation {
    /// The revision of the session, once it is open.
    session: Option<Revision>,
    /// The client's unanswered requests by id. An id may occur twice.
    open: HashMap<String, Vec<AnsweredRequest>>,
    /// The methods of the server's requests by id.
    questions: HashMap<String, String>,
}

#[derive(Debug)]
struct AnsweredRequest {
    method: String,
    revision: Revision,
}

impl Conversation {
    /// A conversation without messages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A conversation in a session that is already open.
    #[must_use]
    pub fn of_session(revision: Revision) -> Self {
        Self {
            session: Some(revision),
            ..Self::default()
        }
    }

    /// Records a client's message, valid or not.
    pub fn note(&mut self, bytes: &[u8]) {
        // Text that is not JSON has no request to record; the server reports it.
        let sent: Value = serde_json::from_slice(bytes).unwrap_or_default();
        for message in messages(&sent) {
            self.note_one(message);
        }
    }

    /// Checks and records a client's message.
    ///
    /// # Panics
    ///
    /// Panics if the message is not valid in its revision.
    pub fn said(&mut self, bytes: &[u8]) {
        self.check(bytes);
        self.note(bytes);
    }

    /// Checks a client's message before it is sent.
    ///
    /// # Panics
    ///
    /// Panics if the message is not valid in its revision.
    pub fn check(&self, bytes: &[u8]) {
        for message in messages(&parse(bytes)) {
            self.check_said(message);
        }
    }

    /// Checks and records a server's message.
    ///
    /// # Panics
    ///
    /// Panics if the message is not valid in its revision.
    pub fn heard(&mut self, bytes: &[u8]) {
        let message = parse(bytes);
        check_words(&message);
        let may_be_batch = self.session == Some(Revision::V2025_03_26);
        assert!(may_be_batch || !message.is_array(), "{message}");
        for message in messages(&message) {
            self.hear(message);
        }
    }

    /// Checks the body of an HTTP response with an error status. In every revision it may be an
    /// error without an id.
    ///
    /// # Panics
    ///
    /// Panics if the body is neither such an error nor valid in its revision.
    pub fn refused(&mut self, bytes: &[u8]) {
        let message = parse(bytes);
        check_words(&message);
        if message.get("error").is_some() && message.get("id").is_none() {
            return check(Revision::LATEST, "JSONRPCErrorResponse", &message, &message);
        }
        self.heard(bytes);
    }

    fn note_one(&mut self, message: &Value) {
        let (Some(method), id) = (message["method"].as_str(), message.get("id")) else {
            return;
        };
        if let Some(id) = id {
            let asked = AnsweredRequest {
                method: method.to_owned(),
                revision: self.revision_of(message),
            };
            self.open.entry(id.to_string()).or_default().push(asked);
        } else if method == "notifications/cancelled" {
            let id = message["params"]["requestId"].to_string();
            self.open.entry(id).or_default().pop();
        }
    }

    /// The revision of a message.
    fn revision_of(&self, message: &Value) -> Revision {
        let meta = &message["params"]["_meta"];
        let is_modern = meta.get(VERSION).is_some() || meta.get(SUBSCRIPTION).is_some();
        match self.session {
            Some(revision) if !is_modern => revision,
            // A `ping` may precede a session.
            None if message["method"] == "ping" && !is_modern => Revision::LATEST_LEGACY,
            _ => Revision::LATEST,
        }
    }

    fn check_said(&self, message: &Value) {
        let mut revision = self.revision_of(message);
        if let Some(method) = message["method"].as_str() {
            if method == "initialize" {
                let version = message["params"]["protocolVersion"].as_str();
                revision = version.and_then(known).unwrap_or(Revision::LATEST_LEGACY);
            }
            check_message(revision, method, message);
        } else if let Some(method) = self.questions.get(&message["id"].to_string()) {
            check_response(revision, method, message);
        } else {
            panic!("nobody asked for {message}");
        }
    }

    fn hear(&mut self, message: &Value) {
        if let Some(method) = message["method"].as_str() {
            check_message(self.revision_of(message), method, message);
            if let Some(id) = message.get("id") {
                self.questions.insert(id.to_string(), method.to_owned());
            }
            return;
        }
        let Some(asked) = self.answered(message) else {
            let revision = self.revision_of(message);
            return check_envelope(revision, message);
        };
        let mut revision = asked.revision;
        if asked.method == "initialize"
            && let Some(opened) = message["result"]["protocolVersion"].as_str()
        {
            revision = known(opened).expect("a server opens a session of a revision");
            self.session = Some(revision);
        }
        check_response(revision, &asked.method, message);
    }

    /// Returns the request that a response answers. Among requests with equal ids, an error answers
    /// the last, which the server refuses while the first runs.
    fn answered(&mut self, response: &Value) -> Option<AnsweredRequest> {
        let open = self.open.get_mut(&response.get("id")?.to_string())?;
        match (response.get("error"), open.is_empty()) {
            (_, true) => None,
            (Some(_), false) => open.pop(),
            (None, false) => Some(open.remove(0)),
        }
    }
}

/// Checks a part of a message that the message's own schema does not cover, as in an extension.
///
/// # Panics
///
/// Panics if `part` is not valid by the `definition` of the revision.
pub fn check_as(revision: Revision, definition: &str, part: &Value) {
    check(revision, definition, part, part);
}

/// The messages of a batch, or the single message.
fn messages(sent: &Value) -> &[Value] {
    match sent.as_array() {
        Some(batch) => batch,
        None => slice::from_ref(sent),
    }
}

fn parse(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn known(version: &str) -> Option<Revision> {
    version.parse().ok()
}

/// Checks a request or a notification.
fn check_message(revision: Revision, method: &str, message: &Value) {
    let envelope = match message.get("id") {
        Some(_) => "JSONRPCRequest",
        None => "JSONRPCNotification",
    };
    check(revision, envelope, message, message);
    if let Some(definition) = schemas(revision).and_then(|schemas| schemas.message(method)) {
        check(revision, definition, message, message);
    }
}

/// Checks a response to a request of this method.
fn check_response(revision: Revision, method: &str, message: &Value) {
    check_envelope(revision, message);
    let Some(schemas) = schemas(revision) else {
        return;
    };
    if let Some(error) = message.get("error") {
        if let Some((definition, is_whole)) = schemas.error(&error["code"]) {
            let part = if is_whole { message } else { error };
            check(revision, definition, part, message);
        }
        return;
    }
    let result = &message["result"];
    // The schema's response accepts either result, so `resultType` selects the definition.
    let definition = match result["resultType"].as_str() {
        Some("input_required") => Some("InputRequiredResult".to_owned()),
        Some("complete") | None => schemas.result(method),
        // An extension may have results of its own type.
        Some(_) => None,
    };
    if let Some(definition) = definition {
        check(revision, &definition, result, message);
    }
}

/// Checks a response to an unknown request.
fn check_envelope(revision: Revision, message: &Value) {
    let names = match message.get("error") {
        Some(_) => ["JSONRPCErrorResponse", "JSONRPCError"],
        None => ["JSONRPCResultResponse", "JSONRPCResponse"],
    };
    let has = |name: &&str| schemas(revision).is_some_and(|schemas| schemas.has(name));
    if let Some(name) = names.iter().find(|name| has(name)) {
        check(revision, name, message, message);
    }
}

/// Checks a `part` of a `message`.
fn check(revision: Revision, definition: &str, part: &Value, message: &Value) {
    let faults = schemas(revision).map(|schemas| Schemas::faults(schemas, definition, part));
    let faults = faults.unwrap_or_default();
    assert!(
        faults.is_empty(),
        "no {definition} of {revision}: {message}\n{}",
        faults.join("\n")
    );
}
