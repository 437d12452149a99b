//! The return types of the handlers that describe and list a template's resources: the metadata of
//! one resource or of several. The host's code reads their results.

use plainly_errors::ProtocolError;
use plainly_protocol::types::Resource;

use super::{AsValue, InResult};
use crate::failure::{Failure, IntoFailure};

/// A value that a handler for describing a resource may return. `By` is always inferred.
#[diagnostic::on_unimplemented(
    message = "a resource can't be described by `{Self}`",
    label = "not the metadata of a resource",
    note = "return `types::Resource`, an `Option` of one where `None` is not found, or a `Result` of one of them"
)]
pub trait MetadataReply<By> {
    /// Converts the value to the metadata of the resource at `uri`.
    fn into_metadata(self, uri: &str) -> Result<Resource, Failure>;
}

impl MetadataReply<AsValue> for Resource {
    fn into_metadata(self, _: &str) -> Result<Resource, Failure> {
        Ok(self)
    }
}

impl MetadataReply<AsValue> for Option<Resource> {
    fn into_metadata(self, uri: &str) -> Result<Resource, Failure> {
        Ok(self.ok_or_else(|| ProtocolError::resource_not_found(uri))?)
    }
}

impl<T, Ok, E, By> MetadataReply<InResult<(Ok, By)>> for Result<T, E>
where
    T: MetadataReply<Ok>,
    E: IntoFailure<By>,
{
    fn into_metadata(self, uri: &str) -> Result<Resource, Failure> {
        self.map_err(IntoFailure::into_failure)?.into_metadata(uri)
    }
}

/// A value that a handler for listing resources may return. `By` is always inferred.
#[diagnostic::on_unimplemented(
    message = "resources can't be listed by `{Self}`",
    label = "not a list of the metadata of resources",
    note = "return `Vec<types::Resource>`, or a `Result` of one"
)]
pub trait ListReply<By> {
    /// Converts the value to the metadata of each resource.
    fn into_list(self) -> Result<Vec<Resource>, Failure>;
}

impl ListReply<AsValue> for Vec<Resource> {
    fn into_list(self) -> Result<Vec<Resource>, Failure> {
        Ok(self)
    }
}

impl<E: IntoFailure<By>, By> ListReply<InResult<By>> for Result<Vec<Resource>, E> {
    fn into_list(self) -> Result<Vec<Resource>, Failure> {
        self.map_err(IntoFailure::into_failure)
    }
}
