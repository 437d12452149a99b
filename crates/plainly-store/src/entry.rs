//! A resource in a tool's result, as structured output and as a line of text: alone, or in a
//! listing.

use percent_encoding::percent_decode_str;
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
    // For `if_tag` of a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
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
            tag: resource.own_tag().map(str::to_owned),
        }
    }
}

// A resource in a listing, without the common beginning of all URIs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct ListedEntry {
    // The URI after the base of the listing.
    path: String,
    // The name, unless the path shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    // Absent for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_collection: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    // The time of the last change. Only shown in the text of a listing sorted by it, instead of the
    // size.
    #[serde(skip)]
    time: Option<String>,
}

impl ListedEntry {
    /// Creates the entry of a listing whose URIs begin with `base`.
    pub(super) fn new(resource: &Resource, base: &str, has_time: bool) -> Self {
        let path = below(&resource.uri, base).to_owned();
        let name = (!can_be_read_in(&path, &resource.name)).then(|| resource.name.clone());
        let time = last_modified(resource).filter(|_| has_time);
        Self {
            name,
            path,
            is_collection: is_collection(resource).then_some(true),
            size: resource.size,
            time: time.map(to_the_minute),
        }
    }

    /// The entry as one line: the time, the path, and the rest in brackets.
    pub(super) fn line(&self) -> String {
        let time = self.time.as_ref().map(|time| format!("{time}  "));
        let path = format!("{}{}", time.unwrap_or_default(), self.path);
        let name = self.name.as_deref().map(printable);
        let kind = self.is_collection.map(|_| "directory");
        let size = self.size.filter(|_| self.time.is_none());
        let size = size.map(|size| format!("{size} bytes"));
        let known = [name.as_deref(), kind, size.as_deref()];
        let known: Vec<&str> = known.into_iter().flatten().collect();
        match known.as_slice() {
            [] => path,
            known => format!("{path}  ({})", known.join(", ")),
        }
    }
}

/// A time in UTC without its seconds; any other time unchanged.
fn to_the_minute(time: &str) -> String {
    match time.split_at_checked("2026-07-28T09:00".len()) {
        Some((minute, seconds)) if seconds.ends_with('Z') => format!("{minute}Z"),
        _ => time.to_owned(),
    }
}

/// The longest common prefix of these URIs that ends with a slash and is shorter than each of them.
pub(super) fn base<'a>(uris: impl IntoIterator<Item = &'a str>) -> &'a str {
    let mut uris = uris.into_iter();
    let first = uris.next().unwrap_or_default();
    uris.fold(up_to_a_slash(first), |mut base, uri| {
        while !up_to_a_slash(uri).starts_with(base) {
            base = up_to_a_slash(base);
        }
        base
    })
}

/// Whether a path ends with this name in legible characters.
fn can_be_read_in(path: &str, name: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next();
    let last = last.map(|last| percent_decode_str(last).decode_utf8_lossy());
    name.is_ascii() && last.as_deref() == Some(name)
}

/// The rest of a URI after `base`.
pub(super) fn below<'a>(uri: &'a str, base: &str) -> &'a str {
    uri.strip_prefix(base).unwrap_or(uri)
}

fn up_to_a_slash(uri: &str) -> &str {
    let end = uri.trim_end_matches('/').rfind('/');
    end.and_then(|end| uri.get(..=end)).unwrap_or_default()
}

/// The resource as one line: kind, URI, and the rest in brackets.
pub(super) fn line(resource: &Resource) -> String {
    let kind = if is_collection(resource) {
        "directory"
    } else {
        "file"
    };
    let size = resource.size.map(|size| format!("{size} bytes"));
    let tag = resource.own_tag().map(|tag| format!("tag {tag}"));
    let known: Vec<&str> = [
        size.as_deref(),
        resource
            .mime_type
            .as_deref()
            .filter(|_| !is_collection(resource)),
        last_modified(resource),
        tag.as_deref(),
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
    // Each size may be that of a sparse file, so the sum could overflow.
    let bytes = sizes.fold(0, u64::saturating_add);
    [
        counted(directories, "directory", "directories"),
        counted(files, "file", "files"),
        format!("{bytes} bytes"),
    ]
    .join(", ")
}

/// Escapes the control characters in a name, so that it stays on one line.
pub(super) fn printable(name: &str) -> String {
    name.chars()
        .flat_map(|letter| {
            let escaped = letter.is_control().then(|| letter.escape_default());
            let plain = escaped.is_none().then_some(letter);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

/// A number with its noun.
fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

pub(super) fn is_collection(resource: &Resource) -> bool {
    resource.is_collection == Some(true)
}

pub(super) fn last_modified(resource: &Resource) -> Option<&str> {
    resource.annotations.as_ref()?.last_modified.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_what_all_begin_with() {
        for (uris, expected) in [
            (&[][..], ""),
            (&["file:///docs/a.md"], "file:///docs/"),
            (&["file:///docs"], "file:///"),
            (&["file:///docs/a", "file:///docs/b"], "file:///docs/"),
            (&["file:///docs", "file:///docs/b"], "file:///"),
            (&["file:///docs/b", "file:///docs"], "file:///"),
            (&["s3://b/a/", "s3://b/a/x"], "s3://b/"),
            (&["s3://b/a/x", "s3://b/a/"], "s3://b/"),
            (&["a://é/x", "a://è/x"], "a://"),
            (&["file:///docs/a", "note:1"], ""),
            (&["note:1", "note:2"], ""),
        ] {
            assert_eq!(base(uris.iter().copied()), expected, "{uris:?}");
        }
    }
}
