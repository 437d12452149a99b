//! The envelope: turns bytes into a borrowed JSON-RPC message. One scan checks UTF-8, grammar,
//! duplicate keys and limits, and notes where each member is.
//!
//! This is the first step for every message. The values of `id`, `params`, `result` and `error`
//! stay raw JSON until a caller reads them. This module knows no methods, revisions or transports:
//! the caller decides whether batches are accepted and who gets an error about a malformed message.

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

/// Limits for one frame. JSON beyond them is rejected as an invalid request, although it is
/// well-formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum nesting of arrays and objects, including the message's own object and the array
    /// of a batch. 64.
    pub depth: usize,
    /// The maximum number of members of one object. 10,000.
    pub members_per_object: usize,
    /// The maximum number of values in the whole frame, of any kind and at any depth. 200,000.
    pub nodes: usize,
    /// The maximum number of messages in a batch. 1,000.
    pub batch_messages: usize,
    /// The maximum length of a method name in bytes, after escapes are decoded. 256.
    pub method_bytes: usize,
    /// The maximum length of a string id in bytes, after escapes are decoded. 1,024.
    pub id_bytes: usize,
}

impl Limits {
    /// No limits, for text that has already been scanned.
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
    /// A single message.
    Single(Message<'a>),
    /// A batch: the elements of an array that is not empty, each checked on its own.
    Batch(Vec<Result<Message<'a>, MalformedMessage<'a>>>),
}

/// Reads `bytes` as one message or a batch.
///
/// The parser is strict about JSON: it follows RFC 8259, and rejects a byte order mark, lone
/// surrogates and numbers beyond the range of a 64-bit float. It is lenient about unknown members
/// of a message: it ignores them if they are well-formed and have no duplicate keys.
///
/// # Errors
///
/// [`MalformedKind`] lists the errors. Bad JSON anywhere, or too much of it, rejects the whole
/// batch; any other fault rejects only its element.
pub fn parse<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Envelope<'a>, MalformedMessage<'a>> {
    let mut read = envelope(bytes, limits);
    // Changed in place, so that a valid message is not moved again.
    if let Err(malformed) = &mut read {
        malformed.is_within(bytes);
    }
    read
}

fn envelope<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Envelope<'a>, MalformedMessage<'a>> {
    // Checked once for the whole frame, so that every slice below is valid UTF-8.
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Defect::new(&Fault::Is("it is not UTF-8"), error.valid_up_to()).into_parse()
    })?;
    let mut scanner = Scanner::new(text, limits);
    // The parser can't know yet whether the sender's revision has batches, because only the message
    // or its session names the sender.
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
        // The rest is still scanned, because invalid JSON is reported as another error.
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

/// Parses `text`, which must be one JSON object, as the scan of a whole message parses `params`.
///
/// # Errors
///
/// [`MalformedKind::Parse`] if the text is not JSON, [`MalformedKind::InvalidRequest`] if it is not
/// an object, has duplicate keys or exceeds `limits`.
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
