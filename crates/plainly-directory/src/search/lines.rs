//! Searches one file, given as its bytes, for matching lines and their context.

use std::ffi::OsStr;
use std::io::{self, Read, Seek as _};
use std::mem;
use std::str::Utf8Error;
use std::time::Instant;

use cap_std::fs::File;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};
use plainly::store::tools::TEXT_BYTES;

use super::decoded::{self, DECODED_BYTES};
use super::paced::TimedPattern;
use super::query::Query;
use crate::job::Waiter;

/// The maximum length of a shown part of a line, in bytes, and the part of it before the match.
const LINE_BYTES: usize = 500;
const BEFORE_BYTES: usize = 100;

/// A line that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The number of the line, from 1.
    pub(super) number: u64,
    pub(super) text: String,
    /// False for context lines.
    pub(super) is_match: bool,
}

/// The outcome of searching one file.
pub(super) enum FileOutcome {
    Lines(Vec<Line>),
    Binary,
    /// A line is longer than the maximum that may be held in memory.
    LongLine,
    Unreadable,
    /// The time ran out before the whole file was searched.
    Late,
}

/// A searcher of one file after another, which reuses its buffers.
pub(super) struct Lines<'a> {
    pattern: &'a RegexMatcher,
    builder: SearcherBuilder,
    searcher: Searcher,
    limit: usize,
    until: Instant,
    /// Whether the beginning of the last file, as far as it was searched, is not UTF-8.
    pub(super) has_other_encoding: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(
        pattern: &'a RegexMatcher,
        query: &Query,
        longest_line: usize,
        until: Instant,
    ) -> Self {
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(0))
            .before_context(query.context)
            .after_context(query.context)
            .heap_limit(Some(longest_line));
        Self {
            pattern,
            searcher: builder.build(),
            builder,
            limit: query.limit,
            until,
            has_other_encoding: false,
        }
    }

    /// Searches a file again in its own encoding; `None` if that would find no more. A large file is
    /// decoded as it is read.
    pub(super) fn search_decoded(
        &mut self,
        mut file: &File,
        size: u64,
        name: &OsStr,
        waiter: &Waiter,
    ) -> Option<FileOutcome> {
        if size <= DECODED_BYTES {
            let text = decoded::beginning(file, name)?;
            return Some(self.search(text.as_bytes(), waiter));
        }
        // The searcher has already decoded UTF-16, which it recognizes by its mark.
        let label = decoded::encoding(file, name).filter(|it| !it.starts_with("utf-16"))?;
        let encoding = Encoding::new(&label).ok()?;
        file.rewind().ok()?;
        let decoding = self.builder.clone().encoding(Some(encoding)).build();
        let plain = mem::replace(&mut self.searcher, decoding);
        let outcome = self.search(file, waiter);
        self.searcher = plain;
        Some(outcome)
    }

    /// Searches a file of any size, which is read in pieces.
    pub(super) fn search(&mut self, file: impl Read, waiter: &Waiter) -> FileOutcome {
        let pattern = TimedPattern::new(self.pattern, waiter, self.until);
        self.has_other_encoding = false;
        let reader = TimedFile {
            file,
            pattern: &pattern,
            has_other_encoding: &mut self.has_other_encoding,
            unchecked: DECODED_BYTES,
            is_cut: false,
        };
        let mut sink = LineHits {
            pattern: &pattern,
            lines: Vec::new(),
            // One match more than the limit shows that there are more.
            left: self.limit + 1,
            bytes_left: TEXT_BYTES,
            is_binary: false,
        };
        match self.searcher.search_reader(&pattern, reader, &mut sink) {
            Ok(()) if sink.is_binary => FileOutcome::Binary,
            Ok(()) => FileOutcome::Lines(sink.lines),
            Err(_) if pattern.is_late() => FileOutcome::Late,
            // Errors of the operating system have a code. An error without one comes from the full
            // buffer.
            Err(error) if error.raw_os_error().is_none() => FileOutcome::LongLine,
            Err(error) => {
                tracing::debug!(%error, "skipped a file in a search");
                FileOutcome::Unreadable
            }
        }
    }
}

/// A file that can be read until the time of its pattern runs out.
struct TimedFile<'a, R> {
    file: R,
    pattern: &'a TimedPattern<'a>,
    has_other_encoding: &'a mut bool,
    /// The number of bytes whose encoding is still to be checked.
    unchecked: u64,
    /// Whether the last piece ended within a character.
    is_cut: bool,
}

impl<R: Read> Read for TimedFile<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.pattern.check().map_err(|_| io::ErrorKind::TimedOut)?;
        let length = self.file.read(buffer)?;
        if self.unchecked > 0 && !*self.has_other_encoding {
            self.unchecked = self.unchecked.saturating_sub(length as u64);
            let error = utf_8_error(buffer.get(..length).unwrap_or_default());
            let is_other = error.is_some_and(|error| error.error_len().is_some());
            *self.has_other_encoding = is_other || self.is_cut && length == 0;
            self.is_cut = error.is_some();
        }
        Ok(length)
    }
}

/// The error if a piece of a text is not UTF-8. The piece may begin within a character.
fn utf_8_error(piece: &[u8]) -> Option<Utf8Error> {
    let is_inner = |byte: &&u8| matches!(byte, 0x80..=0xbf);
    let begin = piece.iter().take(3).take_while(is_inner).count();
    str::from_utf8(piece.get(begin..)?).err()
}

/// The lines found in one file so far.
struct LineHits<'a> {
    pattern: &'a TimedPattern<'a>,
    lines: Vec<Line>,
    left: usize,
    bytes_left: usize,
    is_binary: bool,
}

impl LineHits<'_> {
    /// Adds a line. Returns whether there is space for more.
    fn add(&mut self, number: Option<u64>, line: &[u8], is_match: bool) -> bool {
        let line = line.trim_ascii_end();
        let at = match is_match && line.len() > LINE_BYTES {
            true => self.pattern.find(line).ok().flatten(),
            false => None,
        };
        let text = cut(line, at.map_or(0, |found| found.start()));
        self.bytes_left = self.bytes_left.saturating_sub(text.len());
        self.lines.push(Line {
            number: number.unwrap_or_default(),
            text,
            is_match,
        });
        self.bytes_left > 0
    }
}

impl Sink for LineHits<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        Ok(self.add(found.line_number(), found.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, near: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.add(near.line_number(), near.bytes(), false))
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.is_binary = end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A line as text; a long line is cut to the part around `at`.
pub(super) fn cut(line: &[u8], at: usize) -> String {
    if line.len() <= LINE_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let begin = at.saturating_sub(BEFORE_BYTES).min(line.len() - LINE_BYTES);
    let end = begin + LINE_BYTES;
    let part = String::from_utf8_lossy(line.get(begin..end).unwrap_or_default());
    // An incomplete character at an end of the part is removed.
    let part = part.trim_matches(char::REPLACEMENT_CHARACTER);
    let before = if begin > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let line = format!("{}needle{}", "a".repeat(2_000), "b".repeat(2_000));
        let text = cut(line.as_bytes(), 2_000);
        assert!(text.starts_with("…aaa") && text.ends_with("bbb…"), "{text}");
        assert!(text.contains("aneedleb"));
        assert!(cut(line.as_bytes(), 0).starts_with("aaa"));
        assert!(cut(line.as_bytes(), 4_005).ends_with("bbb"));
        let accents = "é".repeat(1_000);
        assert!(!cut(accents.as_bytes(), 501).contains(char::REPLACEMENT_CHARACTER));
        assert_eq!(cut(b"caf\xe9", 0), "caf\u{fffd}");
    }
}
