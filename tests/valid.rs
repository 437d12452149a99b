//! What a client and a server say to each other, held to the JSON Schema of the revision in which they say it. A test's
//! driver shows each message to a [`Conversation`], which panics at the first that is not valid. Without `PLAINLY_SPEC`
//! there are no schemas, and everything passes.

mod overheard;
mod schemas;

use std::collections::HashMap;

use plainly::errors::Revision;
use serde_json::Value;

pub use self::overheard::overheard;
use self::schemas::{Schemas, schemas};

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
    open: HashMap<String, Vec<Asked>>,
    /// What the server asked, by id.
    questions: HashMap<String, String>,
}

#[derive(Debug)]
struct Asked {
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
        match serde_json::from_slice(bytes) {
            Ok(Value::Array(batch)) => batch.iter().for_each(|message| self.note_one(message)),
            Ok(message) => self.note_one(&message),
            // The server will say what it makes of it.
            Err(_not_json) => {}
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
        match parse(bytes) {
            Value::Array(batch) => batch.iter().for_each(|message| self.check_said(message)),
            message => self.check_said(&message),
        }
    }

    /// Takes what the server says.
    ///
    /// # Panics
    ///
    /// If it is not valid in its revision.
    pub fn heard(&mut self, bytes: &[u8]) {
        match parse(bytes) {
            Value::Array(batch) => {
                assert_eq!(self.session, Some(Revision::V2025_03_26), "{batch:?}");
                batch.iter().for_each(|message| self.hear(message));
            }
            message => self.hear(&message),
        }
    }

    /// Takes what stands in an HTTP response of an error's status: in every revision that may be an error without an id.
    ///
    /// # Panics
    ///
    /// If it is neither that nor valid in its revision.
    pub fn refused(&mut self, bytes: &[u8]) {
        let message = parse(bytes);
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
            let asked = Asked {
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
    fn answered(&mut self, response: &Value) -> Option<Asked> {
        let open = self.open.get_mut(&response.get("id")?.to_string())?;
        match (response.get("error"), open.is_empty()) {
            (_, true) => None,
            (Some(_), false) => open.pop(),
            (None, false) => Some(open.remove(0)),
        }
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
    let named = match message.get("error") {
        Some(error) => {
            let named = schemas.error(&error["code"]);
            named.map(|(definition, whole)| (definition.to_owned(), whole, error))
        }
        None if is_of_an_extension(&message["result"]) => None,
        None => {
            let named = schemas.answer(method);
            named.map(|(definition, whole)| (definition, whole, &message["result"]))
        }
    };
    if let Some((definition, whole, part)) = named {
        check(
            revision,
            &definition,
            if whole { message } else { part },
            message,
        );
    }
}

/// An extension may answer with a type of its own.
fn is_of_an_extension(result: &Value) -> bool {
    let of_result = result["resultType"].as_str();
    of_result.is_some_and(|name| !["complete", "input_required"].contains(&name))
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
