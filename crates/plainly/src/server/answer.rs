//! What requests are answered with, before it is bytes.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use plainly_errors::Revision;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{
    CacheHint, CacheScope, CallToolResult, CompleteResult, CreateTaskResult, Cursor, DetailedTask,
    DiscoverResult, EmptyResult, GetPromptResult, InitializeResult, InputRequiredResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, RawJson,
    ReadResourceResult, ResourceMetadataResult,
};
use serde::Serialize;

use super::failure::Failure;

/// How long clients may keep what is fixed when the server starts.
pub(super) const STATIC: CacheHint = CacheHint::new(Duration::from_secs(300), CacheScope::Public);

/// What a request was answered with.
pub(super) enum Answer {
    // Boxed are those that are large, and rare: each answer is handed on several times.
    Initialize(Box<InitializeResult>),
    Discover(Box<DiscoverResult>),
    Empty(EmptyResult),
    ListResources(ListResourcesResult, CacheHint),
    ListResourceTemplates(ListResourceTemplatesResult),
    ReadResource(ReadResourceResult, CacheHint),
    ReadDirectory(ListResourcesResult),
    ResourceMetadata(Box<ResourceMetadataResult>),
    ListTools(ListedTools, CacheHint),
    CallTool(CallToolResult),
    ListPrompts(ListPromptsResult, CacheHint),
    GetPrompt(GetPromptResult),
    Complete(CompleteResult),
    InputRequired(InputRequiredResult),
    CreateTask(Box<CreateTaskResult>),
    GetTask(Box<DetailedTask>),
    /// First the messages of a subscription, and at their end the empty result.
    Subscription(BoxStream<'static, Bytes>, EmptyResult),
}

impl Shape for Answer {
    fn shape(&mut self, revision: Revision) {
        match self {
            Self::CallTool(called) => called.shape(revision),
            Self::GetPrompt(prompt) => prompt.shape(revision),
            // Capabilities have their shape already: which of them to declare is settled with the session.
            Self::Initialize(_) | Self::Discover(_) => {}
            // Written for each revision when the tool was added.
            Self::ListTools(..) => {}
            // All that they hold every revision has, or its clients ignore.
            Self::Empty(_)
            | Self::ListResources(..)
            | Self::ListResourceTemplates(_)
            | Self::ReadResource(..)
            | Self::ReadDirectory(_)
            | Self::ResourceMetadata(_)
            | Self::ListPrompts(..)
            | Self::Complete(_)
            | Self::InputRequired(_)
            | Self::CreateTask(_)
            | Self::GetTask(_)
            | Self::Subscription(..) => {}
        }
    }
}

/// The result of `tools/list`, with each tool encoded already.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedTools {
    pub(super) tools: Vec<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<Cursor>,
}

impl ListedTools {
    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.tools.iter().map(|tool| tool.get().len() + 1).sum()
    }
}

/// An answer that a handler still works on.
pub(super) type AnswerFuture = BoxFuture<'static, Result<Answer, Failure>>;
