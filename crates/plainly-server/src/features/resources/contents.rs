//! The check of a resource's contents before they are sent. Only a collection may have no content
//! or contents of other resources; several contents of another resource are its representations
//! (SEP-2093). It does not depend on where the contents were read.

use plainly_errors::ProtocolError;
use plainly_protocol::types::{Representation, Resource, ResourceContents};

use crate::store::Formats;

/// A rule that the contents of a resource violate, although it is not a collection.
#[derive(Debug, thiserror::Error)]
pub(super) enum ContentsFault {
    /// There are no contents.
    #[error("reading {uri} gave no contents, but it is not a collection")]
    Nothing { uri: String },
    /// Some contents belong to another resource.
    #[error("reading {uri} gave contents of {other}, but it is not a collection")]
    Another { uri: String, other: String },
    /// Two contents have the same format.
    #[error("reading {uri} gave two contents with {}, but each format may occur only once", mime_type.as_deref().unwrap_or("no MIME type"))]
    Repeated {
        uri: String,
        mime_type: Option<String>,
    },
}

/// Checks the `contents` of `uri`, which is not a collection.
pub(super) fn check(uri: &str, contents: &[ResourceContents]) -> Result<(), ContentsFault> {
    if contents.is_empty() {
        return Err(ContentsFault::Nothing {
            uri: uri.to_owned(),
        });
    }
    if let Some(content) = contents.iter().find(|content| content.uri != uri) {
        return Err(ContentsFault::Another {
            uri: uri.to_owned(),
            other: content.uri.clone(),
        });
    }
    for (index, content) in contents.iter().enumerate() {
        let before = contents.iter().take(index);
        if before
            .into_iter()
            .any(|other| other.mime_type == content.mime_type)
        {
            return Err(ContentsFault::Repeated {
                uri: uri.to_owned(),
                mime_type: content.mime_type.clone(),
            });
        }
    }
    Ok(())
}

/// Whether any content of `uri` lacks metadata that every resource has.
pub(super) fn lack_metadata(uri: &str, contents: &[ResourceContents]) -> bool {
    contents
        .iter()
        .filter(|content| content.uri == uri)
        .any(|content| content.name.is_none() || content.is_collection.is_none())
}

/// Adds the metadata that contents of `resource`, which is read as `uri`, lack, so that all have
/// the same.
pub(super) fn describe(uri: &str, contents: &mut [ResourceContents], resource: &Resource) {
    let is_only = contents.len() == 1;
    for content in contents.iter_mut().filter(|content| content.uri == uri) {
        content.name.get_or_insert_with(|| resource.name.clone());
        fill(&mut content.title, &resource.title);
        fill(&mut content.description, &resource.description);
        fill(&mut content.is_collection, &resource.is_collection);
        fill(&mut content.icons, &resource.icons);
        fill(&mut content.annotations, &resource.annotations);
        fill(&mut content.meta, &resource.meta);
        // With several contents, it is unknown which one the MIME type of the resource belongs to.
        if is_only {
            fill(&mut content.mime_type, &resource.mime_type);
        }
    }
}

fn fill<T: Clone>(said: &mut Option<T>, known: &Option<T>) {
    if said.is_none() {
        said.clone_from(known);
    }
}

/// Sets the size of each content, which is now known for certain. If the resource at `uri` has
/// several formats, also sets the list of them, because they are one resource with one name. If the
/// client chose formats, only the returned ones are listed.
pub(super) fn complete(uri: &str, contents: &mut [ResourceContents], formats: &Formats) {
    for content in &mut *contents {
        content.size = Some(content.body.as_bytes().len() as u64);
    }
    let is_own = |content: &ResourceContents| content.uri == uri;
    if contents.iter().filter(|content| is_own(content)).count() < 2 {
        return;
    }
    let own = contents.iter_mut().filter(|content| is_own(content));
    let mut own: Vec<_> = own.collect();
    let listed = merged(&own, *formats != Formats::All);
    for content in &mut own {
        Representation::list(&listed, content.meta.get_or_insert_default());
    }
    if let [first, others @ ..] = own.as_mut_slice() {
        for other in others {
            other.name.clone_from(&first.name);
            other.title.clone_from(&first.title);
            other.description.clone_from(&first.description);
            other.annotations.clone_from(&first.annotations);
        }
    }
}

/// The formats that the first content lists, and those of all contents with their sizes. Without
/// `others`, only the latter.
fn merged(own: &[&mut ResourceContents], others: bool) -> Vec<Representation> {
    let listed = own.first().and_then(|content| content.meta.as_ref());
    let mut formats = listed.map(Representation::listed).unwrap_or_default();
    let mut came = Vec::new();
    for content in own {
        let Some(mime_type) = &content.mime_type else {
            continue;
        };
        came.push(mime_type.clone());
        match formats.iter_mut().find(|it| it.mime_type == *mime_type) {
            Some(format) => format.size = content.size,
            None => {
                let mut format = Representation::new(mime_type.clone());
                format.size = content.size;
                formats.push(format);
            }
        }
    }
    formats.retain(|format| others || came.contains(&format.mime_type));
    formats
}

/// The log gets the details; the client only learns that reading failed.
impl From<ContentsFault> for ProtocolError {
    fn from(broken: ContentsFault) -> Self {
        Self::internal("The resource could not be read").with_source(broken)
    }
}
