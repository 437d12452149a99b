//! The formats of a file beside its own: what the store's converters make of it, and how its metadata names them.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use plainly::protocol::types::{Body, Meta, Representation, Resource, ResourceContents};
use plainly_convert::{ConvertError, Converter, Draft, Original};

use super::describe;
use super::encoding::ENCODING;

/// The bytes that the representations of one file may still take.
#[derive(Clone, Copy)]
pub(super) struct Allowance<'a> {
    /// Bytes of all of them.
    pub(super) room: usize,
    /// Time for each of them.
    pub(super) time: Duration,
    /// Whether a reader still waits for them.
    pub(super) is_awaited: &'a dyn Fn() -> bool,
}

/// The converters of a store, in the order in which their work is offered.
#[derive(Clone, Debug, Default)]
pub(super) struct Converters {
    all: Vec<Arc<dyn Converter>>,
    /// Whether files are served only in the bytes that they have.
    is_as_is: bool,
}

impl Converters {
    pub(super) fn add(&mut self, converter: impl Converter) {
        self.all.push(Arc::new(converter));
    }

    pub(super) fn as_is(&mut self, as_is: bool) {
        self.is_as_is = as_is;
    }

    /// The content of a file: text if it can be sent as text, which is noted in the resource if it is not in UTF-8.
    pub(super) fn body(&self, content: Vec<u8>, resource: &mut Resource) -> Body {
        if self.is_as_is {
            return Body::of_bytes(content);
        }
        let mime_type = resource.mime_type.as_deref().unwrap_or_default();
        let (body, encoding) = describe::body(content, mime_type);
        if let Some(encoding) = encoding {
            let meta = resource.meta.get_or_insert_default();
            meta.insert(ENCODING.to_owned(), encoding.into());
        }
        body
    }

    /// Adds to a file's metadata its formats, if more than one.
    pub(super) fn announce(&self, resource: &mut Resource) {
        let Some(own) = format(resource) else { return };
        let mut formats = vec![own];
        // Of nothing, nothing can be made.
        let of = self.of(resource).into_iter();
        let sure = of.filter(|(converter, _)| converter.is_announced() && resource.size != Some(0));
        formats.extend(sure.map(|(_, mime_type)| Representation::new(mime_type)));
        if formats.len() > 1 {
            list(&formats, &mut resource.meta);
        }
    }

    /// The file as it is, and after it what could be made of it.
    pub(super) fn contents(
        &self,
        mut resource: Resource,
        body: Body,
        allowance: Allowance<'_>,
    ) -> Vec<ResourceContents> {
        let of = self.of(&resource);
        if of.is_empty() {
            return vec![ResourceContents::new(resource, body)];
        }
        let mut derived = Vec::new();
        let mut left = allowance;
        for (converter, mime_type) in of {
            if let Some(text) = attempt(converter, &resource, body.as_bytes(), left) {
                left.room -= text.len();
                derived.push((mime_type.to_owned(), text));
            }
        }
        let mut formats: Vec<_> = format(&resource).into_iter().collect();
        formats.extend(derived.iter().map(|(mime_type, text)| {
            Representation::new(mime_type.as_str()).size(text.len() as u64)
        }));
        list(&formats, &mut resource.meta);
        let derived = derived.into_iter().map(|(mime_type, text)| {
            let size = text.len() as u64;
            let mut resource = resource.clone().mime_type(mime_type).size(size);
            resource
                .meta
                .as_mut()
                .and_then(|meta| meta.remove(ENCODING));
            ResourceContents::new(resource, text)
        });
        let mut contents: Vec<_> = derived.collect();
        contents.insert(0, ResourceContents::new(resource, body));
        contents
    }

    /// The converters that make something of the resource, each with the MIME type it makes: every type once, and not its own.
    fn of(&self, resource: &Resource) -> Vec<(&dyn Converter, &str)> {
        let own = resource.mime_type.as_deref();
        let Some(own) = own.filter(|_| !self.is_as_is) else {
            return Vec::new();
        };
        let mut found: Vec<(&dyn Converter, &str)> = Vec::new();
        for converter in &self.all {
            let Some(gives) = converter.gives(own) else {
                continue;
            };
            let mut known = found.iter().map(|(_, known)| *known).chain([own]);
            if !known.any(|known| known.eq_ignore_ascii_case(gives)) {
                found.push((&**converter, gives));
            }
        }
        found
    }
}

/// The format that a file has by itself.
fn format(resource: &Resource) -> Option<Representation> {
    let mut format = Representation::new(resource.mime_type.as_deref()?);
    format.size = resource.size;
    Some(format)
}

fn list(formats: &[Representation], meta: &mut Option<Meta>) {
    Representation::list(formats, meta.get_or_insert_default());
}

/// Runs the converter over the content; `None`, and a warning where something went wrong, if nothing.
fn attempt(
    converter: &dyn Converter,
    resource: &Resource,
    content: &[u8],
    allowance: Allowance<'_>,
) -> Option<String> {
    let original = Original::new(resource.mime_type.as_deref()?, content);
    let mut draft = Draft::new(allowance.room)
        .within(allowance.time)
        .awaited(allowance.is_awaited);
    // A draft is whole after each piece, and a converter that is left in pieces fails again.
    let ended = catch_unwind(AssertUnwindSafe(|| converter.convert(original, &mut draft)));
    let why: ConvertError = match (ended, draft.finish()) {
        (Err(_), _) => "the converter panicked".into(),
        (Ok(_), Err(stopped)) => stopped.into(),
        (Ok(Err(error)), Ok(_)) => error,
        (Ok(Ok(())), Ok(text)) => return (!text.trim().is_empty()).then_some(text),
    };
    tracing::warn!(
        uri = resource.uri,
        ?converter,
        error = &*why as &dyn Error,
        "could not make another representation of this file"
    );
    None
}
