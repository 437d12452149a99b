//! The formats of a resource: of some, a reader gets another one as text in the place of its own.

use plainly_protocol::types::{Representation, Resource};

/// The types of text that programs show their users as something else.
const FOR_PROGRAMS: [&str; 1] = ["application/x-ipynb+json"];

/// Whether programs show a text of this type as something else: it is JSON, which a model may never have seen.
pub(super) fn is_for_programs(mime_type: Option<&str>) -> bool {
    mime_type.is_some_and(|mime_type| FOR_PROGRAMS.contains(&mime_type))
}

/// The formats of a resource besides its own.
pub(super) fn others(resource: &Resource) -> Vec<String> {
    let formats = resource.meta.as_ref().map(Representation::listed);
    let formats = formats.unwrap_or_default().into_iter();
    let others = formats.map(|format| format.mime_type);
    let is_other = |format: &String| resource.mime_type.as_ref() != Some(format);
    others.filter(is_other).collect()
}
