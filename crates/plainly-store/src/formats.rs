//! The formats of a resource. For some types, a reader gets another format as text instead of the
//! resource's own.

use plainly_protocol::types::{Representation, Resource};

/// The text types that programs show to their users in another form.
const FOR_PROGRAMS: [&str; 1] = ["application/x-ipynb+json"];

/// Whether programs show a text of this type in another form. It is JSON, which a model may never
/// have seen.
pub(super) fn is_for_programs(mime_type: Option<&str>) -> bool {
    mime_type.is_some_and(|mime_type| FOR_PROGRAMS.contains(&mime_type))
}

/// The formats of a resource other than its own.
pub(super) fn others(resource: &Resource) -> Vec<String> {
    let formats = resource.meta.as_ref().map(Representation::listed);
    let formats = formats.unwrap_or_default().into_iter();
    let others = formats.map(|format| format.mime_type);
    let is_other = |format: &String| resource.mime_type.as_ref() != Some(format);
    others.filter(is_other).collect()
}
