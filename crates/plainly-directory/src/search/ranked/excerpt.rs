//! Excerpts: the lines of a section that contain most of a question, below the section's headings.
//! The file is opened again like in any request, so files that became hidden meanwhile are not
//! found.

use std::cmp::Reverse;
use std::io::Seek;
use std::time::Instant;

use plainly::protocol::part::Part;
use plainly::store::StoreError;

use super::super::decoded;
use super::super::documents::{DocumentOutcome, DocumentReader};
use super::super::find::Hit;
use super::super::lines::{self, Line};
use super::super::rank::{Question, RankedText, Terms, TextSection};
use super::reader;
use crate::describe;
use crate::handle::refuse;
use crate::place::OpenEntry;
use crate::request::Request;
use crate::walk::usable;

/// The maximum number of lines of a section, besides headings.
const LINES: usize = 3;

/// A maker of excerpts for a question.
pub(super) struct Excerpts<'a> {
    request: &'a Request<'a>,
    question: &'a Question,
    documents: &'a DocumentReader,
    until: Instant,
    terms: Terms,
}

impl<'a> Excerpts<'a> {
    pub(super) fn new(
        request: &'a Request<'a>,
        question: &'a Question,
        documents: &'a DocumentReader,
        until: Instant,
    ) -> Self {
        Self {
            request,
            question,
            documents,
            until,
            terms: Terms::new(),
        }
    }

    /// The hit for a section of a file: the URI of that part, and an excerpt. `None` if the file is
    /// gone.
    pub(super) fn hit(
        &mut self,
        uri: &str,
        text: &RankedText,
        section: Option<&TextSection>,
    ) -> Result<Option<Hit>, StoreError> {
        let target = self.request.target(uri)?;
        let opened = usable(uri, self.request.place(target.root).open(&target.path))?;
        let Some(OpenEntry::File(file)) = opened else {
            return Ok(None);
        };
        let size = file.metadata.len();
        let format = self.documents.format(target.name(), uri, size);
        let content = match (section, &format) {
            (Some(_), None) => decoded::beginning(&file.file, target.name()),
            (_, _) => None,
        };
        // The kind of the file is determined from its beginning.
        (&file.file).rewind().map_err(refuse)?;
        let mut resource = describe::opened(uri, target.name(), &OpenEntry::File(file))?;
        let mut lines = Vec::new();
        if let Some(section) = section {
            resource.size = None;
            (resource.uri, lines) = match format {
                Some(format) => self.of_document(uri, &format, text, section),
                None => {
                    let part = Part::Lines {
                        first: section.first.into(),
                        last: Some(section.end.into()),
                    };
                    let lines = content.map(|content| self.excerpt(&content, text, section));
                    (part.uri(uri), lines.unwrap_or_default())
                }
            };
        }
        Ok(Some(Hit { resource, lines }))
    }

    /// The URI of the pages that contain a section of a document, and the excerpt with line numbers
    /// that count from these pages.
    fn of_document(
        &mut self,
        uri: &str,
        format: &str,
        text: &RankedText,
        section: &TextSection,
    ) -> (String, Vec<Line>) {
        let read = self
            .documents
            .text(uri, format, self.request.waiter, self.until);
        let DocumentOutcome::Text(document) = read else {
            return (uri.to_owned(), Vec::new());
        };
        let last = section.end.saturating_sub(1);
        let (part, before) = document.pages_of(uri, section.first.into(), last.into());
        let mut lines = self.excerpt(reader::beginning(&document.text), text, section);
        // Headings on earlier pages are not in this part.
        lines.retain(|line| line.number > before);
        for line in &mut lines {
            line.number -= before;
        }
        (part, lines)
    }

    fn excerpt(&mut self, content: &str, text: &RankedText, section: &TextSection) -> Vec<Line> {
        let above = text.above(section);
        excerpt(content, &above, section, self.question, &mut self.terms)
    }
}

/// The headings above the section, its first line, and the lines that contain most of the question.
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
