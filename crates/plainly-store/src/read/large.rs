//! Reads lines of a text that is too large to be read at once.

use plainly_errors::Problem;
use plainly_protocol::part::Part;
use plainly_protocol::types::{Body, Content, Resource};

use super::lines::{LineSelection, TextExcerpt};
use super::output::ReadOutput;
use crate::{StoreView, problems};
use plainly_server::store::{PartQuery, PartUnit, Store, StoreError, Viewer, read_part};

/// Reads lines of a large resource, as far as they fit into `room`; `None` if the store can't read
/// parts of it, or if it is not text.
pub(super) async fn read<S: Store>(
    source: &StoreView<S>,
    viewer: &Viewer,
    resource: &Resource,
    selection: LineSelection,
    room: &mut usize,
) -> Result<Option<(ReadOutput, Vec<Content>)>, Problem> {
    let uri = &*resource.uri;
    let query = PartQuery::new(uri, part_of(selection)).lines(source.lines.as_deref());
    let content = match read_part(&source.store, query.viewer(viewer)).await {
        Ok(content) => content,
        Err(StoreError::TooLarge { .. }) => return Ok(None),
        Err(StoreError::NoSuchPart { size }) => return Err(problems::after_the_end(size)),
        Err(error) => return Err(problems::of(source, uri, error).await),
    };
    let Body::Text(text) = Body::of_bytes(content.bytes) else {
        return Ok(None);
    };
    let excerpt = TextExcerpt::of(&text, LineSelection::ALL, *room)?;
    *room -= excerpt.text.len();
    let (count, is_cut) = (excerpt.count as u64, excerpt.count < excerpt.total);
    let name = |part: Part| part.uri(uri);
    let mut output = ReadOutput::of_resource(resource);
    let mut notes = Vec::new();
    if content.unit == PartUnit::Line {
        let next = content.first + count + 1;
        notes.push(format!("Lines {} to {}.", content.first + 1, next - 1));
        output.first_line = Some(position(content.first + 1));
        output.total_lines = content.total.map(position);
        let has_more = is_cut || content.total.is_none();
        output.next_offset = has_more.then(|| position(next));
        if has_more {
            notes.push(format!("To continue: offset={next}."));
        }
    } else {
        notes.push(format!("The last {} lines.", excerpt.total));
        if is_cut {
            notes.push(format!("Only the first {count} of them fit."));
        }
        // If lines are cut, the length of the shown text doesn't tell where the next line starts.
        if is_cut && content.cut.is_empty() {
            let first = content.first + excerpt.text.len() as u64;
            let rest = name(Part::Bytes { first, end: None });
            notes.push(format!("To continue: {rest}."));
        }
    }
    if let Some(rest) = content.cut.first().copied().map(name) {
        notes.push(match content.cut.len() {
            1 => format!("A line is cut after 64 KiB: the rest is {rest}."),
            lines => {
                format!("{lines} lines are cut after 64 KiB: the rest of the first is {rest}.")
            }
        });
    }
    if let Some(size) = excerpt.cut {
        let shown = excerpt.text.len();
        notes.push(format!("A line is cut after {shown} of its {size} bytes."));
    }
    let note = notes.join(" ");
    let content = vec![Content::text(excerpt.text), Content::text(&note)];
    output.text = Some(excerpt.text.to_owned());
    output.note = Some(note);
    Ok(Some((output, content)))
}

fn part_of(selection: LineSelection) -> Part {
    match selection {
        LineSelection::Tail(lines) => Part::Tail(lines.max(1) as u64),
        LineSelection::From { offset, limit } => {
            let first = (offset - 1) as u64;
            let last = first.saturating_add(limit as u64);
            Part::Lines {
                first,
                last: (limit < usize::MAX).then_some(last),
            }
        }
    }
}

fn position(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}
