//! The converters of a store, and the metadata that lists their formats.

use std::sync::Arc;

use plainly_protocol::types::{Meta, Representation, Resource, ResourceContents};

use crate::Converter;

/// The converters of a store, in the order of their offers.
#[derive(Clone, Debug, Default)]
pub(super) struct Converters(Vec<Arc<dyn Converter>>);

/// A format that a converter may produce for a resource.
pub(super) struct Offer {
    pub(super) converter: Arc<dyn Converter>,
    /// The MIME type of the format.
    pub(super) gives: String,
    pub(super) has_pages: bool,
}

impl Converters {
    pub(super) fn add(&mut self, converter: impl Converter) {
        self.0.push(Arc::new(converter));
    }

    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The formats that converters may produce for a resource of this type and size: each type
    /// once, and not its own. An empty resource has none.
    pub(super) fn of(&self, own: Option<&str>, size: Option<u64>) -> Vec<Offer> {
        let Some(own) = own.filter(|_| size != Some(0)) else {
            return Vec::new();
        };
        let mut found: Vec<Offer> = Vec::new();
        for converter in &self.0 {
            let Some(gives) = converter.gives(own) else {
                continue;
            };
            let known = found.iter().map(|offer| &*offer.gives);
            let is_new = |known: &str| !known.eq_ignore_ascii_case(gives);
            if known.chain([own]).all(is_new) {
                found.push(Offer {
                    converter: Arc::clone(converter),
                    gives: gives.to_owned(),
                    has_pages: converter.has_pages(own),
                });
            }
        }
        found
    }

    /// The converter that finds titles of resources of this type.
    pub(super) fn of_titles(&self, own: &str) -> Option<&Arc<dyn Converter>> {
        self.0.iter().find(|converter| converter.has_titles(own))
    }

    /// Adds the formats of a resource to its metadata, if there are several.
    pub(super) fn announce_resource(&self, resource: &mut Resource) {
        if resource.is_collection != Some(true) {
            let own = resource.mime_type.as_deref();
            self.announce(own, resource.size, &mut resource.meta);
        }
    }

    /// Adds the formats of its resource to the metadata of a content, if there are several.
    pub(super) fn announce_content(&self, content: &mut ResourceContents) {
        if content.is_collection != Some(true) {
            let own = content.mime_type.as_deref();
            self.announce(own, content.size, &mut content.meta);
        }
    }

    fn announce(&self, own: Option<&str>, size: Option<u64>, meta: &mut Option<Meta>) {
        let offers = self.of(own, size);
        list(own, size, meta, &offers, |_| None);
    }
}

/// Lists the formats of a resource in `_meta`, if there are several: its own, and the offers that
/// are announced or were `made`. For an offer that was tried, `made` returns the size of its text,
/// or `None` if there is no text.
pub(super) fn list(
    own: Option<&str>,
    size: Option<u64>,
    meta: &mut Option<Meta>,
    offers: &[Offer],
    made: impl Fn(&Offer) -> Option<Option<u64>>,
) {
    let Some(own) = own else { return };
    let mut formats = meta
        .as_ref()
        .map(Representation::listed)
        .unwrap_or_default();
    if formats.is_empty() {
        let mut format = Representation::new(own);
        format.size = size;
        formats.push(format);
    }
    let known = formats.len();
    for offer in offers {
        let made = made(offer);
        let is_there = match made {
            Some(size) => size.is_some(),
            None => offer.converter.is_announced(),
        };
        if is_there {
            let mut format = Representation::new(&*offer.gives);
            format.size = made.flatten();
            format.has_pages = offer.has_pages.then_some(true);
            formats.push(format);
        }
    }
    if formats.len() > known {
        Representation::list(&formats, meta.get_or_insert_default());
    }
}
