//! Results and errors become bytes here, once, straight into the output: constant parts are prepared when they are first
//! needed.

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use plainly_errors::{Dialect, Internal, ProtocolError, Revision, WireError};
use plainly_protocol::in_place;
use plainly_protocol::shape::{Shape, Surroundings, surroundings};
use plainly_protocol::types::{
    Body, CacheHint, CallToolResult, Content, Implementation, Meta, RawJson, ReadResourceResult,
    ResourceContents, ResultType,
};
use serde::Serialize;
use serde_json::Map;

use super::answer::{Answer, Body as ResultBody, MethodResult, STATIC};
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
        let write = Write {
            encoder: self,
            id,
            revision,
        };
        let mut result = match answer {
            Answer::Contents(body, hint) => return write.contents(body, hint),
            Answer::Tool(mut result) => {
                Shape::shape(&mut result, revision);
                let meta = result.meta.take();
                return write.body(&result, &write.end(meta, None), 0);
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
        let end = match result.result_type {
            ResultType::Complete => write.end(result.meta, result.cache),
            other => self.end(revision, &other, result.cache, result.meta).into(),
        };
        write.body(&*result.body, &end, result.bytes)
    }

    /// The result alone, as it would stand in a response.
    pub(super) fn result_alone(
        &self,
        revision: Revision,
        answer: Answer,
    ) -> Result<RawJson, ProtocolError> {
        let response = self.result("0", revision, answer)?.bytes;
        let before = opening(Some("0"), 0).len() + RESULT.len();
        // What follows it is the closing brace of the response.
        let result = response.get(before..response.len() - 1);
        let text = result.and_then(|result| str::from_utf8(result).ok());
        let text = text.expect("a response is text that holds its result");
        Ok(RawJson::parse(text).expect("a result is JSON"))
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
        #[derive(Serialize)]
        struct Response<'a> {
            error: &'a WireError,
        }
        let wire = self.wire(error, revision);
        tracing::debug!(id, code = wire.code.get(), message = ?wire.message, "answered with an error");
        let mut out = opening(id, 0);
        let body = serde_json::to_string(&Response { error: &wire })
            .expect("strings and JSON values are JSON");
        out.extend_from_slice(body.get(1..).unwrap_or_default().as_bytes());
        Encoded {
            http_status: wire.http_status,
            bytes: out.into(),
        }
    }

    /// What follows the body's members in a result, without the comma between them.
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
        let object = serde_json::to_string(&members).expect("JSON values are JSON");
        object.get(1..).unwrap_or_default().to_owned()
    }
}

struct Write<'a> {
    encoder: &'a Encoder,
    id: &'a str,
    revision: Revision,
}

impl Write<'_> {
    fn end(&self, meta: Option<Meta>, cache: Option<CacheHint>) -> Cow<'_, str> {
        let encoder = self.encoder;
        match (meta, self.prepared(cache)) {
            (None, Some(end)) => end.into(),
            (meta, _) => encoder
                .end(self.revision, &ResultType::Complete, cache, meta)
                .into(),
        }
    }

    /// The result with `body`, of about so many bytes, and, after it, `end`.
    fn body(
        &self,
        body: &dyn ResultBody,
        end: &str,
        bytes: usize,
    ) -> Result<Encoded, ProtocolError> {
        let mut out = opening(Some(self.id), bytes);
        out.extend_from_slice(RESULT);
        write(&mut out, body)?;
        let closed = out.pop();
        debug_assert_eq!(closed, Some(b'}'), "results are objects");
        append(&mut out, end);
        out.push(b'}');
        if out.len() > self.encoder.reply_bytes {
            return Err(self.too_large());
        }
        Ok(whole(out))
    }

    /// What was read of a resource. The largest of it, if it is large, becomes the response where it lies in memory.
    fn contents(
        &self,
        mut body: ReadResourceResult,
        hint: CacheHint,
    ) -> Result<Encoded, ProtocolError> {
        let meta = body.meta.take();
        let Some((largest, large)) = take_largest(&mut body.contents) else {
            return self.body(&body, &self.end(meta, Some(hint)), 0);
        };
        let mut out = opening(Some(self.id), 0);
        out.extend_from_slice(RESULT);
        out.extend_from_slice(CONTENTS);
        let mut hole = 0;
        for (index, contents) in body.contents.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write(&mut out, contents)?;
            if index == largest {
                debug_assert!(out.ends_with(EMPTY), "the body is the last member");
                hole = out.len() - (EMPTY.len() - 1);
            }
        }
        out.push(b']');
        append(&mut out, &self.end(meta, Some(hint)));
        out.push(b'}');
        let (before, after) = out.split_at(hole);
        in_place::encode(before, large, after, self.encoder.reply_bytes)
            .map(whole)
            .ok_or_else(|| self.too_large())
    }

    fn too_large(&self) -> ProtocolError {
        let limit = self.encoder.reply_bytes as u64;
        Internal::ReplyTooLarge { limit }.into()
    }

    fn prepared(&self, cache: Option<CacheHint>) -> Option<&str> {
        let encoder = self.encoder;
        let wanted = (self.revision, cache);
        let (_, end) = encoder.prepared.iter().find(|(key, _)| *key == wanted)?;
        let write = || encoder.end(self.revision, &ResultType::Complete, cache, None);
        Some(end.get_or_init(write))
    }
}

/// What stands before a result.
const RESULT: &[u8] = br#""result":"#;
/// How the result of `resources/read` begins.
const CONTENTS: &[u8] = br#"{"contents":["#;
/// How contents end whose body is empty.
const EMPTY: &[u8] = br#"""}"#;

/// From how many bytes on a body is large: what is smaller is written sooner than it is looked at twice.
const LARGE: usize = 16 << 10;

/// Takes out the largest body, and says whose it was, if it is large. An empty one of its kind is in its place.
///
/// Not a text without room around it: to make room takes two thirds more time than to write it somewhere else.
fn take_largest(contents: &mut [ResourceContents]) -> Option<(usize, Body)> {
    let bodies = contents.iter_mut().map(|contents| &mut contents.body);
    let (index, body) = bodies
        .enumerate()
        .max_by_key(|(_, body)| body.as_bytes().len())?;
    let nothing = match body {
        Body::Text(text) if text.len() >= LARGE && has_room(text) => Body::Text(String::new()),
        Body::Blob(bytes) if bytes.len() >= LARGE => Body::Blob(Vec::new()),
        Body::Text(_) | Body::Blob(_) => return None,
    };
    Some((index, std::mem::replace(body, nothing)))
}

fn has_room(text: &String) -> bool {
    text.capacity() - text.len() > text.len() / 8
}

fn write(out: &mut Vec<u8>, body: &dyn ResultBody) -> Result<(), ProtocolError> {
    body.write(out).map_err(|error| {
        ProtocolError::internal("The result could not be written").with_source(error)
    })
}

fn whole(out: Vec<u8>) -> Encoded {
    Encoded {
        http_status: 200,
        bytes: out.into(),
    }
}

/// `{"jsonrpc":"2.0","id":…,`, with room for so many bytes after it, and some more.
fn opening(id: Option<&str>, room: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(room + 512);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        out.extend_from_slice(br#""id":"#);
        out.extend_from_slice(id.as_bytes());
        out.push(b',');
    }
    out
}

/// Continues an object, whose closing brace is missing, with the members of `end` and its closing brace.
fn append(out: &mut Vec<u8>, end: &str) {
    if end != "}" && out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.extend_from_slice(end.as_bytes());
}
