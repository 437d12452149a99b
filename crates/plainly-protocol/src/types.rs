//! The types of requests and results: plain data for all revisions, with one file for each page of
//! the specification or for a few small ones. They do not say which revision has which field.
//! Reading ignores unknown fields and rejects duplicate ones.

mod natural;
mod object;
mod record;

pub(crate) mod base64;
mod json;

mod common;
mod result;

mod capabilities;
mod lifecycle;

mod elicitation;
mod form;
mod input;
mod roots;
mod sampling;

mod content;
mod contents;
mod resource;
mod resources;
mod skills;
mod subscriptions;
mod tag;
mod tasks;
mod tools;

mod arguments;
mod completion;
mod prompts;

mod logging;
mod progress;

pub use self::arguments::Arguments;
pub use self::capabilities::{
    ClientCapabilities, ElicitationCapability, ListCapability, ResourcesCapability,
    SamplingCapability, ServerCapabilities,
};
pub use self::common::{Annotations, Cursor, Icon, IconTheme, Implementation, Role};
pub use self::completion::{
    CompleteArgument, CompleteContext, CompleteParams, CompleteResult, Completion, Reference,
};
pub use self::content::{Content, EmbeddedResource, MediaContent, TextContent};
pub use self::contents::{Body, ResourceContents};
pub use self::elicitation::{
    ElicitAction, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams,
    ElicitationCompleteParams, FormMode,
};
pub use self::form::{
    BooleanField, Choice, ChoiceField, ChoiceStyle, ChoicesField, Field, Fields, FormSchema,
    NumberField, TextField, TextFormat,
};
pub use self::input::{InputRequest, InputRequiredResult, InputResponseParams, InputResponses};
pub use self::json::{BorrowedJson, JsonObject, Meta, RawJson};
pub use self::lifecycle::{DiscoverResult, InitializeParams, InitializeResult};
pub use self::logging::{LoggingLevel, LoggingMessageParams, SetLevelParams};
pub use self::progress::{CancelledParams, ProgressParams};
pub use self::prompts::{
    GetPromptParams, GetPromptResult, ListPromptsParams, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage,
};
pub use self::resource::{
    MIRRORED, REPRESENTATIONS, RESOURCES_EXTENSION, Representation, Resource, ResourceCapabilities,
    ResourceTemplate, TEXT_ENCODING,
};
pub use self::resources::{
    ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesParams,
    ListResourcesResult, ReadDirectoryParams, ReadResourceParams, ReadResourceResult,
    ResourceMetadataParams, ResourceMetadataResult,
};
pub use self::result::{CacheHint, CacheScope, EmptyResult, ResultFields, ResultType};
pub use self::roots::{ListRootsParams, ListRootsResult, Root};
pub use self::sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences,
    SamplingContent, SamplingMessage, ToolChoice, ToolChoiceMode, ToolResult, ToolUse,
};
pub use self::skills::{
    GetSkillParams, GetSkillResult, ListSkillsParams, ListSkillsResult, SKILLS_EXTENSION, Skill,
    SkillFile, SkillFiles,
};
pub use self::subscriptions::{
    AcknowledgedParams, ListChangedParams, ListenParams, ListenResult, RECURSIVE,
    ResourceUpdatedParams, SubscribeParams, SubscriptionFilter, SubscriptionMeta,
    UnsubscribeParams,
};
pub use self::tag::{IF_NONE_MATCH, is_not_modified_in, tag_in};
pub use self::tasks::{
    CancelTaskParams, CreateTaskResult, DetailedTask, GetTaskParams, TASKS_EXTENSION, TaskState,
    TaskStatus, UpdateTaskParams,
};
pub use self::tools::{
    CallToolParams, CallToolResult, ListToolsParams, ListToolsResult, Tool, ToolAnnotations,
};
