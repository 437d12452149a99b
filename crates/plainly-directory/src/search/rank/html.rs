//! The text and the headings of HTML, by line. Accepts any bytes as HTML, and finds the text that a
//! reader of the page sees: no tags, comments, scripts or styles.

use super::text::TextDraft;

/// The elements whose text a reader doesn't see.
const UNSEEN: [&str; 3] = ["script", "style", "template"];

/// Adds the headings and the text to the draft. Returns the number of lines.
pub(super) fn read(text: &str, draft: &mut TextDraft<'_>) -> u32 {
    let mut page = HtmlText {
        draft,
        line: 0,
        heading: None,
    };
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        page.text(before);
        let length = page.tag(tag);
        let (tag, after) = tag.split_at(length);
        page.line += breaks(tag);
        rest = after;
    }
    page.text(rest);
    page.end_heading();
    match text.ends_with('\n') || text.is_empty() {
        true => page.line,
        false => page.line + 1,
    }
}

/// A page that is being read.
struct HtmlText<'a, 'b> {
    draft: &'a mut TextDraft<'b>,
    line: u32,
    heading: Option<Heading>,
}

/// A heading, or the title, that is being read.
struct Heading {
    line: u32,
    /// The level; 0 for the title.
    level: u8,
    text: String,
}

impl HtmlText<'_, '_> {
    fn text(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text += text;
            heading.text.push(' ');
            self.line += breaks(text);
            return;
        }
        let last = text.matches('\n').count();
        for (index, line) in text.split('\n').enumerate() {
            self.line += u32::from(index > 0);
            // A line is not empty if it contains a tag too.
            if !line.trim().is_empty() || index > 0 && index < last {
                self.draft.text(self.line, &seen(line));
            }
        }
    }

    /// Reads a tag at the beginning of the text. Returns its length, including text that belongs to
    /// it.
    fn tag(&mut self, text: &str) -> usize {
        if text.starts_with("<!--") {
            return end(text, "-->");
        }
        let name = text.get(1..).unwrap_or_default();
        let (is_end, name) = match name.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, name),
        };
        let letters = name.find(|letter: char| !letter.is_ascii_alphanumeric());
        let name = name
            .get(..letters.unwrap_or(name.len()))
            .unwrap_or_default()
            .to_ascii_lowercase();
        if name.is_empty() && !text.starts_with("<!") && !is_end {
            // A less-than sign, not a tag.
            return 1;
        }
        let level = match name.as_str() {
            "title" => Some(0),
            "h1" => Some(1),
            "h2" => Some(2),
            "h3" => Some(3),
            "h4" => Some(4),
            "h5" => Some(5),
            "h6" => Some(6),
            _ => None,
        };
        if let Some(level) = level {
            self.end_heading();
            self.heading = (!is_end).then(|| Heading {
                line: self.line,
                level,
                text: String::new(),
            });
        }
        if !is_end && UNSEEN.contains(&name.as_str()) {
            return end_of(text, &name);
        }
        end(text, ">")
    }

    fn end_heading(&mut self) {
        let Some(Heading { line, level, text }) = self.heading.take() else {
            return;
        };
        let text = seen(&text);
        match level {
            0 => self.draft.title(&text),
            level => self.draft.heading(line, level, &text),
        }
    }
}

/// The length up to the end of `mark`, or of the whole text.
fn end(text: &str, mark: &str) -> usize {
    text.find(mark).map_or(text.len(), |at| at + mark.len())
}

/// The length up to the end tag of an element.
fn end_of(text: &str, name: &str) -> usize {
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find("</")) {
        at += next + 2;
        let rest = text.get(at..).unwrap_or_default();
        if rest
            .get(..name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
        {
            return at + end(rest, ">");
        }
    }
    text.len()
}

fn breaks(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// Replaces character references by spaces, because they end words.
fn seen(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut parts = text.split('&');
    seen += parts.next().unwrap_or_default();
    for part in parts {
        let name = part.find(';').filter(|end| *end < 12);
        seen.push(' ');
        seen += part
            .get(name.map_or(0, |end| end + 1)..)
            .unwrap_or_default();
    }
    seen
}
