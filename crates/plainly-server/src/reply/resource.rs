//! The return types of resource handlers. The host's code reads their results, so failures become
//! protocol errors.

use std::borrow::Cow;

use plainly_errors::ProblemCode;
use plainly_protocol::types::{Body, Resource, ResourceContents};

use super::{AsValue, InResult};
use crate::failure::{Failure, IntoFailure};

/// A value that a resource handler may return. `By` is always inferred.
#[diagnostic::on_unimplemented(
    message = "a resource can't return `{Self}`",
    label = "not a reply of a resource",
    note = "return text, `Text`, `Vec<Text>`, `Blob`, `Vec<ResourceContents>`, or a `Result` of one of them"
)]
pub trait ResourceReply<By> {
    /// Converts the value to the contents of `resource`.
    fn into_contents(self, resource: &Resource) -> Result<Vec<ResourceContents>, Failure>;

    /// The codes that the problems can have, if they are [declared](crate::DeclaredProblems);
    /// otherwise empty.
    fn problems() -> &'static [ProblemCode] {
        &[]
    }
}

/// Text with its MIME type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    text: String,
    mime_type: Cow<'static, str>,
}

impl Text {
    /// Text with this MIME type.
    pub fn new(text: impl Into<String>, mime_type: impl Into<Cow<'static, str>>) -> Self {
        Self {
            text: text.into(),
            mime_type: mime_type.into(),
        }
    }

    /// Text with the MIME type `text/plain`.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, "text/plain")
    }

    /// Text with the MIME type `text/markdown`.
    pub fn markdown(text: impl Into<String>) -> Self {
        Self::new(text, "text/markdown")
    }

    /// Text with the MIME type `application/json`.
    pub fn json(text: impl Into<String>) -> Self {
        Self::new(text, "application/json")
    }
}

/// Bytes with their MIME type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    bytes: Vec<u8>,
    mime_type: String,
}

impl Blob {
    /// Bytes with this MIME type.
    pub fn new(bytes: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self {
            bytes: bytes.into(),
            mime_type: mime_type.into(),
        }
    }
}

impl ResourceReply<AsValue> for Text {
    fn into_contents(self, resource: &Resource) -> Result<Vec<ResourceContents>, Failure> {
        let described = resource
            .clone()
            .size(self.text.len() as u64)
            .mime_type(self.mime_type);
        Ok(vec![ResourceContents::new(
            described,
            Body::Text(self.text),
        )])
    }
}

/// A resource in several formats, the preferred one first.
impl ResourceReply<AsValue> for Vec<Text> {
    fn into_contents(self, resource: &Resource) -> Result<Vec<ResourceContents>, Failure> {
        let contents = self.into_iter().map(|text| text.into_contents(resource));
        Ok(contents.collect::<Result<Vec<_>, _>>()?.concat())
    }
}

impl ResourceReply<AsValue> for Blob {
    fn into_contents(self, resource: &Resource) -> Result<Vec<ResourceContents>, Failure> {
        let described = resource
            .clone()
            .size(self.bytes.len() as u64)
            .mime_type(self.mime_type);
        Ok(vec![ResourceContents::new(
            described,
            Body::Blob(self.bytes),
        )])
    }
}

impl ResourceReply<AsValue> for String {
    fn into_contents(self, resource: &Resource) -> Result<Vec<ResourceContents>, Failure> {
        let described = resource.clone().size(self.len() as u64);
        Ok(vec![ResourceContents::new(described, Body::Text(self))])
    }
}

impl ResourceReply<AsValue> for &'static str {
    fn into_contents(self, resource: &Resource) -> Result<Vec<ResourceContents>, Failure> {
        self.to_owned().into_contents(resource)
    }
}

impl ResourceReply<AsValue> for Vec<ResourceContents> {
    fn into_contents(self, _: &Resource) -> Result<Vec<ResourceContents>, Failure> {
        Ok(self)
    }
}

impl<T, Ok, E, By> ResourceReply<InResult<(Ok, By)>> for Result<T, E>
where
    T: ResourceReply<Ok>,
    E: IntoFailure<By>,
{
    fn into_contents(self, resource: &Resource) -> Result<Vec<ResourceContents>, Failure> {
        self.map_err(IntoFailure::into_failure)?
            .into_contents(resource)
    }

    fn problems() -> &'static [ProblemCode] {
        E::problems()
    }
}
