//! The content of a resource together with its metadata: the specification's `TextResourceContents`
//! and `BlobResourceContents`, which by SEP-2093 extend `Resource`. Independent of the result or
//! block that contains it.

use serde::{Deserialize, Serialize};

use super::base64;
use super::common::{Annotations, Icon};
use super::json::Meta;
use super::natural;
use super::object::ObjectOnly;
use super::resource::{Resource, ResourceCapabilities};

/// The contents of a resource (Resources, "Resource Contents").
///
/// Built from a [`Resource`], so that contents which this crate writes always have a name. Servers
/// that don't know SEP-2093 send only the URI, the MIME type and the body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "ObjectOnly<WireContents>")]
#[non_exhaustive]
pub struct ResourceContents {
    /// The identity of the resource.
    pub uri: String,
    /// The name for programs, also displayed if there is no title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description of the resource for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The MIME type of this body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The size of this body in bytes, before any encoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Whether this is a collection. Absent means unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_collection: Option<bool>,
    /// The requests that the resource supports. Absent means unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<ResourceCapabilities>,
    /// Icons to show beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Hints for the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Metadata of the contents.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// The content itself: the member `text` or `blob`.
    // Flattened only when writing, where it costs nothing. Reading goes through `WireContents`.
    #[serde(flatten)]
    pub body: Body,
}

impl ResourceContents {
    /// The resource with its body: text from a string, a blob from bytes.
    pub fn new(resource: Resource, body: impl Into<Body>) -> Self {
        Self {
            uri: resource.uri,
            name: Some(resource.name),
            title: resource.title,
            description: resource.description,
            mime_type: resource.mime_type,
            size: resource.size,
            is_collection: resource.is_collection,
            capabilities: resource.capabilities,
            icons: resource.icons,
            annotations: resource.annotations,
            meta: resource.meta,
            body: body.into(),
        }
    }

    /// All members except the body's, for callers that write the body separately.
    pub fn without_body(&self) -> impl Serialize + '_ {
        WithoutBody {
            uri: &self.uri,
            name: self.name.as_deref(),
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            mime_type: self.mime_type.as_deref(),
            size: self.size,
            is_collection: self.is_collection,
            capabilities: self.capabilities.as_ref(),
            icons: self.icons.as_deref(),
            annotations: self.annotations.as_ref(),
            meta: self.meta.as_ref(),
        }
    }

    /// The resource without its body. If it has no name, its URI becomes the name.
    #[must_use]
    pub fn into_resource(self) -> Resource {
        Resource {
            name: self.name.unwrap_or_else(|| self.uri.clone()),
            uri: self.uri,
            title: self.title,
            description: self.description,
            mime_type: self.mime_type,
            size: self.size,
            is_collection: self.is_collection,
            capabilities: self.capabilities,
            icons: self.icons,
            annotations: self.annotations,
            meta: self.meta,
        }
    }
}

/// The members of [`ResourceContents`] except the body's. A test checks that both write the same
/// bytes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WithoutBody<'a> {
    uri: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_collection: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<&'a ResourceCapabilities>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icons: Option<&'a [Icon]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a Annotations>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Meta>,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(
    clippy::exhaustive_enums,
    reason = "a JSON string can hold text or encoded bytes, and a reader must handle both"
)]
pub enum Body {
    /// Text.
    Text(String),
    /// Bytes, base64 on the wire.
    Blob(#[serde(with = "base64")] Vec<u8>),
}

impl Body {
    /// Text if the bytes can be sent as text, otherwise the bytes. Content with a NUL is sent as
    /// bytes, because JSON needs six bytes for each.
    #[must_use]
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        if memchr::memchr(0, &bytes).is_some() {
            return Self::Blob(bytes);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Blob(error.into_bytes()),
        }
    }

    /// The name of the body's member.
    #[must_use]
    pub fn member(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Blob(_) => "blob",
        }
    }

    /// The text, if it is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Blob(_) => None,
        }
    }

    /// The raw content, of either kind.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Blob(bytes) => bytes,
        }
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Blob(bytes)
    }
}

/// The contents on the wire, where both `text` and `blob` may be present.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireContents {
    uri: String,
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    #[serde(default, deserialize_with = "natural::optional")]
    size: Option<u64>,
    is_collection: Option<bool>,
    capabilities: Option<ResourceCapabilities>,
    icons: Option<Vec<Icon>>,
    annotations: Option<Annotations>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
    text: Option<String>,
    blob: Option<base64::Bytes>,
}

impl TryFrom<ObjectOnly<WireContents>> for ResourceContents {
    type Error = BodyError;

    fn try_from(ObjectOnly(wire): ObjectOnly<WireContents>) -> Result<Self, BodyError> {
        let body = match (wire.text, wire.blob) {
            (Some(text), None) => Body::Text(text),
            (None, Some(base64::Bytes(bytes))) => Body::Blob(bytes),
            // Nothing shows which of the two is meant.
            (Some(_), Some(_)) => return Err(BodyError::Both(wire.uri)),
            (None, None) => return Err(BodyError::Neither(wire.uri)),
        };
        Ok(Self {
            uri: wire.uri,
            name: wire.name,
            title: wire.title,
            description: wire.description,
            mime_type: wire.mime_type,
            size: wire.size,
            is_collection: wire.is_collection,
            capabilities: wire.capabilities,
            icons: wire.icons,
            annotations: wire.annotations,
            meta: wire.meta,
            body,
        })
    }
}

/// The reason why contents have no readable body. The reader gets it as the text of a
/// deserialization error.
#[derive(Debug, thiserror::Error)]
enum BodyError {
    #[error("the contents of {0} have both `text` and `blob`")]
    Both(String),
    #[error("the contents of {0} have neither `text` nor `blob`")]
    Neither(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::ObjectWriter;

    #[test]
    fn without_its_body_it_is_the_same_but_for_that() {
        let mut whole = ResourceContents::new(Resource::new("a:b", "b"), "text");
        whole.title = Some("T".to_owned());
        whole.description = Some("D".to_owned());
        whole.mime_type = Some("text/plain".to_owned());
        (whole.size, whole.is_collection) = (Some(4), Some(false));
        whole.capabilities = Some(ResourceCapabilities::new().list(false));
        whole.icons = Some(vec![Icon::new("a:icon")]);
        whole.annotations = Some(Annotations::new());
        whole.meta = Some(Meta::new());
        let mut bare = whole.clone();
        (bare.name, bare.title, bare.description, bare.mime_type) = (None, None, None, None);
        (bare.size, bare.is_collection, bare.icons) = (None, None, None);
        bare.capabilities = None;
        (bare.annotations, bare.meta) = (None, None);
        for contents in [whole, bare] {
            let mut out = Vec::new();
            let mut object = ObjectWriter::open(&mut out);
            object.members(&contents.without_body()).unwrap();
            object.member(contents.body.member(), "text").unwrap();
            object.close();
            let expected = serde_json::to_string(&contents).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
