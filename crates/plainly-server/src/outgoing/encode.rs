//! Encodes results and errors to bytes, once and directly into the output. Constant parts are
//! prepared when they are first needed.

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use plainly_errors::{Code, Dialect, Internal, ProtocolError, Revision, WireError};
use plainly_protocol::in_place;
use plainly_protocol::shape::{Surroundings, surroundings};
use plainly_protocol::types::{
    Body, CacheHint, CallToolResult, Content, Implementation, Meta, RawJson, ReadResourceResult,
    ResourceContents, ResultType,
};
use plainly_protocol::writer::ObjectWriter;
use serde_json::Map;

use crate::answer::{Answer, ResultBody, STATIC, ShapedBody};

/// A JSON-RPC response as bytes, and the status of its HTTP response.
#[derive(Debug)]
pub(crate) struct EncodedReply {
    pub(crate) http_status: u16,
    /// The code of the error, if the response is one.
    pub(crate) code: Option<Code>,
    pub(crate) bytes: Bytes,
}

/// Encodes responses.
#[derive(Debug)]
pub(crate) struct Encoder {
    dialect: Dialect,
    implementation: Implementation,
    reply_bytes: usize,
    /// The prepared ends of frequent results.
    prepared: Vec<(EndKey, OnceLock<String>)>,
}

/// The key of the end of a result without its own `_meta`.
type EndKey = (Revision, Option<CacheHint>);

impl Encoder {
    pub(crate) fn new(
        dialect: Dialect,
        implementation: Implementation,
        reply_bytes: usize,
    ) -> Self {
        let hints = [None, Some(CacheHint::default()), Some(STATIC)];
        // The newest revision first, because the list is searched from the start and clients of
        // that revision are the most likely.
        let keys = Revision::ALL
            .into_iter()
            .rev()
            .flat_map(|revision| hints.map(|hint| (revision, hint)));
        Self {
            dialect,
            implementation,
            reply_bytes,
            prepared: keys.map(|key| (key, OnceLock::new())).collect(),
        }
    }

