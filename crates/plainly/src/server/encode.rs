//! Results and errors become bytes here, once, straight into the output: constant parts are prepared when they are first
//! needed.

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use plainly_errors::{Dialect, Internal, ProtocolError, Revision, WireError};
use plainly_protocol::shape::{Shape, Surroundings, surroundings};
use plainly_protocol::types::{
    Body, CacheHint, CallToolResult, Content, Implementation, Meta, RawJson, ReadResourceResult,
    ResourceContents, ResultType,
};
use plainly_protocol::{in_place, writer};
use serde::Serialize;
use serde_json::Map;

use super::answer::{Answer, STATIC};
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
        let is_of_a_tool = matches!(answer, Answer::CallTool(_));
        self.result(id, revision, answer).unwrap_or_else(|error| {
            tracing::error!(id, error = %chain(&error), "a reply could not be written");
            if !is_of_a_tool {
                return failed(error);
            }
            let told = CallToolResult::new([Content::text(error.message())]).is_error(true);
            self.result(id, revision, Answer::CallTool(told))
                .unwrap_or_else(failed)
        })
    }

    fn result(
        &self,
        id: &str,
        revision: Revision,
        mut answer: Answer,
    ) -> Result<Encoded, ProtocolError> {
        answer.shape(revision);
        let write = Write {
            encoder: self,
            id,
            revision,
            room: if let Answer::ListTools(body, _) = &answer {
                body.bytes()
            } else {
                0
            },
        };
        match answer {
            Answer::Initialize(mut body) => write.result(body.meta.take(), &body, None),
            Answer::Discover(mut body) => write.result(body.meta.take(), &body, Some(STATIC)),
            Answer::Empty(mut body) | Answer::Subscription(_, mut body) => {
                write.result(body.meta.take(), &body, None)
            }
            Answer::ListResources(mut body, hint) => {
                write.result(body.meta.take(), &body, Some(hint))
            }
            Answer::ListResourceTemplates(mut body) => {
                write.result(body.meta.take(), &body, Some(STATIC))
            }
            Answer::ReadResource(body, hint) => write.contents(body, hint),
            Answer::ReadDirectory(mut body) => write.result(body.meta.take(), &body, None),
            Answer::ResourceMetadata(mut body) => write.result(body.meta.take(), &body, None),
            Answer::ListTools(body, hint) => write.result(None, &body, Some(hint)),
            Answer::CallTool(mut body) => write.result(body.meta.take(), &body, None),
            Answer::ListPrompts(mut body, hint) => {
                write.result(body.meta.take(), &body, Some(hint))
            }
            Answer::GetPrompt(mut body) => write.result(body.meta.take(), &body, None),
            Answer::Complete(mut body) => write.result(body.meta.take(), &body, None),
            Answer::GetTask(body) => write.result(None, &body, None),
            Answer::CreateTask(mut body) => {
                let end = self.end(revision, &ResultType::Task, None, body.meta.take());
                write.body(&body, &end)
            }
            Answer::InputRequired(mut body) => {
                let end = self.end(revision, &ResultType::InputRequired, None, body.meta.take());
                write.body(&body, &end)
            }
        }
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
    /// About how many bytes the body takes, where that is known beforehand: half of what a long list takes is to find room
    /// for it step by step.
    room: usize,
}

impl Write<'_> {
    fn result(
        &self,
        meta: Option<Meta>,
        body: &impl Serialize,
        cache: Option<CacheHint>,
    ) -> Result<Encoded, ProtocolError> {
        let end = self.end(meta, cache);
        self.body(body, &end)
    }

    fn end(&self, meta: Option<Meta>, cache: Option<CacheHint>) -> Cow<'_, str> {
        let encoder = self.encoder;
        match (meta, self.prepared(cache)) {
            (None, Some(end)) => end.into(),
            (meta, _) => encoder
                .end(self.revision, &ResultType::Complete, cache, meta)
                .into(),
        }
    }

    /// The result with `body` and, after it, `end`.
    fn body(&self, body: &impl Serialize, end: &str) -> Result<Encoded, ProtocolError> {
        let mut out = opening(Some(self.id), self.room);
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
            return self.result(meta, &body, Some(hint));
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

fn write(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), ProtocolError> {
    writer::write(out, value).map_err(|error| {
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
