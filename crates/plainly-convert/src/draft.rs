//! The text that a converter writes. It stops when it is too long, takes too long, or is no longer
//! needed. Independent of the source format.

use std::fmt::{self, Write};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use super::Original;

/// The number of bytes written between two checks of the time.
const PIECE: usize = 16 << 10;

/// The text that a [`Converter`](super::Converter) produces, written with [`write!`] or
/// [`fmt::Write::write_str`].
///
/// Writing fails once the text is too long, its time is up, or its requester is gone. A converter
/// returns this error with `?`. A converter that works for long without writing must call
/// [`check`](Self::check) from time to time, because nothing else can stop it.
///
/// Control characters other than line breaks and tabs are left out.
///
/// A store creates the draft. To try a converter, create one yourself:
///
/// ```
/// use std::fmt::Write;
///
/// use plainly_convert::{Draft, StopReason};
///
/// let mut draft = Draft::new(8);
/// write!(draft, "{} words", 2)?;
/// assert_eq!(draft.room(), 1);
/// assert_eq!(draft.finish().as_deref(), Ok("2 words"));
///
/// let mut draft = Draft::new(8);
/// assert!(write!(draft, "too many words").is_err());
/// assert_eq!(draft.finish(), Err(StopReason::TooLong(8)));
/// # Ok::<(), std::fmt::Error>(())
/// ```
pub struct Draft<'a> {
    text: String,
    room: usize,
    end: Option<Instant>,
    is_awaited: Option<&'a dyn Fn() -> bool>,
    /// The number of bytes written since the last check of the time.
    unchecked: usize,
    stopped: Option<StopReason>,
    total_pages: Option<u32>,
    /// The number of bytes before each page.
    page_starts: Vec<usize>,
}

/// The reason why a draft accepts no more text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StopReason {
    /// The text is longer than the number of bytes left for it.
    #[error("it is longer than the {0} bytes left for it")]
    TooLong(usize),
    /// Its time is up.
    #[error("it takes too long")]
    TooSlow,
    /// Its requester is gone.
    #[error("it is no longer needed")]
    Abandoned,
}

impl<'a> Draft<'a> {
    /// Creates an empty text of at most `room` bytes, without a time limit.
    #[must_use]
    pub fn new(room: usize) -> Self {
        Self {
            text: String::new(),
            room,
            end: None,
            is_awaited: None,
            unchecked: 0,
            stopped: None,
            total_pages: None,
            page_starts: Vec::new(),
        }
    }

    /// Stops the draft after this time.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.end = Instant::now().checked_add(time);
        self
    }

    /// Stops the draft once `is_awaited` returns false.
    #[must_use]
    pub fn awaited(mut self, is_awaited: &'a dyn Fn() -> bool) -> Self {
        self.is_awaited = Some(is_awaited);
        self
    }

    /// Fails if writing would fail because the text is no longer needed.
    pub fn check(&mut self) -> fmt::Result {
        self.unchecked = 0;
        if self.end.is_some_and(|end| Instant::now() >= end) {
            self.stop(StopReason::TooSlow)?;
        }
        if self.is_awaited.is_some_and(|is_awaited| !is_awaited()) {
            self.stop(StopReason::Abandoned)?;
        }
        match self.stopped {
            Some(_) => Err(fmt::Error),
            None => Ok(()),
        }
    }

    /// The number of bytes that may still be written.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room - self.text.len()
    }

    /// Sets the total number of pages in the file, and returns the requested ones; an empty range
    /// if the file has none of them.
    pub fn select_pages(&mut self, original: &Original<'_>, total: u32) -> RangeInclusive<u32> {
        self.total_pages = Some(total);
        let wanted = original.pages;
        wanted.map_or(1..=total, |wanted| wanted.within(total))
    }

    /// The number of pages in the whole file, if the converter has set it.
    #[must_use]
    pub fn total_pages(&self) -> Option<u32> {
        self.total_pages
    }

    /// Starts a page, on a new line.
    pub fn begin_page(&mut self) -> fmt::Result {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.write_char('\n')?;
        }
        self.page_starts.push(self.text.len());
        Ok(())
    }

    /// The number of bytes before each page.
    #[must_use]
    pub fn page_starts(&self) -> &[usize] {
        &self.page_starts
    }

    /// The written text, or the reason why it is incomplete.
    pub fn finish(self) -> Result<String, StopReason> {
        match self.stopped {
            Some(stopped) => Err(stopped),
            None => Ok(self.text),
        }
    }

    /// Stops the draft. The first reason is kept.
    fn stop(&mut self, why: StopReason) -> fmt::Result {
        self.stopped.get_or_insert(why);
        Err(fmt::Error)
    }
}

impl Write for Draft<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.stopped.is_some() {
            return Err(fmt::Error);
        }
        self.unchecked = self.unchecked.saturating_add(text.len());
        if self.unchecked >= PIECE {
            self.check()?;
        }
        // Control characters are left out, because each takes six bytes of JSON and readers don't
        // need them.
        for piece in text.split(|letter: char| letter.is_control() && !"\n\t".contains(letter)) {
            if piece.len() > self.room() {
                return self.stop(StopReason::TooLong(self.room));
            }
            self.text.push_str(piece);
        }
        Ok(())
    }
}

impl fmt::Debug for Draft<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft")
            .field("bytes", &self.text.len())
            .field("room", &self.room)
            .field("stopped", &self.stopped)
            .field("total_pages", &self.total_pages)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(60);

    #[test]
    fn a_text_is_kept_up_to_its_limit() {
        let mut draft = Draft::new(4);
        assert_eq!(draft.write_str("ab\r\u{1b}c"), Ok(()));
        assert_eq!(draft.room(), 1);
        assert_eq!(draft.write_str("\n"), Ok(()));
        assert_eq!(draft.finish(), Ok("abc\n".to_owned()));
    }

    #[test]
    fn a_page_begins_on_a_line_of_its_own() {
        let mut draft = Draft::new(9);
        for page in ["a", "b\n", "c"] {
            draft
                .begin_page()
                .and_then(|()| draft.write_str(page))
                .unwrap();
        }
        assert_eq!(draft.page_starts(), [0, 2, 4]);
        assert_eq!(draft.finish(), Ok("a\nb\nc".to_owned()));
    }

    #[test]
    fn what_is_too_long_stays_refused() {
        let mut draft = Draft::new(4);
        assert_eq!(draft.write_str("abcde"), Err(fmt::Error));
        assert_eq!(draft.write_str("a"), Err(fmt::Error));
        assert_eq!(draft.check(), Err(fmt::Error));
        assert_eq!(draft.finish(), Err(StopReason::TooLong(4)));
    }

    #[test]
    fn the_end_of_time_and_of_interest_is_noticed_while_writing() {
        let line = "x".repeat(100);
        for (time, awaited, why) in [
            (Duration::ZERO, true, StopReason::TooSlow),
            (TIME, false, StopReason::Abandoned),
        ] {
            let is_awaited = || awaited;
            let mut draft = Draft::new(usize::MAX).within(time).awaited(&is_awaited);
            let refused = (0..PIECE).position(|_| draft.write_str(&line).is_err());
            assert_eq!(refused, Some(PIECE / line.len()), "{why}");
            assert_eq!(draft.finish(), Err(why));
        }
    }
}
