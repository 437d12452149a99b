//! Results and errors become bytes here, once, straight into the output: constant parts are prepared when they are first
//! needed.

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use plainly_errors::{Dialect, Internal, ProtocolError, Revision, WireError};
use plainly_protocol::in_place;
use plainly_protocol::shape::{Surroundings, surroundings};
use plainly_protocol::types::{
    Body, CacheHint, CallToolResult, Content, Implementation, Meta, RawJson, ReadResourceResult,
    ResourceContents, ResultType,
};
use plainly_protocol::writer::ObjectWriter;
use serde_json::Map;

use super::answer::{Answer, MethodResult, STATIC, Shaped};
use super::incident::chain;

/// A JSON-RPC response as bytes, and the status of the HTTP response that carries it.
#[derive(Debug)]
pub(super) struct Encoded {
    pub(super) http_status: u16,
    pub(super) bytes: Bytes,
}

/// Writes responses.
#[derive(Debug)]
pub(super) struct Encoder {
    dialect: Dialect,
    implementation: Implementation,
    reply_bytes: usize,
    /// The ends of results that come up again and again.
    prepared: Vec<(EndKey, OnceLock<String>)>,
}

/// What the end of a result depends on that has no `_meta` of its own.
type EndKey = (Revision, Option<CacheHint>);

impl Encoder {
    pub(super) fn new(
        dialect: Dialect,
        implementation: Implementation,
        reply_bytes: usize,
    ) -> Self {
        let hints = [None, Some(CacheHint::default()), Some(STATIC)];
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

    /// The response to the request `id`, a JSON token.
    pub(super) fn response(
        &self,
        id: &str,
        revision: Revision,
        outcome: Result<Answer, ProtocolError>,
    ) -> Encoded {
        let failed = |error| self.error(Some(id), revision, &error);
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error) => return failed(error),
        };
        let is_of_a_tool = matches!(answer, Answer::Tool(_));
        self.result(id, revision, answer).unwrap_or_else(|error| {
            tracing::error!(id, error = %chain(&error), "a reply could not be written");
            if !is_of_a_tool {
                return failed(error);
            }
            let told = CallToolResult::new([Content::text(error.message())]).is_error(true);
            self.result(id, revision, Answer::Tool(told))
                .unwrap_or_else(failed)
        })
    }

    fn result(
        &self,
        id: &str,
        revision: Revision,
        answer: Answer,
    ) -> Result<Encoded, ProtocolError> {
        let answer = match answer {
            Answer::Contents(mut result, hint) => match take_largest(&mut result.contents) {
                Some(large) => return self.large(id, revision, result, hint, large),
                None => Answer::Contents(result, hint),
            },
            other @ (Answer::Tool(_)
            | Answer::InputRequired(_)
            | Answer::Subscription(..)
            | Answer::Result(_)) => other,
        };
        let result = self.fitting(answer, revision)?;
        let mut out = Vec::with_capacity(result.bytes + AROUND);
        let mut response = opened(&mut out, Some(id));
        self.write(response.object("result"), revision, result)?;
        response.close();
        self.bounded(out.len())?;
        Ok(Encoded {
            http_status: 200,
            bytes: out.into(),
        })
    }

    /// What was read of a resource, of which the body with this number is large: it becomes the response where it lies in
    /// memory. A second copy would be as large as a file may be.
    fn large(
        &self,
        id: &str,
        revision: Revision,
        mut result: ReadResourceResult,
        hint: CacheHint,
        (largest, body): (usize, Body),
    ) -> Result<Encoded, ProtocolError> {
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
        let end = self.end(
            revision,
            &ResultType::Complete,
            Some(hint),
            result.meta.take(),
        );
        open.raw_members(&end).map_err(unwritten)?;
        open.close();
        response.close();
        let (before, after) = out.split_at(hole);
        let whole = in_place::encode(before, body, after, self.reply_bytes);
        let limit = self.reply_bytes as u64;
        Ok(Encoded {
            http_status: 200,
            bytes: whole.ok_or(Internal::ReplyTooLarge { limit })?.into(),
        })
    }

    /// The result alone, as it would stand in a response.
    pub(super) fn result_alone(
        &self,
        revision: Revision,
        answer: Answer,
    ) -> Result<RawJson, ProtocolError> {
        let result = self.fitting(answer, revision)?;
        let mut out = Vec::with_capacity(result.bytes + AROUND);
        self.write(ObjectWriter::open(&mut out), revision, result)?;
        self.bounded(out.len())?;
        let text = String::from_utf8(out).expect("JSON is text");
        Ok(RawJson::parse(text).expect("a result is JSON"))
    }

    /// The answer as `revision` has it, unless it is known by now to be too large.
    fn fitting(&self, answer: Answer, revision: Revision) -> Result<MethodResult, ProtocolError> {
        let mut result = match answer {
            Answer::Contents(mut result, hint) => {
                let [least, expected] = lengths(&result.contents);
                self.bounded(least)?;
                let meta = result.meta.take();
                MethodResult::new(result, meta)
                    .cached(hint)
                    .of_bytes(expected)
            }
            Answer::Tool(mut result) => {
                let meta = result.meta.take();
                MethodResult::new(Shaped(result), meta)
            }
            Answer::InputRequired(mut result) => {
                let meta = result.meta.take();
                MethodResult::new(result, meta).of_type(ResultType::InputRequired)
            }
            Answer::Subscription(_, mut last) => {
                let meta = last.meta.take();
                MethodResult::new(last, meta)
            }
            Answer::Result(result) => result,
        };
        result.body.shape(revision);
        Ok(result)
    }

    /// Writes the members of a result that is open: first the body's.
    fn write(
        &self,
        mut open: ObjectWriter<'_>,
        revision: Revision,
        result: MethodResult,
    ) -> Result<(), ProtocolError> {
        let MethodResult {
            body,
            meta,
            result_type,
            cache,
            ..
        } = result;
        let prepared = match (&meta, &result_type) {
            (None, ResultType::Complete) => self.prepared(revision, cache),
            _ => None,
        };
        let end = match prepared {
            Some(end) => Cow::Borrowed(end),
            None => self.end(revision, &result_type, cache, meta).into(),
        };
        let written = body.write(&mut open).and_then(|()| open.raw_members(&end));
        written.map_err(unwritten)?;
        open.close();
        Ok(())
    }

    /// Fails if a reply of so many bytes is too large.
    fn bounded(&self, bytes: usize) -> Result<(), ProtocolError> {
        let limit = self.reply_bytes as u64;
        match bytes > self.reply_bytes {
            true => Err(Internal::ReplyTooLarge { limit }.into()),
            false => Ok(()),
        }
    }

    /// The error as it stands in a response.
    pub(super) fn wire(&self, error: &ProtocolError, revision: Revision) -> WireError {
        self.dialect.encode(error, revision)
    }

    /// The error response to the request `id`, a JSON token, or to something whose id could not be read.
    pub(super) fn error(
        &self,
        id: Option<&str>,
        revision: Revision,
        error: &ProtocolError,
    ) -> Encoded {
        let wire = self.wire(error, revision);
        tracing::debug!(id, code = wire.code.get(), message = ?wire.message, "answered with an error");
        let mut out = Vec::with_capacity(AROUND);
        let mut response = opened(&mut out, id);
        response
            .member("error", &wire)
            .expect("strings and JSON values are JSON");
        response.close();
        Encoded {
            http_status: wire.http_status,
            bytes: out.into(),
        }
    }

    /// The object of what a result has besides its body's members.
    fn end(
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
        meta.extend(Map::from(own.unwrap_or_default()));
        if !meta.is_empty() {
            members.insert("_meta".to_owned(), meta.into());
        }
        serde_json::to_string(&members).expect("JSON values are JSON")
    }

    fn prepared(&self, revision: Revision, cache: Option<CacheHint>) -> Option<&str> {
        let wanted = (revision, cache);
        let (_, end) = self.prepared.iter().find(|(key, _)| *key == wanted)?;
        let write = || self.end(revision, &ResultType::Complete, cache, None);
        Some(end.get_or_init(write))
    }
}

