//! The structured output of reading one resource.

use plainly_protocol::types::{Resource, ResourceContents, tag_in};
use schemars::JsonSchema;
use serde::Serialize;

// The result of reading a resource.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct ReadOutput {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mime_type: Option<String>,
    // The number of bytes read: of the whole resource, unless the URI requests pages or bytes.
    pub(super) size: usize,
    // For `if_tag` of a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tag: Option<String>,
    // The requested lines, if the resource is text. Other content is in the result's content
    // blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    // The number of the first line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_line: Option<usize>,
    // The number of lines in the whole text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_lines: Option<usize>,
    // The `offset` to continue with, if there are more lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
    // Further information, such as how to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

impl ReadOutput {
    pub(super) fn is_text(&self) -> bool {
        self.text.is_some()
    }

    /// The number of bytes read.
    pub(super) fn size(&self) -> u64 {
        self.size as u64
    }

    pub(super) fn of(contents: &ResourceContents) -> Self {
        let size = contents.body.as_bytes().len();
        let tag = contents.meta.as_ref().and_then(tag_in);
        Self::new(&contents.uri, contents.mime_type.as_ref(), size, tag)
    }

    /// Creates the output for a resource that is not read as a whole.
    pub(super) fn of_resource(resource: &Resource) -> Self {
        let size = usize::try_from(resource.size.unwrap_or_default()).unwrap_or(usize::MAX);
        let tag = resource.own_tag();
        Self::new(&resource.uri, resource.mime_type.as_ref(), size, tag)
    }

    fn new(uri: &str, mime_type: Option<&String>, size: usize, tag: Option<&str>) -> Self {
        Self {
            uri: uri.to_owned(),
            mime_type: mime_type.cloned(),
            size,
            tag: tag.map(str::to_owned),
            text: None,
            first_line: None,
            total_lines: None,
            next_offset: None,
            note: None,
        }
    }
}
