//! Ranges of the bytes of a resource.

use bytes::Bytes;
use plainly_protocol::types::Body;

use super::{Store, StoreError};

/// A request for some bytes of a resource in its own format.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RangeQuery<'a> {
    /// The resource.
    pub uri: &'a str,
    /// The bytes.
    pub range: ByteRange,
}

impl<'a> RangeQuery<'a> {
    /// A request for these bytes of the resource at `uri`.
    pub fn new(uri: &'a str, range: ByteRange) -> Self {
        Self { uri, range }
    }
}

/// A range of a resource's bytes; fewer if the resource ends earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "as in HTTP: from a position, or at the end"
)]
pub enum ByteRange {
    /// Bytes from a position on, counted from 0.
    From {
        /// The position.
        first: u64,
        /// The maximum number of bytes.
        most: u64,
    },
    /// At most this many of the last bytes.
    Last(u64),
}

impl ByteRange {
    /// The position and the length of this range in `size` bytes. Fails if it begins after their
    /// end.
    pub fn within(self, size: u64) -> Result<(u64, u64), StoreError> {
        match self {
            Self::From { first, .. } if first > size => Err(StoreError::NoSuchPart { size }),
            Self::From { first, most } => Ok((first, most.min(size - first))),
            Self::Last(most) => Ok((size - most.min(size), most.min(size))),
        }
    }

    /// Cuts this range out of the bytes of a whole resource, without a copy. Fails if it begins
    /// after their end.
    pub(crate) fn of(self, bytes: &Bytes) -> Result<Ranged, StoreError> {
        let size = bytes.len() as u64;
        let (first, length) = self.within(size)?;
        let start = usize::try_from(first).unwrap_or(bytes.len());
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let end = start.saturating_add(length).min(bytes.len());
        Ok(Ranged::new(bytes.slice(start..end), first, size))
    }
}

/// Bytes of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ranged {
    /// The bytes.
    pub bytes: Bytes,
    /// The position of the first byte in the resource.
    pub first: u64,
    /// The size of the whole resource at that moment, in bytes.
    pub size: u64,
    /// The tag, a text that changes when the content does, if the store has one.
    pub tag: Option<String>,
}

impl Ranged {
    /// These bytes, from the position `first` on, of a resource of `size` bytes.
    pub fn new(bytes: impl Into<Bytes>, first: u64, size: u64) -> Self {
        Self {
            bytes: bytes.into(),
            first,
            size,
            tag: None,
        }
    }

    /// Sets the tag, a text that changes when the content does.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }
}

/// Cuts the range out of the whole content.
pub(super) async fn of_whole<S: Store + ?Sized>(
    store: &S,
    query: RangeQuery<'_>,
) -> Result<Ranged, StoreError> {
    let contents = store.read(query.uri).await?;
    let listed = store.spelling(query.uri);
    let listed = listed.as_deref().unwrap_or(query.uri);
    let mut own = contents.into_iter().filter(|one| one.uri == listed);
    let content = own.next().ok_or(StoreError::NotFound)?;
    let bytes = match content.body {
        Body::Text(text) => Bytes::from(text),
        Body::Blob(bytes) => Bytes::from(bytes),
    };
    query.range.of(&bytes)
}
