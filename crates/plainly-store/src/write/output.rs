//! The results of changes: as structured output, and as a line of text with a link.

use percent_encoding::percent_decode_str;
use plainly_protocol::types::{Content, Resource};
use plainly_server::reply::{Json, StructuredOutput};
use plainly_server::store::Written;
use schemars::JsonSchema;
use serde::Serialize;

use crate::problems::last;

// A resource after a change.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct WriteOutput {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    // For `if_tag` of the next change.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
}

/// The result of a change. `done` is its verb in the past tense.
pub(super) fn written(done: &str, written: Written) -> StructuredOutput<WriteOutput> {
    let text = Content::text(line(done, &written));
    let link = link(&written);
    let output = WriteOutput {
        uri: written.uri,
        size: written.size,
        tag: written.tag,
    };
    Json(output).content([text, link])
}

/// A line that describes the resource after the change.
pub(super) fn line(done: &str, written: &Written) -> String {
    let size = written.size.map(|size| format!(" ({size} bytes)"));
    let tag = written
        .tag
        .as_ref()
        .map(|tag| format!(" Its tag is {tag}."));
    let [size, tag] = [size, tag].map(Option::unwrap_or_default);
    format!("{done} {}{size}.{tag}", written.uri)
}

/// A link to the resource.
pub(super) fn link(written: &Written) -> Content {
    let name = percent_decode_str(last(&written.uri)).decode_utf8_lossy();
    let mut resource = Resource::new(&written.uri, name.into_owned());
    resource.size = written.size;
    Content::resource_link(resource)
}
