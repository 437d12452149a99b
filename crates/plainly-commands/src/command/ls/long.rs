//! A resource in one line with all its listed fields: as a table on a terminal, as exact fields
//! otherwise.

use bytesize::ByteSize;
use plainly::protocol::types::Resource;

use crate::command::stat::{kind, local_time};
use crate::failure::Failure;
use crate::output::Output;

/// The placeholder for a field that the server leaves out.
const UNSAID: &str = "-";

/// Prints the names of the fields above a table.
pub(super) fn header(output: &mut Output) -> Result<(), Failure> {
    output.head(["KIND", "SIZE", "MODIFIED", "MIME TYPE", "URI"], columns)
}

pub(super) fn row(resource: &Resource, output: &mut Output) -> Result<(), Failure> {
    let annotations = resource.annotations.as_ref();
    let modified = annotations.and_then(|annotations| annotations.last_modified.as_deref());
    let is_table = output.is_table();
    let size = resource.size.map(|size| match is_table {
        true => ByteSize::b(size).display().iec_short().to_string(),
        false => size.to_string(),
    });
    let modified = modified.map(|time| match is_table {
        true => local_time(time),
        false => time.to_owned(),
    });
    let fields = [
        kind(resource),
        size.as_deref().unwrap_or(UNSAID),
        modified.as_deref().unwrap_or(UNSAID),
        resource.mime_type.as_deref().unwrap_or(UNSAID),
        &resource.uri,
    ];
    output.row(fields, columns)
}

/// One line in columns of fixed width, so that each page can be printed before the next one
/// arrives. A longer field only shifts its own line.
fn columns([kind, size, modified, mime_type, uri]: [&str; 5]) -> String {
    format!("{kind:<10}  {size:>6}  {modified:<16}  {mime_type:<24}  {uri}")
}
