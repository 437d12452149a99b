//! An excerpt: the lines of a section that have most of a question, below the headings that it stands under. Read from the file as
//! it is now, by the way that any request takes: what became hidden since is not found.

use std::cmp::Reverse;
use std::io::Seek;

use plainly::protocol::part::Part;
use plainly::store::StoreError;

use super::super::find::Hit;
use super::super::lines::{self, Line};
use super::super::rank::{Question, RankedText, Terms, TextSection};
use super::reader;
use crate::describe;
use crate::handle::refuse;
use crate::place::OpenEntry;
use crate::request::Request;
use crate::walk::usable;

/// The most lines of a section, besides headings.
const LINES: usize = 3;

/// The section of a file, with an excerpt and the URI of the part that it is; `None` if the file is gone.
pub(super) fn hit(
    request: &Request<'_>,
    uri: &str,
    text: &RankedText,
    section: Option<&TextSection>,
    question: &Question,
    terms: &mut Terms,
) -> Result<Option<Hit>, StoreError> {
    let target = request.target(uri)?;
    let opened = usable(uri, request.place(target.root).open(&target.path))?;
    let Some(OpenEntry::File(file)) = opened else {
        return Ok(None);
    };
    let lines = section.and_then(|section| {
        let content = reader::text(&file.file, target.name())?;
        let above = text.above(section);
        Some(excerpt(&content, &above, section, question, terms))
    });
    // Its kind is seen at its beginning.
    (&file.file).rewind().map_err(refuse)?;
    let mut resource = describe::opened(uri, target.name(), &OpenEntry::File(file))?;
    if let Some(section) = section {
        let part = Part::Lines {
            first: section.first.into(),
            last: Some(section.end.into()),
        };
        resource.uri = part.uri(uri);
        resource.size = None;
    }
    let lines = lines.unwrap_or_default();
    Ok(Some(Hit { resource, lines }))
}

/// The headings above, the first line, and the lines with most of the question.
fn excerpt(
    content: &str,
    above: &[u32],
    section: &TextSection,
    question: &Question,
    terms: &mut Terms,
) -> Vec<Line> {
    let mut first = None;
    let mut found = Vec::new();
    let mut shown = Vec::new();
    for (number, line) in (0..section.end).zip(content.lines()) {
        let is_inside = number >= section.first;
        if !is_inside && !above.contains(&number) {
            continue;
        }
        let in_common = question.in_common(line, terms);
        let is_first = is_inside && first.is_none() && !line.trim().is_empty();
        if is_first {
            first = Some(number);
        }
        if !is_inside || is_first {
            shown.push(shown_line(number, line, in_common > 0));
        } else if in_common > 0 {
            found.push((in_common, number, line));
        }
    }
    found.sort_by_key(|(in_common, number, _)| (Reverse(*in_common), *number));
    found.truncate(LINES);
    shown.extend(
        found
            .into_iter()
            .map(|(_, number, line)| shown_line(number, line, true)),
    );
    shown.sort_by_key(|line| line.number);
    shown
}

fn shown_line(number: u32, line: &str, is_match: bool) -> Line {
    Line {
        number: u64::from(number) + 1,
        text: lines::cut(line.trim_ascii_end().as_bytes(), 0),
        is_match,
    }
}
