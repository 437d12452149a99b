//! The requested URI.

use std::fmt;
use std::ops::Deref;

use super::{Extract, ResourceCall, ResourceChannel};
use crate::server::failure::Failure;

/// The URI of the resource being read, exactly as requested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceUri(String);

impl Extract<ResourceChannel> for ResourceUri {
    fn extract(call: &ResourceCall<'_>) -> Result<Self, Failure> {
        Ok(Self(call.uri.to_owned()))
    }
}

impl Deref for ResourceUri {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<ResourceUri> for String {
    fn from(uri: ResourceUri) -> Self {
        uri.0
    }
}
