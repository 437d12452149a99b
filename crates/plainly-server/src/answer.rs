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

/// The answer to a request. Results that are looked into on the way have a variant of their own.
pub(super) enum Answer {
    /// The result of a tool, which may be a failure that the model reads.
    Tool(CallToolResult),
    /// The contents of a resource, which may be large.
    Contents(ReadResourceResult, CacheHint),
    /// Questions: the client is to answer them, and to send the request again.
    InputRequired(InputRequiredResult),
    /// First the messages of a subscription, and at their end the empty result.
    Subscription(BoxStream<'static, Bytes>, EmptyResult),
    /// Any other result.
    Result(MethodResult),
}

/// An answer that a handler still works on.
pub(super) type AnswerFuture = BoxFuture<'static, Result<Answer, Failure>>;

/// The result of a method, and the fields to write beside its members.
pub(super) struct MethodResult {
    pub(super) body: Box<dyn ResultBody>,
    pub(super) meta: Option<Meta>,
    pub(super) result_type: ResultType,
    pub(super) cache: Option<CacheHint>,
    /// The approximate length of the body, or 0: growing the buffer step by step would be half the cost of a long list.
    pub(super) bytes: usize,
}

/// The members of a result, without its `_meta`.
pub(super) trait ResultBody: Send {
    /// Removes what `revision` doesn't have.
    fn shape(&mut self, revision: Revision);

    /// Adds them to a result.
    fn write(&self, result: &mut ObjectWriter<'_>) -> serde_json::Result<()>;
}

/// A body that every revision has as it is, or whose clients ignore what they don't know.
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
    /// A complete result, which clients ask for again each time.
    pub(super) fn new(body: impl ResultBody + 'static, meta: Option<Meta>) -> Self {
        Self {
            body: Box::new(body),
            meta,
            result_type: ResultType::Complete,
            cache: None,
            bytes: 0,
        }
    }

    /// Lets clients keep it.
    pub(super) fn cached(mut self, hint: CacheHint) -> Self {
        self.cache = Some(hint);
        self
    }

    /// Marks it as a result of another kind.
    pub(super) fn of_type(mut self, result_type: ResultType) -> Self {
        self.result_type = result_type;
        self
    }

    /// Reserves room for about this many bytes.
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

    /// The bytes that its content takes in a reply, without escapes; 0 where they are not known before it is written.
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