fn unwritten(error: serde_json::Error) -> ProtocolError {
    ProtocolError::internal("The result could not be written").with_source(error)
}

/// From how many bytes on a body is large: what is smaller is written sooner than it is looked at twice.
const LARGE: usize = 16 << 10;

/// Takes out the largest body, and says whose it was, if it is large.
///
/// Not a text without room around it: to make room takes two thirds more time than to write it somewhere else.
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

/// About how many bytes a response has besides its result's body.
const AROUND: usize = 512;

/// A response to the request `id`, without what it says.
fn opened<'a>(out: &'a mut Vec<u8>, id: Option<&str>) -> ObjectWriter<'a> {
    let mut response = ObjectWriter::open(out);
    response.raw_member("jsonrpc", r#""2.0""#);
    if let Some(id) = id {
        response.raw_member("id", id);
    }
    response
}

/// How many bytes the bodies of contents take in a reply: at least, and with the room that escapes are expected to need.
fn lengths(contents: &[ResourceContents]) -> [usize; 2] {
    let lengths = contents.iter().map(|contents| match &contents.body {
        Body::Text(text) => [text.len(), text.len() + text.len() / 4],
        Body::Blob(bytes) => [bytes.len().div_ceil(3) * 4; 2],
    });
    lengths.fold([0, 0], |[least, expected], [at_least, about]| {
        [least + at_least, expected + about + AROUND]
    })
}