    /// The response to the request `id`, a JSON token, and the error, if the request failed or its
    /// outcome could not be encoded.
    pub(crate) fn response(
        &self,
        id: &str,
        revision: Revision,
        outcome: Result<Answer, ProtocolError>,
    ) -> (EncodedReply, Option<ProtocolError>) {
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error) => return (self.error(Some(id), revision, &error), Some(error)),
        };
        let is_of_a_tool = matches!(answer, Answer::Tool(_));
        let error = match self.result(id, revision, answer) {
            Ok(encoded) => return (encoded, None),
            Err(error) => error,
        };
        // The caller of a tool is a model, which reads this failure like any other of the tool: in
        // a result.
        let told = CallToolResult::new([Content::text(error.message())]).is_error(true);
        let told = is_of_a_tool.then(|| self.result(id, revision, Answer::Tool(told)).ok());
        let encoded = told.flatten();
        let encoded = encoded.unwrap_or_else(|| self.error(Some(id), revision, &error));
        (encoded, Some(error))
    }

    fn result(
        &self,
        id: &str,
        revision: Revision,
        mut answer: Answer,
    ) -> Result<EncodedReply, ProtocolError> {
        if let Answer::Contents(result, hint) = &mut answer
            && let Some(large) = take_largest(&mut result.contents)
        {
            return self.large(id, revision, result, *hint, large);
        }
        let mut out = Vec::with_capacity(self.expected(&answer)? + AROUND);
        let mut response = opened(&mut out, Some(id));
        self.write(response.object("result"), revision, answer)?;
        response.close();
        // Only now is the length certain, because escapes may have made the response longer than
        // expected.
        self.bounded(out.len())?;
        Ok(EncodedReply {
            http_status: 200,
            code: None,
            bytes: out.into(),
        })
    }

    /// Encodes the contents of a resource. The largest body becomes the response in its own memory,
    /// because a second copy could be as large as a file may be.
    fn large(
        &self,
        id: &str,
        revision: Revision,
        result: &mut ReadResourceResult,
        hint: CacheHint,
        (largest, body): (usize, Body),
    ) -> Result<EncodedReply, ProtocolError> {
        let (mut out, mut hole) = (Vec::with_capacity(AROUND), 0);
        let mut response = opened(&mut out, Some(id));
        let mut open = response.object("result");
        let mut contents = open.array("contents");
        for (index, one) in result.contents.iter().enumerate() {
            let mut object = contents.object();
            if index == largest {
                object.members(&one.without_body()).map_err(unwritten)?;
                hole = object.text_to_come(body.member());
            } else {
                object.members(one).map_err(unwritten)?;
            }
            object.close();
        }
        contents.close();
        let meta = result.meta.take();
        let end = self.end(revision, &ResultType::Complete, Some(hint), meta);
        open.raw_members(&end).map_err(unwritten)?;
        open.close();
        response.close();
        let (before, after) = out.split_at(hole);
        let whole = in_place::encode(before, body, after, self.reply_bytes);
        let limit = self.reply_bytes as u64;
        Ok(EncodedReply {
            http_status: 200,
            code: None,
            bytes: whole.ok_or(Internal::ReplyTooLarge { limit })?.into(),
        })
    }

    /// The result only, as it would be in a response.
    pub(crate) fn result_alone(
        &self,
        revision: Revision,
        answer: Answer,
    ) -> Result<RawJson, ProtocolError> {
        let mut out = Vec::with_capacity(self.expected(&answer)? + AROUND);
        self.write(ObjectWriter::open(&mut out), revision, answer)?;
        self.bounded(out.len())?;
        let text = String::from_utf8(out).expect("JSON is text");
        Ok(RawJson::parse(text).expect("a result is JSON"))
    }

    /// The approximate length of an answer's body with escapes; an error if it is certainly too
    /// large.
    fn expected(&self, answer: &Answer) -> Result<usize, ProtocolError> {
        let known = answer.known_bytes();
        self.bounded(known)?;
        Ok(match answer {
            Answer::Contents(result, _) => known + known / 4 + result.contents.len() * AROUND,
            Answer::Result(_) => known,
            Answer::Tool(_) | Answer::InputRequired(_) | Answer::Subscription(..) => {
                known + known / 4
            }
        })
    }

    /// Writes the members of an open result, and closes it.
    fn write(
        &self,
        open: ObjectWriter<'_>,
        revision: Revision,
        answer: Answer,
    ) -> Result<(), ProtocolError> {
        let complete = ResultType::Complete;
        let written = match answer {
            Answer::Tool(mut result) => {
                let end = self.end(revision, &complete, None, result.meta.take());
                write_members(open, revision, &mut ShapedBody(result), &end)
            }
            Answer::Contents(mut result, hint) => {
                let end = self.end(revision, &complete, Some(hint), result.meta.take());
                write_members(open, revision, &mut result, &end)
            }
            Answer::InputRequired(mut result) => {
                let asks = ResultType::InputRequired;
                let end = self.end(revision, &asks, None, result.meta.take());
                write_members(open, revision, &mut result, &end)
            }
            Answer::Subscription(_, mut last) => {
                let end = self.end(revision, &complete, None, last.meta.take());
                write_members(open, revision, &mut last, &end)
            }
            Answer::Result(mut result) => {
                let meta = result.meta.take();
                let end = self.end(revision, &result.result_type, result.cache, meta);
                write_members(open, revision, &mut *result.body, &end)
            }
        };
        written.map_err(unwritten)
    }

    /// Fails if a reply with this many bytes is too large.
    fn bounded(&self, bytes: usize) -> Result<(), ProtocolError> {
        let limit = self.reply_bytes as u64;
        match bytes > self.reply_bytes {
            true => Err(Internal::ReplyTooLarge { limit }.into()),
            false => Ok(()),
        }
    }

    /// The error object for a response.
    pub(crate) fn wire(&self, error: &ProtocolError, revision: Revision) -> WireError {
        self.dialect.encode(error, revision)
    }

    /// The error response to the request `id`, a JSON token, or to a message whose id could not be
    /// read.
    pub(crate) fn error(
        &self,
        id: Option<&str>,
        revision: Revision,
        error: &ProtocolError,
    ) -> EncodedReply {
        let wire = self.wire(error, revision);
        let mut out = Vec::with_capacity(AROUND);
        let mut response = opened(&mut out, id);
        response
            .member("error", &wire)
            .expect("strings and JSON values are JSON");
        response.close();
        EncodedReply {
            http_status: wire.http_status,
            code: Some(wire.code),
            bytes: out.into(),
        }
    }

    /// The members of a result other than those of its body, as a JSON object.
    fn end(
        &self,
        revision: Revision,
        result_type: &ResultType,
        cache: Option<CacheHint>,
        meta: Option<Meta>,
    ) -> Cow<'_, str> {
        if meta.is_none() && *result_type == ResultType::Complete {
            let wanted = (revision, cache);
            let mut prepared = self.prepared.iter();
            if let Some((_, end)) = prepared.find(|(key, _)| *key == wanted) {
                return end
                    .get_or_init(|| self.new_end(revision, result_type, cache, None))
                    .into();
            }
        }
        self.new_end(revision, result_type, cache, meta).into()
    }

    fn new_end(
        &self,
        revision: Revision,
        result_type: &ResultType,
        cache: Option<CacheHint>,
        own: Option<Meta>,
    ) -> String {
        let Surroundings {
            mut members,
            mut meta,
            ..
        } = surroundings(revision, result_type, cache, &self.implementation);
        // Last, so that members of `_meta` from the handler take precedence.
        meta.extend(Map::from(own.unwrap_or_default()));
        if !meta.is_empty() {
            members.insert("_meta".to_owned(), meta.into());
        }
        serde_json::to_string(&members).expect("JSON values are JSON")
    }
}

