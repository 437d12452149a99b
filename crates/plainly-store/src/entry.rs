//! A resource in a tool's result: for programs, and as a line of text.

use plainly_protocol::types::Resource;
use schemars::JsonSchema;
use serde::Serialize;

// The metadata of a resource.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct Entry {
    uri: String,
    // The last part of the URI, decoded.
    name: String,
    is_collection: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    // UTC, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

impl From<&Resource> for Entry {
    fn from(resource: &Resource) -> Self {
        Self {
            uri: resource.uri.clone(),
            name: resource.name.clone(),
            is_collection: is_collection(resource),
            mime_type: resource.mime_type.clone(),
            size: resource.size,
            last_modified: last_modified(resource).map(str::to_owned),
        }
    }
}

/// One line: kind, URI, and in brackets the rest.
pub(super) fn line(resource: &Resource) -> String {
    let kind = if is_collection(resource) {
        "directory"
    } else {
        "file"
    };
    let size = resource.size.map(|size| format!("{size} bytes"));
    let known: Vec<&str> = [
        size.as_deref(),
        resource
            .mime_type
            .as_deref()
            .filter(|_| !is_collection(resource)),
        last_modified(resource),
    ]
    .into_iter()
    .flatten()
    .collect();
    match known.as_slice() {
        [] => format!("{kind}  {}", resource.uri),
        known => format!("{kind}  {}  ({})", resource.uri, known.join(", ")),
    }
}

/// The number of directories, files and bytes in `resources`, as text.
pub(super) fn sum(resources: &[Resource]) -> String {
    let directories = resources.iter().filter(|one| is_collection(one)).count();
    let files = resources.len() - directories;
    let sizes = resources.iter().filter_map(|one| one.size);
    // Every one of them can be a sparse file of any size, so the sum may overflow.
    let bytes = sizes.fold(0, u64::saturating_add);
    [
        counted(directories, "directory", "directories"),
        counted(files, "file", "files"),
        format!("{bytes} bytes"),
    ]
    .join(", ")
}

/// A name that stays on one line: control characters are escaped.
pub(super) fn printable(name: &str) -> String {
    name.chars()
        .flat_map(|letter| {
            let escaped = letter.is_control().then(|| letter.escape_default());
            let plain = escaped.is_none().then_some(letter);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

/// A number and its noun.
fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

pub(super) fn is_collection(resource: &Resource) -> bool {
    resource.is_collection == Some(true)
}

pub(super) fn last_modified(resource: &Resource) -> Option<&str> {
    resource.annotations.as_ref()?.last_modified.as_deref()
}
