//! Blocks of content, which tool results and prompts consist of (Tools, "Tool Result"). The member
//! `type` determines the type; a block of an unknown type is kept as it is.

use std::borrow::Cow;

use serde::de::{Deserializer, Error};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::base64;
use super::common::Annotations;
use super::contents::ResourceContents;
use super::json::{Meta, RawJson};
use super::object::ObjectOnly;
use super::record::{record, setters};
use super::resource::Resource;

/// A block of content.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(MediaContent),
    /// Sound; from 2025-03-26.
    Audio(MediaContent),
    /// A resource with its content.
    Resource(EmbeddedResource),
    /// A link to a resource, which the client may read later; from 2025-06-18.
    ResourceLink(Resource),
    /// The whole block, if its type is unknown.
    #[serde(untagged)]
    Unknown(RawJson),
}

impl Content {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// An image from the bytes of its file.
    pub fn image(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self::Image(MediaContent::new(data, mime_type))
    }

    /// A recording from the bytes of its file.
    pub fn audio(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self::Audio(MediaContent::new(data, mime_type))
    }

    /// A resource with its content.
    #[must_use]
    pub fn resource(contents: ResourceContents) -> Self {
        Self::Resource(EmbeddedResource::new(contents))
    }

    /// A link to a resource, which the client may read later.
    #[must_use]
    pub fn resource_link(resource: Resource) -> Self {
        Self::ResourceLink(resource)
    }

    /// The text, if this is a block of text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            Self::Image(_)
            | Self::Audio(_)
            | Self::Resource(_)
            | Self::ResourceLink(_)
            | Self::Unknown(_) => None,
        }
    }

    /// The hints for the host, for a block of any known type.
    #[must_use]
    pub fn annotations(&self) -> Option<&Annotations> {
        match self {
            Self::Text(block) => block.annotations.as_ref(),
            Self::Image(block) | Self::Audio(block) => block.annotations.as_ref(),
            Self::Resource(block) => block.resource.annotations.as_ref(),
            Self::ResourceLink(resource) => resource.annotations.as_ref(),
            Self::Unknown(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    // Not a derived tagged enum, because that buffers the block as a tree and can't keep an unknown
    // one.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let block = Box::<RawValue>::deserialize(deserializer)?;
        let known = known(block.get()).map_err(D::Error::custom)?;
        Ok(known.unwrap_or_else(|| Self::Unknown(block.into())))
    }
}

/// The member `type` of a block, which determines its other members.
pub(super) fn type_of(block: &str) -> serde_json::Result<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct ContentTag<'a> {
        #[serde(borrow)]
        r#type: Cow<'a, str>,
    }
    serde_json::from_str(block).map(|tag: ContentTag<'_>| tag.r#type)
}

/// Reads a block by its `type`. `None` if the type is unknown.
fn known(block: &str) -> serde_json::Result<Option<Content>> {
    let content = match &*type_of(block)? {
        "text" => Content::Text(serde_json::from_str(block)?),
        "image" => Content::Image(serde_json::from_str(block)?),
        "audio" => Content::Audio(serde_json::from_str(block)?),
        "resource" => Content::Resource(serde_json::from_str(block)?),
        "resource_link" => Content::ResourceLink(serde_json::from_str(block)?),
        // Revisions add types, and the caller may know one that this crate does not.
        _ => return Ok(None),
    };
    Ok(Some(content))
}

record! {
    /// Text, for the model or the user.
    pub struct TextContent {
        /// The text.
        pub text: String,
        /// Hints for the host.
        pub annotations: Option<Annotations>,
        /// Metadata of the block.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// Text without hints.
    pub fn new(text: impl Into<String>);
}

record! {
    /// An image or a recording: the specification's `ImageContent` and `AudioContent`, which differ
    /// only in their `type`.
    pub struct MediaContent {
        /// The bytes of the file, base64 on the wire.
        #[serde(with = "base64")]
        pub data: Vec<u8>,
        /// The MIME type of the file.
        pub mime_type: String,
        /// Hints for the host.
        pub annotations: Option<Annotations>,
        /// Metadata of the block.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A file without hints.
    pub fn new(data: impl Into<Vec<u8>>, mime_type: impl Into<String>);
}

/// A resource with its content, embedded in a message (Tools, "Embedded Resources").
///
/// The annotations are those of the resource. On the wire they are in both places, because peers
/// from before SEP-2093 look for them beside the resource. Reading uses those beside the resource
/// if the resource has none.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "ObjectOnly<WireResource>")]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// The resource and its content.
    pub resource: ResourceContents,
    /// Metadata of the block.
    pub meta: Option<Meta>,
}

impl EmbeddedResource {
    /// Embeds the contents.
    #[must_use]
    pub fn new(resource: ResourceContents) -> Self {
        Self {
            resource,
            meta: None,
        }
    }

    /// Sets the hints for the host, which are those of the resource.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.resource.annotations = Some(annotations);
        self
    }

    setters! {
        /// Sets the metadata of the block.
        meta: Meta;
    }
}

impl Serialize for EmbeddedResource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let annotations = self.resource.annotations.as_ref();
        let fields = 1 + usize::from(annotations.is_some()) + usize::from(self.meta.is_some());
        let mut block = serializer.serialize_struct("EmbeddedResource", fields)?;
        block.serialize_field("resource", &self.resource)?;
        if let Some(annotations) = annotations {
            block.serialize_field("annotations", annotations)?;
        }
        if let Some(meta) = &self.meta {
            block.serialize_field("_meta", meta)?;
        }
        block.end()
    }
}

/// The block on the wire, where annotations can be in two places.
#[derive(Deserialize)]
struct WireResource {
    resource: ResourceContents,
    annotations: Option<Annotations>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

impl From<ObjectOnly<WireResource>> for EmbeddedResource {
    fn from(ObjectOnly(wire): ObjectOnly<WireResource>) -> Self {
        let WireResource {
            mut resource,
            annotations,
            meta,
        } = wire;
        resource.annotations = resource.annotations.or(annotations);
        Self { resource, meta }
    }
}