/// Writes the members of the body in the form of `revision`, and then those of `end`.
fn write_members(
    mut open: ObjectWriter<'_>,
    revision: Revision,
    body: &mut (impl ResultBody + ?Sized),
    end: &str,
) -> serde_json::Result<()> {
    body.shape(revision);
    body.write(&mut open)?;
    open.raw_members(end)?;
    open.close();
    Ok(())
}

fn unwritten(error: serde_json::Error) -> ProtocolError {
    ProtocolError::internal("The result could not be written").with_source(error)
}

/// The length from which a body counts as large. For shorter ones, copying is faster than the
/// additional handling.
const LARGE: usize = 16 << 10;

/// Removes the largest body, if it is large, and returns it with the index of its contents.
///
/// A text without spare capacity is left, because reallocating it takes two thirds more time than
/// copying it.
fn take_largest(contents: &mut [ResourceContents]) -> Option<(usize, Body)> {
    let bodies = contents.iter_mut().map(|contents| &mut contents.body);
    let (index, body) = bodies
        .enumerate()
        .max_by_key(|(_, body)| body.as_bytes().len())?;
    match body {
        Body::Text(text) if text.len() >= LARGE && has_room(text) => {}
        Body::Blob(bytes) if bytes.len() >= LARGE => {}
        Body::Text(_) | Body::Blob(_) => return None,
    }
    Some((index, std::mem::replace(body, Body::Text(String::new()))))
}

fn has_room(text: &String) -> bool {
    text.capacity() - text.len() > text.len() / 8
}

/// The approximate length of a response without the body of its result.
const AROUND: usize = 512;

/// Opens a response to the request `id`, before its result or error.
fn opened<'a>(out: &'a mut Vec<u8>, id: Option<&str>) -> ObjectWriter<'a> {
    let mut response = ObjectWriter::open(out);
    response.raw_member("jsonrpc", r#""2.0""#);
    if let Some(id) = id {
        response.raw_member("id", id);
    }
    response
}
