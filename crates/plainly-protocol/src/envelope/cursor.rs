//! The tokens of JSON (RFC 8259): scalars, checked to the last byte, and the whitespace between
//! them. The scan handles the nesting of values.

use super::defect::{Defect, Fault};
use crate::escape;

/// The text and how far it has been read.
pub(super) struct ByteCursor<'a> {
    text: &'a str,
    pub(super) at: usize,
    /// The first reason to reject the text although it is JSON.
    pub(super) refused: Option<Defect>,
}

pub(super) type ScanResult<T = ()> = Result<T, Defect>;

impl<'a> ByteCursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            refused: None,
        }
    }

    /// Reads a value that is not an array, an object or a string.
    pub(super) fn scalar(&mut self) -> ScanResult {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            _ => Err(self.unexpected(&Fault::NoJson)),
        }
    }

    fn literal(&mut self, name: &str) -> ScanResult {
        if !self.rest().starts_with(name.as_bytes()) {
            return Err(self.unexpected(&Fault::NoJson));
        }
        self.at += name.len();
        Ok(())
    }

    /// Reads a string whose opening quote is next. Returns true if it contains escapes.
    #[inline]
    pub(super) fn string(&mut self) -> ScanResult<bool> {
        let start = self.at;
        let Some(inner) = self.text.as_bytes().get(start + 1..) else {
            return Err(self.unexpected(&Fault::Missing("a string")));
        };
        let run = escape::plain_run(inner);
        // Most strings have no escapes. The others are handled by another function, so that this
        // one is small enough to be inlined.
        if inner.get(run) == Some(&b'"') {
            self.at = start + run + 2;
            return Ok(false);
        }
        self.at = start + run + 1;
        self.rest_of_string(start).map(|()| true)
    }

    /// Reads the rest of the string that begins at `start`, from the first byte that is not plain
    /// text.
    #[cold]
    #[inline(never)]
    fn rest_of_string(&mut self, start: usize) -> ScanResult {
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => {
                    return Err(self.unexpected(&Fault::Is("a string has a control character")));
                }
                None => return Err(Defect::new(&Fault::Is("a string has no end, begun"), start)),
            }
            self.at += escape::plain_blocks(self.rest());
        }
    }

    /// Returns the text between the quotes of the string that begins at `start` and has just ended.
    #[inline]
    pub(super) fn inner(&self, start: usize) -> &'a str {
        let inner = self.text.get(start + 1..self.at - 1);
        inner.expect("quotes are ASCII")
    }

    fn escape(&mut self) -> ScanResult {
        let start = self.at;
        match self.rest().get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                return Ok(());
            }
            Some(b'u') => {}
            _ => return Err(Defect::new(&Fault::Is("an escape is invalid"), start)),
        }
        // RFC 8259, section 8.2, does not define half of a surrogate pair, and a Rust string can't
        // hold it.
        match self.unicode_escape()? {
            0xd800..0xdc00 if self.completes_pair()? => {}
            0xd800..0xe000 => self.refuse(&Fault::Is("a surrogate stands alone"), start),
            _ => {}
        }
        Ok(())
    }

    /// Reads an escape, if one is next. Returns whether it is the second half of a surrogate pair.
    fn completes_pair(&mut self) -> ScanResult<bool> {
        Ok(self.rest().starts_with(b"\\u") && (0xdc00..0xe000).contains(&self.unicode_escape()?))
    }

    /// Reads `\u` and four digits.
    fn unicode_escape(&mut self) -> ScanResult<u32> {
        let [b'\\', b'u', digits @ ..] = self.rest() else {
            return Err(self.unexpected(&Fault::Missing("an escape")));
        };
        let mut unit = 0;
        for index in 0..4 {
            let digit = digits
                .get(index)
                .and_then(|&byte| char::from(byte).to_digit(16));
            unit = unit * 16
                + digit.ok_or_else(|| self.unexpected(&Fault::Is("an escape is invalid")))?;
        }
        self.at += 6;
        Ok(unit)
    }

    fn number(&mut self) -> ScanResult {
        /// A number that is shorter than this and has no exponent is less than the largest 64-bit
        /// float, which has 309 digits.
        const SURELY_FINITE: usize = 300;
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        let exponent = self.eat(b'e') || self.eat(b'E');
        if exponent {
            let _signed = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        if !exponent && self.at - start < SURELY_FINITE {
            return Ok(());
        }
        // Rejected here because some readers would read it as infinity while others reject it.
        let number = self.slice(start).parse::<f64>();
        if !number.is_ok_and(f64::is_finite) {
            self.refuse(&Fault::Is("a number is out of range"), start);
        }
        Ok(())
    }

    fn digits(&mut self) -> ScanResult {
        let count = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if count == 0 {
            return Err(self.unexpected(&Fault::Missing("a digit")));
        }
        self.at += count;
        Ok(())
    }

    /// Skips whitespace and returns the first byte of the next token.
    #[inline]
    pub(super) fn token(&mut self) -> Option<u8> {
        loop {
            match self.peek()? {
                // Checked first because most programs write no whitespace.
                byte if byte > b' ' => return Some(byte),
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Whether the next token is `byte` or begins with it.
    #[inline]
    pub(super) fn is_token(&mut self, byte: u8) -> bool {
        // Usually no whitespace precedes the byte.
        self.peek() == Some(byte) || self.token() == Some(byte)
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The text from `start`, where a token begins, to the cursor, where one ends.
    pub(super) fn slice(&self, start: usize) -> &'a str {
        self.text
            .get(start..self.at)
            .expect("tokens start and end with ASCII")
    }

    pub(super) fn unexpected(&self, fault: &'static Fault) -> Defect {
        Defect::new(fault, self.at)
    }

    /// Records the reason to reject valid JSON.
    #[cold]
    pub(super) fn refuse(&mut self, fault: &'static Fault, at: usize) {
        self.refused.get_or_insert(Defect::new(fault, at));
    }
}
