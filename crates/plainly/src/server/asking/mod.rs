//! Asking the client before a request is answered, written once: a handler waits for an answer, and one of these ways brings
//! it.
//!
//! ```text
//!             ┌─► rounds    the request is answered with the questions, and sent again with the answers (modern)
//! questions ──┼─► requests  each question is a request of ours, on the request's own stream (legacy)
//!             └─► a task    the questions stand in its record, and its client answers them there
//! ```
//!
//! [`Ask`](super::extract::Ask) is what handlers see of it.

mod error;
mod reading;
mod typed;

mod questions;

mod binding;
mod rounds;

mod requests;

use plainly_errors::ProtocolError;
use plainly_protocol::peer::Peer;
use plainly_protocol::question::undeclared;
use plainly_protocol::types::{InputRequest, InputRequiredResult};
use serde_json::{Map, Value, json};

pub(super) use self::binding::{Seals, Subject};
pub use self::error::{AskError, AskErrorKind};
use self::questions::Question;
pub(super) use self::questions::Questions;
pub(super) use self::reading::{Answer, read};
pub(super) use self::requests::Unanswered;
pub(super) use self::rounds::{Rounds, returned};
pub(super) use self::typed::form_of;
use super::scope::Scope;

/// Whether `peer` declared all that it takes to be asked this.
pub(super) fn check_asked(asked: &InputRequiredResult, peer: &Peer) -> Result<(), ProtocolError> {
    let questions = asked.input_requests.values();
    let mut missing = Map::new();
    for (capability, parts) in questions.filter_map(|one| undeclared(one, peer)).flatten() {
        match (
            missing.entry(capability).or_insert_with(|| json!({})),
            parts,
        ) {
            (Value::Object(all), Value::Object(parts)) => all.extend(parts),
            (all, parts) => *all = parts,
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(ProtocolError::missing_client_capability(missing))
}

impl Scope {
    /// Asks the client `question`, and waits for its answer by whichever way there is.
    pub(super) async fn ask(&self, key: &str, question: InputRequest) -> Result<Answer, AskError> {
        if let Some(missing) = undeclared(&question, self.peer()) {
            return Err(AskError::undeclared(missing));
        }
        match self.session() {
            Some(session) => requests::ask(self, session, key, question).await,
            None => Question::open(self, key, question)?.await,
        }
    }
}
