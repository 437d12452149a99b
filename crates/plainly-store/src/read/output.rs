//! The structured output of reading one resource.

use plainly_protocol::types::{Resource, ResourceContents, tag_in};
use schemars::JsonSchema;
use serde::Serialize;

// What was read.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct ReadOutput {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mime_type: Option<String>,
    // The bytes that were read: of the whole resource, unless the URI asks for pages or bytes.
    pub(super) size: usize,
    // For `if_tag` of a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tag: Option<String>,
    // The requested lines, if it is text. Anything else is in the content of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    // The number of the first of these lines, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_line: Option<usize>,
    // How many lines the whole text has.
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

    /// The bytes that were read.
    pub(super) fn size(&self) -> u64 {
        self.size as u64
    }

    pub(super) fn of(contents: &ResourceContents) -> Self {
        let size = contents.body.as_bytes().len();
        let tag = contents.meta.as_ref().and_then(tag_in);
        Self::new(&contents.uri, contents.mime_type.as_ref(), size, tag)
    }

    /// The output for a resource that is not read as a whole.
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
