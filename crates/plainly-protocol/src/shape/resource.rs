//! Resources and their contents, for clients that strip metadata which their schema lacks. The
//! metadata is repeated in `_meta`, which they pass on, and is read back from there.

use plainly_errors::Revision;
use plainly_errors::revision::Revisions;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Shape;
use crate::types::{
    Annotations, ListResourcesResult, MIRRORED, Meta, ReadResourceResult, Resource,
    ResourceContents, ResourceMetadataResult,
};

/// The revisions whose clients pass on unknown members.
const UNSTRIPPED: Revisions = Revisions::MODERN;

/// The metadata that is repeated.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct MirroredMetadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_collection: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations>,
}

/// A result whose stripped metadata can be restored.
pub trait Restore {
    /// Restores missing metadata from its copy in `_meta` and removes the copy. Also sets whether
    /// the resource is a collection, if only its capabilities show it.
    fn restore(&mut self);
}

impl MirroredMetadata {
    fn write(&self, meta: &mut Option<Meta>) {
        let mirrored = json!(self);
        if mirrored.as_object().is_some_and(|all| !all.is_empty()) {
            meta.get_or_insert_default()
                .insert(MIRRORED.to_owned(), mirrored);
        }
    }

    fn take(meta: &mut Option<Meta>) -> Self {
        let mirrored = meta.as_mut().and_then(|meta| meta.remove(MIRRORED));
        if mirrored.is_some() {
            meta.take_if(|meta| meta.is_empty());
        }
        // Any other value of this key is ignored, like other members of `_meta`.
        mirrored
            .and_then(|mirrored| serde_json::from_value(mirrored).ok())
            .unwrap_or_default()
    }
}

impl Shape for Resource {
    fn shape(&mut self, revision: Revision) {
        if UNSTRIPPED.has(revision) {
            return;
        }
        // The schema of a resource has the other members.
        MirroredMetadata {
            size: self.size,
            is_collection: self.is_collection,
            ..MirroredMetadata::default()
        }
        .write(&mut self.meta);
    }
}

impl Restore for Resource {
    fn restore(&mut self) {
        let mirrored = MirroredMetadata::take(&mut self.meta);
        self.size = self.size.or(mirrored.size);
        let listed = self.capabilities.as_ref().and_then(|has| has.list);
        self.is_collection = self.is_collection.or(mirrored.is_collection).or(listed);
    }
}

impl Shape for ResourceContents {
    fn shape(&mut self, revision: Revision) {
        if UNSTRIPPED.has(revision) {
            return;
        }
        MirroredMetadata {
            name: self.name.clone(),
            size: self.size,
            is_collection: self.is_collection,
            annotations: self.annotations.clone(),
        }
        .write(&mut self.meta);
    }
}

impl Restore for ResourceContents {
    fn restore(&mut self) {
        let mirrored = MirroredMetadata::take(&mut self.meta);
        self.name = self.name.take().or(mirrored.name);
        self.size = self.size.or(mirrored.size);
        let listed = self.capabilities.as_ref().and_then(|has| has.list);
        self.is_collection = self.is_collection.or(mirrored.is_collection).or(listed);
        self.annotations = self.annotations.take().or(mirrored.annotations);
    }
}

/// Restores each resource or content of a result.
macro_rules! restore_each {
    ($($result:ident: $field:ident),+) => {
        $(impl Restore for $result {
            fn restore(&mut self) {
                self.$field.iter_mut().for_each(Restore::restore);
            }
        })+
    };
}

restore_each!(ListResourcesResult: resources, ReadResourceResult: contents);

impl Restore for ResourceMetadataResult {
    fn restore(&mut self) {
        self.resource.restore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ResourceCapabilities;

    fn notes() -> Resource {
        Resource::new("n:1", "one")
            .size(3)
            .is_collection(false)
            .annotations(Annotations::new().last_modified("2026-01-01T00:00:00Z"))
    }

    #[test]
    fn what_clients_of_older_revisions_strip_is_in_meta_and_is_read_back() {
        for revision in Revision::ALL {
            let mut contents = ResourceContents::new(notes(), "one");
            let before = contents.clone();
            contents.shape(revision);
            let is_mirrored = !UNSTRIPPED.has(revision);
            assert_eq!(contents.meta.is_some(), is_mirrored, "{revision}");
            if is_mirrored {
                (contents.name, contents.size) = (None, None);
                (contents.is_collection, contents.annotations) = (None, None);
            }
            contents.restore();
            assert_eq!(contents, before, "{revision}");

            let mut resource = notes();
            resource.shape(revision);
            if is_mirrored {
                (resource.size, resource.is_collection) = (None, None);
            }
            let mut listed = ListResourcesResult::new([resource]);
            listed.restore();
            assert_eq!(listed.resources, [notes()], "{revision}");
        }
    }

    #[test]
    fn what_is_there_wins_and_what_is_no_copy_is_nothing() {
        let mut one = notes();
        let other = json!({"size": 9, "isCollection": true});
        one.meta = Some(Meta::from_iter([(MIRRORED, other)]));
        one.restore();
        assert_eq!(one, notes());
        let mut one = Resource::new("n:1", "one");
        one.meta = Some(Meta::from_iter([(MIRRORED, json!([1]))]));
        one.restore();
        assert_eq!(one, Resource::new("n:1", "one"));
    }

    #[test]
    fn what_can_be_listed_is_a_collection() {
        let capabilities = ResourceCapabilities::new().list(true);
        let mut one = Resource::new("n:1", "one").capabilities(capabilities);
        one.restore();
        assert_eq!(one.is_collection, Some(true));
    }
}
