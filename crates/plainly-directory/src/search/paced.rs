//! Matches a pattern against bytes piece by piece, and checks the time in between. The engine takes
//! linear time, but a short pattern can make that a millisecond for each byte. Independent of
//! files.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::time::Instant;

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};
use grep_regex::RegexMatcher;

use crate::job::Waiter;

/// The number of bytes searched at a time.
const PIECE: usize = 8 << 10;

/// The part of a long line's piece that is searched again with the next piece, so that a match up
/// to this length is found anywhere in the line.
const OVERLAP: usize = 1 << 10;

/// A pattern that matches until the time runs out or the caller has gone.
pub(super) struct TimedPattern<'a> {
    pattern: &'a RegexMatcher,
    waiter: &'a Waiter,
    until: Instant,
    is_late: Cell<bool>,
}

/// The error of a search whose time ran out, or whose caller has gone.
#[derive(Debug)]
pub(super) struct Late;

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a search ran out of time")
    }
}

impl<'a> TimedPattern<'a> {
    pub(super) fn new(pattern: &'a RegexMatcher, waiter: &'a Waiter, until: Instant) -> Self {
        Self {
            pattern,
            waiter,
            until,
            is_late: Cell::new(false),
        }
    }

    /// Whether a search failed because its time ran out or its caller has gone.
    pub(super) fn is_late(&self) -> bool {
        self.is_late.get()
    }

    /// Fails once the time has run out or the caller has gone.
    pub(super) fn check(&self) -> Result<(), Late> {
        if self.waiter.check().is_err() || Instant::now() > self.until {
            self.is_late.set(true);
            return Err(Late);
        }
        Ok(())
    }

    /// The first result of `find` in the pieces from `at` on. A match that ends at the end of a
    /// piece is searched again in the next piece, where it may be longer.
    fn first<T>(
        &self,
        haystack: &[u8],
        at: usize,
        find: impl Fn(&Piece) -> Option<T>,
        end: impl Fn(&T) -> usize,
    ) -> Result<Option<T>, Late> {
        for piece in pieces(haystack, at) {
            self.check()?;
            let is_last = piece.range.end >= haystack.len();
            let found = find(&piece).filter(|found| is_last || end(found) < piece.range.end);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

impl Matcher for TimedPattern<'_> {
    type Captures = NoCaptures;
    type Error = Late;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Late> {
        self.first(
            haystack,
            at,
            |piece| never_fails(self.pattern.find_at(piece.of(haystack), piece.range.start)),
            Match::end,
        )
    }

    fn new_captures(&self) -> Result<NoCaptures, Late> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, Late> {
        self.first(
            haystack,
            at,
            |piece| self.shortest(haystack, piece),
            |end| *end,
        )
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, Late> {
        self.first(
            haystack,
            0,
            |piece| self.candidate(haystack, piece),
            |found| match found {
                LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at) => *at,
            },
        )
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.pattern.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.pattern.line_terminator()
    }
}

impl TimedPattern<'_> {
    fn candidate(&self, haystack: &[u8], piece: &Piece) -> Option<LineMatchKind> {
        // The search for candidates needs whole lines, and this piece is a part of one.
        if !piece.is_whole() {
            return self.shortest(haystack, piece).map(LineMatchKind::Confirmed);
        }
        let start = piece.range.start;
        let lines = haystack.get(piece.range.clone()).unwrap_or_default();
        Some(
            match never_fails(self.pattern.find_candidate_line(lines))? {
                LineMatchKind::Confirmed(at) => LineMatchKind::Confirmed(start + at),
                LineMatchKind::Candidate(at) => LineMatchKind::Candidate(start + at),
            },
        )
    }

    fn shortest(&self, haystack: &[u8], piece: &Piece) -> Option<usize> {
        never_fails(
            self.pattern
                .shortest_match_at(piece.of(haystack), piece.range.start),
        )
    }
}

/// A match of the pattern itself.
fn never_fails<T>(found: Result<T, NoError>) -> T {
    found.expect("no value of this error can be made")
}

/// A piece of text to search at a time: whole lines, or a part of a line that is too long.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    range: Range<usize>,
    /// Whether the piece begins at the beginning of a line.
    begins: bool,
    /// Whether the piece ends within a line.
    is_cut: bool,
}

impl Piece {
    fn is_whole(&self) -> bool {
        self.begins && !self.is_cut
    }

    /// The text up to the end of the piece, because the start of a match may depend on the text
    /// before.
    fn of<'a>(&self, haystack: &'a [u8]) -> &'a [u8] {
        haystack.get(..self.range.end).unwrap_or_default()
    }
}

