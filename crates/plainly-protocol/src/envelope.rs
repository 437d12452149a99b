//! From bytes to a borrowed JSON-RPC message: one scan that settles UTF-8, grammar, duplicate keys and limits and notes
//! where each member stands.
//!
//! First room on the way of a message. The values of `id`, `params`, `result` and `error` stay raw JSON until somebody
//! needs them. Knows no method, no revision and no transport: whether batches are welcome, and who is told about a
//! malformed message, is decided by the caller.

mod cursor;
mod defect;
mod found;
mod malformed;
mod message;
mod object;
mod read;
mod scan;
mod search;

pub use malformed::{MalformedKind, MalformedMessage};
pub use message::{Message, Notification, Outcome, Request, Response};
pub use object::Object;
pub use search::IdSearch;

use defect::{Defect, Fault};
use scan::Scanner;

/// Bounds on one frame. What goes beyond is well-formed but refused: an invalid request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Arrays and objects around a value, the message's own object and the array of a batch included. 64.
    pub depth: usize,
    /// Members of any one object. 10,000.
    pub members_per_object: usize,
    /// Values in the whole frame, of any kind and at any depth. 200,000.
    pub nodes: usize,
    /// Messages in a batch. 1,000.
    pub batch_messages: usize,
    /// Bytes of a method's name, escapes decoded. 256.
    pub method_bytes: usize,
    /// Bytes of an id that is a string, escapes decoded. 1,024.
    pub id_bytes: usize,
}

impl Limits {
    /// For text that has been scanned before.
    pub(crate) const UNLIMITED: Self = Self {
        depth: usize::MAX,
        members_per_object: usize::MAX,
        nodes: usize::MAX,
        batch_messages: usize::MAX,
        method_bytes: usize::MAX,
        id_bytes: usize::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 64,
            members_per_object: 10_000,
            nodes: 200_000,
            batch_messages: 1_000,
            method_bytes: 256,
            id_bytes: 1024,
        }
    }
}

/// The content of one frame of a transport (basic/index, "Messages").
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC has messages and batches of them"
)]
pub enum Envelope<'a> {
    /// One message.
    Single(Message<'a>),
    /// The elements of an array, which isn't empty, each judged by itself.
    Batch(Vec<Result<Message<'a>, MalformedMessage<'a>>>),
}

/// Reads `bytes` as one message or a batch.
///
/// Strict in what JSON is (RFC 8259; no byte order mark) and what it takes of it (no lone surrogate, no number beyond the
/// range of a 64-bit float), and lenient in what it doesn't know: other members of a message are ignored, once they are well-formed and
/// without duplicate keys.
///
/// # Errors
///
/// [`MalformedKind`] says which error when. Bad JSON anywhere, or too much of it, fails a batch as a whole; any other
/// fault fails its element.
pub fn parse<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Envelope<'a>, MalformedMessage<'a>> {
    let mut read = envelope(bytes, limits);
    // In place: what is good is not moved once more.
    if let Err(malformed) = &mut read {
        malformed.is_within(bytes);
    }
    read
}

fn envelope<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Envelope<'a>, MalformedMessage<'a>> {
    // Once, for the whole frame: every slice of it below is then text for free.
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Defect::new(&Fault::Is("it is not UTF-8"), error.valid_up_to()).into_parse()
    })?;
    let mut scanner = Scanner::new(text, limits);
    // Whether the sender's revision has batches isn't known yet: only its message or its session says who it is.
    if scanner.starts_array() {
        return parse_batch(scanner, text, limits).map(Envelope::Batch);
    }
    let message = scanner
        .value()
        .and_then(|value| scanner.end().map(|()| value));
    message::judge(message.map_err(Defect::into_parse)?, limits).map(Envelope::Single)
}

type Batch<'a> = Vec<Result<Message<'a>, MalformedMessage<'a>>>;

fn parse_batch<'a>(
    mut scanner: Scanner<'a, '_>,
    text: &'a str,
    limits: &Limits,
) -> Result<Batch<'a>, MalformedMessage<'a>> {
    let mut batch = Vec::new();
    let mut excess = None;
    while let Some(element) = scanner.element().map_err(Defect::into_parse)? {
        let too_much = if batch.len() == limits.batch_messages {
            &Fault::Is("the batch has too many messages")
        } else if scanner.is_over_nodes() {
            &Fault::Is("there are too many values")
        } else {
            let mut message = message::judge(element, limits);
            if let Err(malformed) = &mut message {
                malformed.is_within(text.as_bytes());
            }
            batch.push(message);
            continue;
        };
        // The rest must still be JSON, or the error is another one.
        excess = excess.or(Some(Defect::new(too_much, scanner.at())));
    }
    scanner.end().map_err(Defect::into_parse)?;
    match excess {
        Some(defect) => Err(defect.into_invalid_request(None, false)),
        None if batch.is_empty() => {
            Err(Defect::new(&Fault::Is("the batch is empty"), 0).into_invalid_request(None, false))
        }
        None => Ok(batch),
    }
}

/// Reads `text`, which must be one JSON object, as the scan of a whole message reads `params`.
///
/// # Errors
///
/// [`MalformedKind::Parse`] if it isn't JSON, [`MalformedKind::InvalidRequest`] if it is no object, has duplicate keys
/// or goes beyond `limits`.
pub fn parse_object<'a>(
    text: &'a str,
    limits: &Limits,
) -> Result<Object<'a>, MalformedMessage<'a>> {
    let mut read = object(text, limits);
    if let Err(malformed) = &mut read {
        malformed.is_within(text.as_bytes());
    }
    read
}

fn object<'a>(text: &'a str, limits: &Limits) -> Result<Object<'a>, MalformedMessage<'a>> {
    let mut scanner = Scanner::new(text, limits);
    let value = scanner
        .value()
        .and_then(|value| scanner.end().map(|()| value));
    let value = value.map_err(Defect::into_parse)?;
    match (value.fault, value.members) {
        (Some(fault), _) => Err(fault.into_invalid_request(None, false)),
        (None, Some(members)) => Ok(Object::new(value.raw, members)),
        (None, None) => {
            let fault = &Fault::Is("it is not an object");
            Err(Defect::new(fault, value.at).into_invalid_request(None, false))
        }
    }
}
