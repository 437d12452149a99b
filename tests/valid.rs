//! What a client and a server say to each other, held to the JSON Schema of the revision in which they say it. A test's
//! driver shows each message to a [`Conversation`], which panics at the first that is not valid. Without `PLAINLY_SPEC`
//! there are no schemas, and everything passes.

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

/// The key of a request's `_meta` that makes it a modern one.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The key of a notification's `_meta` that makes it a modern one.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// All that is said on one stream, or in one HTTP request and its response.
#[derive(Debug, Default)]
pub struct Conversation {
    /// The revision of the session, once there is one.
    session: Option<Revision>,
    /// What the client asked and got no answer to yet, by id. Ids may come twice.
    open: HashMap<String, Vec<AnsweredRequest>>,
    /// What the server asked, by id.
    questions: HashMap<String, String>,
}

#[derive(Debug)]
struct AnsweredRequest {
    method: String,
    revision: Revision,
}

impl Conversation {
    /// Before anything is said.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Within a session that was opened before.
    #[must_use]
    pub fn of_session(revision: Revision) -> Self {
        Self {
            session: Some(revision),
            ..Self::default()
        }
    }

    /// Takes note of what the client says, good or bad.
    pub fn note(&mut self, bytes: &[u8]) {
        // Of what is not JSON the server will say what it is.
        let sent: Value = serde_json::from_slice(bytes).unwrap_or_default();
        for message in messages(&sent) {
            self.note_one(message);
        }
    }

    /// Takes what the client says.
    ///
    /// # Panics
    ///
    /// If it is not valid in its revision.
    pub fn said(&mut self, bytes: &[u8]) {
        self.check(bytes);
        self.note(bytes);
    }

    /// Looks at what the client is about to say.
    ///
    /// # Panics
    ///
    /// If it is not valid in its revision.
    pub fn check(&self, bytes: &[u8]) {
        for message in messages(&parse(bytes)) {
            self.check_said(message);
        }
    }

    /// Takes what the server says.
    ///
    /// # Panics
    ///
    /// If it is not valid in its revision.
    pub fn heard(&mut self, bytes: &[u8]) {
        let message = parse(bytes);
        check_words(&message);
        let may_be_batch = self.session == Some(Revision::V2025_03_26);
        assert!(may_be_batch || !message.is_array(), "{message}");
        for message in messages(&message) {
            self.hear(message);
        }
    }

    /// Takes what stands in an HTTP response of an error's status: in every revision that may be an error without an id.
    ///
    /// # Panics
    ///
    /// If it is neither that nor valid in its revision.
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

    /// The revision in which a message is written.
    fn revision_of(&self, message: &Value) -> Revision {
        let meta = &message["params"]["_meta"];
        let is_modern = meta.get(VERSION).is_some() || meta.get(SUBSCRIPTION).is_some();
        match self.session {
            Some(revision) if !is_modern => revision,
            // Whether anybody is there may be asked before there is a session.
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

    /// What a response answers. Of requests with equal ids, errors are for the last: it is refused while the first runs.
    fn answered(&mut self, response: &Value) -> Option<AnsweredRequest> {
        let open = self.open.get_mut(&response.get("id")?.to_string())?;
        match (response.get("error"), open.is_empty()) {
            (_, true) => None,
            (Some(_), false) => open.pop(),
            (None, false) => Some(open.remove(0)),
        }
    }
}

/// Checks a part of a message that the schema doesn't know to be one.
///
/// # Panics
///
/// If it is no `definition` of the revision.
pub fn check_as(revision: Revision, definition: &str, part: &Value) {
    check(revision, definition, part, part);
}

/// The messages of a batch, or the one that is none.
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

/// A request or a notification.
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

/// A response to a request of this method.
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
    // The schema's own response is either of the two, and whatever says that it asks for input does.
    let definition = match result["resultType"].as_str() {
        Some("input_required") => Some("InputRequiredResult".to_owned()),
        Some("complete") | None => schemas.result(method),
        // An extension may answer with a type of its own.
        Some(_) => None,
    };
    if let Some(definition) = definition {
        check(revision, &definition, result, message);
    }
}

/// A response to nobody knows what.
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
