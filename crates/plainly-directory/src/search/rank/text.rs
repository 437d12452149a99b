//! A text prepared for ranking: the positions of its sections, and the terms of each with their
//! counts and places.

use std::collections::HashMap;

use super::terms::{Term, Terms, Use};

/// The numbers of lines and words after which a section ends at the next empty line.
const LINES: u32 = 60;
const WORDS: u32 = 600;

/// The maximum number of lines of a section without empty lines.
const MOST_LINES: u32 = 120;

/// The number of counts above which sections no longer get the terms of the headings above them.
/// Headings above many sections would need more memory than the text itself.
const COUNTS: usize = 256 << 10;

/// The maximum number of lines of the first paragraph.
const LEAD: u32 = 8;

/// The section that stands for the whole text.
pub(super) const WHOLE: u16 = u16::MAX;

/// A text prepared for ranking.
#[derive(Debug)]
pub(in crate::search) struct RankedText {
    pub(super) sections: Box<[TextSection]>,
    /// The counts, sorted by term and section.
    pub(super) counts: Box<[TermCount]>,
}

/// A part of a text: a heading and the lines below it up to the next heading, or some lines of a
/// text without headings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::search) struct TextSection {
    /// The number of lines before it.
    pub(in crate::search) first: u32,
    /// The number of lines before its end.
    pub(in crate::search) end: u32,
    /// The section whose heading is the next one above this section.
    parent: Option<u16>,
    /// The number of words in the section.
    pub(super) words: u32,
}

/// A term of a section, with the number of times it is in the lines and the other places that have
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TermCount {
    pub(super) term: Term,
    pub(super) section: u16,
    pub(super) places: TermPlaces,
}

/// The places of a section that contain a term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TermPlaces {
    /// The number of times in the section's lines.
    pub(super) lines: u8,
    /// The other places, one bit each.
    others: u8,
}

/// A place other than the lines of a section.
#[derive(Clone, Copy, Debug)]
pub(super) enum TermPlace {
    Heading,
    HeadingAbove,
    Title,
    /// The first paragraph of a text.
    Lead,
    Name,
    Directory,
}

impl TermPlaces {
    pub(super) fn has(self, place: TermPlace) -> bool {
        self.others & (1 << place as u8) != 0
    }

    /// The union of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            lines: self.lines.saturating_add(other.lines),
            others: self.others | other.others,
        }
    }
}

impl From<TermPlace> for TermPlaces {
    fn from(place: TermPlace) -> Self {
        Self {
            lines: 0,
            others: 1 << place as u8,
        }
    }
}

/// A term that is in the lines once.
const LINE: TermPlaces = TermPlaces {
    lines: 1,
    others: 0,
};

impl RankedText {
    /// A text of which only the path is known.
    pub(in crate::search) fn unread(path: &str, terms: &mut Terms) -> Self {
        TextDraft::new(path, terms).finish(0)
    }

    /// Whether only the path of the text is known.
    pub(in crate::search) fn is_unread(&self) -> bool {
        self.sections.is_empty()
    }

    pub(in crate::search) fn section(&self, index: usize) -> Option<&TextSection> {
        self.sections.get(index)
    }

    /// The number of lines before each heading above a section, from the top.
    pub(in crate::search) fn above(&self, section: &TextSection) -> Vec<u32> {
        let parent = |section: &TextSection| self.section(section.parent?.into());
        let mut above: Vec<u32> = std::iter::successors(parent(section), |above| parent(above))
            .map(|above| above.first)
            .collect();
        above.reverse();
        above
    }

    /// The memory that the text uses, in bytes.
    pub(in crate::search) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.sections) + size_of_val(&*self.counts)
    }
}

/// A text that is being prepared.
pub(super) struct TextDraft<'a> {
    terms: &'a mut Terms,
    sections: Vec<TextSection>,
    counts: Vec<TermCount>,
    /// The terms of the current section.
    current: HashMap<Term, TermPlaces>,
    /// The headings above the current line.
    headings: Vec<OpenHeading>,
    has_title: bool,
    /// Whether the first paragraph has ended.
    is_after_lead: bool,
}

/// A heading that other headings and lines may be below.
struct OpenHeading {
    line: u32,
    level: u8,
    section: u16,
    terms: Vec<Term>,
}

impl<'a> TextDraft<'a> {
    /// Starts a text with the terms of its path.
    pub(super) fn new(path: &str, terms: &'a mut Terms) -> Self {
        let mut draft = Self {
            terms,
            sections: Vec::new(),
            counts: Vec::new(),
            current: HashMap::new(),
            headings: Vec::new(),
            has_title: false,
            is_after_lead: false,
        };
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        draft.whole(directory, TermPlace::Directory);
        draft.whole(name, TermPlace::Name);
        draft.begin(0);
        draft
    }

