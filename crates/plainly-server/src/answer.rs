//! The answers of handlers, before they are encoded.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use plainly_errors::Revision;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{
    Body, CacheHint, CacheScope, CallToolResult, Content, EmptyResult, GetPromptResult,
    InputRequiredResult, Meta, ReadResourceResult, ResultType,
};
use plainly_protocol::writer::ObjectWriter;
use serde::Serialize;

use super::failure::Failure;

/// The cache hint for lists that are fixed when the server starts.
pub(super) const STATIC: CacheHint = CacheHint::new(Duration::from_secs(300), CacheScope::Public);

/// The answer to a request. Results that later stages read have a separate variant.
pub(super) enum Answer {
    /// The result of a tool, which may be a tool error for the model.
    Tool(CallToolResult),
    /// The contents of a resource, which may be large.
    Contents(ReadResourceResult, CacheHint),
    /// Questions, which the client must answer before it sends the request again.
    InputRequired(InputRequiredResult),
    /// The messages of a subscription, followed by the empty result.
    Subscription(BoxStream<'static, Bytes>, EmptyResult),
    /// Any other result.
    Result(MethodResult),
}

/// The answer of a running handler.
pub(super) type AnswerFuture = BoxFuture<'static, Result<Answer, Failure>>;

/// The result of a method, and the fields to write in addition to its members.
pub(super) struct MethodResult {
    pub(super) body: Box<dyn ResultBody>,
    pub(super) meta: Option<Meta>,
    pub(super) result_type: ResultType,
    pub(super) cache: Option<CacheHint>,
    /// The approximate length of the body, or 0. Growing the buffer step by step would be half the
    /// cost of a long list.
    pub(super) bytes: usize,
}

/// The members of a result, without its `_meta`.
pub(super) trait ResultBody: Send {
    /// Removes everything that `revision` doesn't have.
    fn shape(&mut self, revision: Revision);

    /// Writes the members into a result.
    fn write(&self, result: &mut ObjectWriter<'_>) -> serde_json::Result<()>;
}

/// A body that is the same in every revision, or whose clients ignore unknown members.
impl<T: Serialize + Send> ResultBody for T {
    fn shape(&mut self, _: Revision) {}

    fn write(&self, result: &mut ObjectWriter<'_>) -> serde_json::Result<()> {
        result.members(self)
    }
}

/// A body that differs between revisions.
pub(super) struct ShapedBody<T>(pub(super) T);

impl<T: Serialize + Shape + Send> ResultBody for ShapedBody<T> {
    fn shape(&mut self, revision: Revision) {
        self.0.shape(revision);
    }

    fn write(&self, result: &mut ObjectWriter<'_>) -> serde_json::Result<()> {
        result.members(&self.0)
    }
}

impl MethodResult {
    /// A complete result without a cache hint.
    pub(super) fn new(body: impl ResultBody + 'static, meta: Option<Meta>) -> Self {
        Self {
            body: Box::new(body),
            meta,
            result_type: ResultType::Complete,
            cache: None,
            bytes: 0,
        }
    }

    /// Allows clients to cache the result.
    pub(super) fn cached(mut self, hint: CacheHint) -> Self {
        self.cache = Some(hint);
        self
    }

    /// Sets the type of the result.
    pub(super) fn of_type(mut self, result_type: ResultType) -> Self {
        self.result_type = result_type;
        self
    }

    /// Reserves about this many bytes for the body.
    pub(super) fn of_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
}

impl Answer {
    /// The empty result.
    pub(super) fn empty() -> Self {
        MethodResult::new(EmptyResult::new(), None).into()
    }

    /// The number of bytes of the content in a response, without escapes; 0 if it is unknown before
    /// the content is written.
    pub(super) fn known_bytes(&self) -> usize {
        match self {
            Self::Tool(result) => {
                let structured = result.structured_content.as_ref();
                let blocks: usize = result.content.iter().map(bytes_of_block).sum();
                blocks + structured.map_or(0, |json| json.get().len())
            }
            Self::Contents(result, _) => {
                let bodies = result.contents.iter().map(|one| bytes_of_body(&one.body));
                bodies.sum()
            }
            Self::Result(result) => result.bytes,
            Self::InputRequired(_) | Self::Subscription(..) => 0,
        }
    }
}

fn bytes_of_block(block: &Content) -> usize {
    match block {
        Content::Text(block) => block.text.len(),
        Content::Image(block) | Content::Audio(block) => in_base64(&block.data),
        Content::Resource(block) => bytes_of_body(&block.resource.body),
        Content::Unknown(json) => json.get().len(),
        Content::ResourceLink(_) | _ => 0,
    }
}

fn bytes_of_body(body: &Body) -> usize {
    match body {
        Body::Text(text) => text.len(),
        Body::Blob(bytes) => in_base64(bytes),
    }
}

fn in_base64(bytes: &[u8]) -> usize {
    bytes.len().div_ceil(3) * 4
}

impl From<MethodResult> for Answer {
    fn from(result: MethodResult) -> Self {
        Self::Result(result)
    }
}

impl From<EmptyResult> for Answer {
    fn from(mut result: EmptyResult) -> Self {
        let meta = result.meta.take();
        MethodResult::new(result, meta).into()
    }
}

impl From<GetPromptResult> for Answer {
    fn from(mut result: GetPromptResult) -> Self {
        let meta = result.meta.take();
        MethodResult::new(ShapedBody(result), meta).into()
    }
}