/// The pieces from `at` on. Even an empty text has one piece, because a pattern can match it.
fn pieces(haystack: &[u8], at: usize) -> impl Iterator<Item = Piece> {
    let piece = move |start: usize, begins: bool| {
        let end = haystack.len().min(start.saturating_add(PIECE));
        let bytes = haystack.get(start..end).unwrap_or_default();
        let lines = match memchr::memrchr(b'\n', bytes) {
            _ if end == haystack.len() => bytes.len(),
            Some(last) => last + 1,
            None => 0,
        };
        let is_cut = lines == 0 && !bytes.is_empty();
        let range = start..if is_cut { end } else { start + lines };
        Piece {
            range,
            begins,
            is_cut,
        }
    };
    let first = piece(at, at == 0);
    std::iter::successors(Some(first), move |last| {
        let end = last.range.end;
        match last.is_cut {
            _ if end >= haystack.len() => None,
            true => Some(piece(end - OVERLAP, false)),
            false => Some(piece(end, true)),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::query;
    use super::*;

    /// The results of all three queries: the number of the line, the end of the shortest match, and
    /// the range of the match.
    fn ask(
        pattern: &str,
        haystack: &str,
    ) -> (Option<usize>, Option<usize>, Option<(usize, usize)>) {
        let pattern = query::pattern(pattern, false, false).unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let late = TimedPattern::new(&pattern, &waiter, Instant::now() - Duration::from_secs(1));
        assert!(late.find_candidate_line(haystack.as_bytes()).is_err() && late.is_late());
        let paced = TimedPattern::new(&pattern, &waiter, Instant::now() + Duration::from_secs(60));
        let line = paced.find_candidate_line(haystack.as_bytes()).unwrap();
        let shortest = paced.shortest_match(haystack.as_bytes()).unwrap();
        let found = paced.find(haystack.as_bytes()).unwrap();
        let line = match line {
            Some(LineMatchKind::Confirmed(at)) => Some(at),
            // A candidate may turn out not to match.
            Some(LineMatchKind::Candidate(at)) => found.map(|_| at),
            None => None,
        };
        let line = line.map(|at| haystack[..at].matches('\n').count());
        assert!(!paced.is_late());
        (
            line,
            shortest,
            found.map(|found| (found.start(), found.end())),
        )
    }

    #[test]
    fn a_pattern_is_found_wherever_it_lies_in_lines_of_any_length() {
        for before in (0..4).flat_map(|piece| (0..40).map(move |more| piece * (PIECE - 20) + more))
        {
            let one_line = format!("{}needle{}", "a".repeat(before), "b".repeat(2 * PIECE));
            assert_eq!(
                ask("needle", &one_line),
                (Some(0), Some(before + 6), Some((before, before + 6)))
            );
            assert_eq!(ask("e{2}[a-z]l", &one_line).1, Some(before + 5));
            let lines = format!("{}needle\n{}", "ab\n".repeat(before), "ab\n".repeat(PIECE));
            let at = 3 * before;
            assert_eq!(
                ask("needle", &lines),
                (Some(before), Some(at + 6), Some((at, at + 6)))
            );
        }
    }

    #[test]
    fn ends_of_pieces_are_no_ends_of_lines() {
        let long = "ab".repeat(3 * PIECE);
        let lines = "ab\n".repeat(3 * PIECE) + "ab";
        for pattern in ["b^a", "a$", "^$", "b$.", "^b", "\\bb", "a\\b"] {
            assert_eq!(ask(pattern, &long), (None, None, None), "{pattern}");
            assert_eq!(ask(pattern, &lines), (None, None, None), "{pattern}");
        }
        assert_eq!(ask("b$", &long).1, Some(long.len()));
        assert_eq!(ask("", "").1, Some(0));
    }

    /// An engine of linear time needs as many steps for each byte as the pattern has parts, up to a
    /// hundred thousand. Searching this whole text would take a quarter of an hour.
    #[test]
    fn a_pattern_that_takes_a_millisecond_a_byte_ends_in_time() {
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if state >> 31 == 0 { b'a' } else { b'b' }
        })
        .take(1 << 20)
        .collect();
        let pattern = query::pattern("a(?:.{100}){40}c", false, false).unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let start = Instant::now();
        let paced = TimedPattern::new(&pattern, &waiter, start + Duration::from_millis(100));
        assert!(paced.find_candidate_line(&noise).is_err() && paced.is_late());
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{:?}",
            start.elapsed()
        );
    }

    #[test]
    fn nothing_is_searched_for_who_has_gone() {
        let pattern = query::pattern("a", false, false).unwrap();
        let (waits, waiter) = Waiter::until_dropped();
        let paced = TimedPattern::new(&pattern, &waiter, Instant::now() + Duration::from_secs(60));
        drop(waits);
        assert!(paced.find(b"a").is_err());
    }
}
