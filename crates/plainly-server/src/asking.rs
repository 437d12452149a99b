//! Questions to the client before a request is answered. They are implemented once: a handler waits
//! for an answer, and one of these channels delivers it.
//!
//! ```text
//!             ┌─► rounds    the request is answered with the questions, and sent again with the answers (modern)
//! questions ──┼─► sent      each question is a request of the server, on the stream of the call (legacy)
//!             └─► a task    the questions stand in its record, and its client answers them there
//! ```
//!
//! Handlers use [`Ask`](super::extract::Ask); [`request`](super::request) chooses the channel of a
//! request.

mod reading;
mod typed;

mod questions;

mod binding;
mod rounds;

mod sent;

use plainly_errors::ProtocolError;
use plainly_protocol::peer::Peer;
use plainly_protocol::question::undeclared;
use plainly_protocol::types::InputRequiredResult;
use serde_json::{Map, Value, json};

pub(super) use self::binding::{Seals, Subject};
pub(super) use self::questions::{Question, Questions};
pub(super) use self::reading::{InputResponse, read};
pub(super) use self::rounds::{Rounds, returned, returned_for, too_many};
pub(super) use self::sent::{SentQuestion, SentQuestions};
pub(super) use self::typed::form_of;
pub use super::failure::{AskError, AskErrorKind};

/// Checks that `peer` declared every capability that these questions need.
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