    /// Adds a title, whose terms belong to the whole text.
    pub(super) fn title(&mut self, text: &str) {
        self.whole(text, TermPlace::Title);
        self.has_title = true;
    }

    /// Adds a heading, which starts a section. The highest `level` is 1.
    pub(super) fn heading(&mut self, line: u32, level: u8, text: &str) {
        if !self.has_title {
            self.title(text);
        }
        let mut own = Vec::new();
        self.terms.each(text, Use::Text, |term| own.push(term));
        // A second heading on the same line belongs to the section of the first.
        let is_second = self.headings.last().is_some_and(|known| known.line == line);
        if !is_second {
            self.headings.retain(|above| above.level < level);
            self.begin(line);
        }
        for term in &own {
            add(&mut self.current, *term, TermPlace::Heading.into());
        }
        if !is_second {
            self.headings.push(OpenHeading {
                line,
                level,
                section: self.last(),
                terms: own,
            });
        }
    }

    /// Adds a line, or a part of one.
    pub(super) fn text(&mut self, line: u32, text: &str) {
        let is_full = |section: &TextSection| line.saturating_sub(section.first) >= MOST_LINES;
        if self.sections.last().is_some_and(is_full) {
            self.begin(line);
        }
        let Some(section) = self.sections.last() else {
            return;
        };
        let is_long = line.saturating_sub(section.first) >= LINES || section.words >= WORDS;
        if is_long && text.trim().is_empty() {
            self.begin(line + 1);
            return;
        }
        let is_in_lead = match text.trim().is_empty() {
            true => {
                self.is_after_lead |= section.words > 0;
                false
            }
            false => !self.is_after_lead && line < LEAD,
        };
        let places = match is_in_lead {
            true => LINE.and(TermPlace::Lead.into()),
            false => LINE,
        };
        let Self {
            terms,
            current,
            sections,
            ..
        } = self;
        let mut words = 0;
        terms.each(text, Use::Text, |term| {
            add(current, term, places);
            words += 1;
        });
        if let Some(section) = sections.last_mut() {
            section.words += words;
        }
    }

    fn whole(&mut self, text: &str, place: TermPlace) {
        let counts = &mut self.counts;
        self.terms.each(text, Use::Text, |term| {
            counts.push(TermCount {
                term,
                section: WHOLE,
                places: place.into(),
            });
        });
    }

    /// The index of the current section.
    fn last(&self) -> u16 {
        u16::try_from(self.sections.len()).unwrap_or(WHOLE) - 1
    }

    fn begin(&mut self, line: u32) {
        self.close(line);
        // If there are more sections than indices, the last section takes the remaining lines.
        if self.sections.len() < usize::from(WHOLE) {
            if self.counts.len() < COUNTS {
                for term in self.headings.iter().flat_map(|heading| &heading.terms) {
                    add(&mut self.current, *term, TermPlace::HeadingAbove.into());
                }
            }
            self.sections.push(TextSection {
                first: line,
                end: line,
                parent: self.headings.last().map(|heading| heading.section),
                words: 0,
            });
        }
    }

    /// Ends the current section. A section without lines is removed.
    fn close(&mut self, line: u32) {
        let Some(last) = self.sections.last_mut() else {
            return;
        };
        last.end = line;
        if last.first == line {
            // Words before a heading on the same line belong to the heading's section.
            if last.words == 0 {
                self.current.clear();
            }
            self.sections.pop();
            return;
        }
        let section = self.last();
        let own = self.current.drain();
        self.counts.extend(own.map(|(term, places)| TermCount {
            term,
            section,
            places,
        }));
    }

    /// Ends the text before line `end`.
    pub(super) fn finish(mut self, end: u32) -> RankedText {
        self.close(end);
        self.counts.sort_unstable();
        // Merges counts of the same term and section, for example where both the name and the title
        // contain the term.
        self.counts.dedup_by(|next, first| {
            let is_same = (next.term, next.section) == (first.term, first.section);
            if is_same {
                first.places = first.places.and(next.places);
            }
            is_same
        });
        RankedText {
            sections: self.sections.into(),
            counts: self.counts.into(),
        }
    }
}

fn add(terms: &mut HashMap<Term, TermPlaces>, term: Term, places: TermPlaces) {
    let known = terms.entry(term).or_default();
    *known = known.and(places);
}
