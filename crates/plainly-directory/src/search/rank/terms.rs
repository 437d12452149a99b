//! Terms: the words of a text, as numbers. Words are split by the rules of Unicode, English words
//! are reduced to their stems, and identifiers are split where their case changes. Scripts without
//! spaces become pairs of letters.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::ops::RangeInclusive;

use snowball_stemmers_rs::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

/// A hash of a stem. If two stems have the same hash, a section is ranked slightly wrong.
pub(super) type Term = u32;

/// The maximum length of a word, in bytes. Longer words are keys or encoded data.
const WORD_BYTES: usize = 64;

/// The number of words whose terms are cached.
const REMEMBERED: usize = 16 << 10;

/// The maximum number of terms in a question.
const QUESTION: usize = u32::BITS as usize;

/// The letters of scripts that are written without spaces.
const UNSPACED: &[RangeInclusive<char>] = &[
    '\u{e00}'..='\u{eff}',
    '\u{1000}'..='\u{109f}',
    '\u{1780}'..='\u{17ff}',
    '\u{3040}'..='\u{30ff}',
    '\u{3400}'..='\u{4dbf}',
    '\u{4e00}'..='\u{9fff}',
    '\u{ac00}'..='\u{d7af}',
    '\u{f900}'..='\u{faff}',
    '\u{20000}'..='\u{3ffff}',
];

/// English words that are frequent in questions but have no meaning for the subject.
const EMPTY: &str = " a about an and any are as at be by can could do does for from had has have how i if in into is it its may me \
                     must my of on or our should so than that the their them then there these they this those to us was we what \
                     when where which who why will with would you your ";

/// A finder of the terms of texts, which caches the terms of words.
pub(in crate::search) struct Terms {
    stemmer: Stemmer,
    known: HashMap<Box<str>, Term>,
    lower: String,
}

/// The terms of a question, without duplicates.
#[derive(Debug)]
pub(in crate::search) struct Question {
    pub(super) terms: Vec<Term>,
}

impl Question {
    /// The terms of the words; `None` if there is no word.
    pub(in crate::search) fn of(words: &str) -> Option<Self> {
        let mut all = Terms::new();
        let meant = words
            .split_whitespace()
            .filter(|word| !is_empty(word))
            .collect::<Vec<_>>()
            .join(" ");
        let text = if meant.is_empty() { words } else { &meant };
        let mut terms = Vec::new();
        all.each(text, Use::Question, |term| {
            if terms.len() < QUESTION && !terms.contains(&term) {
                terms.push(term);
            }
        });
        (!terms.is_empty()).then_some(Self { terms })
    }

    /// The number of the question's terms that a text contains.
    pub(in crate::search) fn in_common(&self, text: &str, terms: &mut Terms) -> u32 {
        // One bit for each term of the question.
        let mut found = 0_u32;
        terms.each(text, Use::Text, |term| {
            if let Some(at) = self.terms.iter().position(|known| *known == term) {
                found |= 1 << at;
            }
        });
        found.count_ones()
    }
}

fn is_empty(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    EMPTY.contains(&format!(" {} ", word.to_lowercase()))
}

/// The purpose of terms: to be found, or to be searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Text,
    Question,
}

impl Terms {
    pub(in crate::search) fn new() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            known: HashMap::new(),
            lower: String::new(),
        }
    }

    /// Calls `found` with each term of a text, in order.
    pub(super) fn each(&mut self, text: &str, side: Use, mut found: impl FnMut(Term)) {
        for chunk in text.split(|letter: char| {
            letter.is_ascii() && !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '\'')
        }) {
            if chunk.is_ascii() {
                self.ascii(chunk, &mut found);
            } else {
                self.unicode(chunk, side, &mut found);
            }
        }
    }

    /// Finds the terms of an ASCII word. An ending after an apostrophe, such as `'s`, is skipped
    /// because it has no meaning.
    fn ascii(&mut self, chunk: &str, found: &mut impl FnMut(Term)) {
        for (index, word) in chunk.split('\'').enumerate() {
            if word.len() > WORD_BYTES || index > 0 && word.len() < 3 {
                continue;
            }
            let mut parts = 0;
            for name in word.split('_').filter(|name| !name.is_empty()) {
                let mut rest = name;
                while !rest.is_empty() {
                    let (part, others) = rest.split_at(turn(rest));
                    found(self.term(part));
                    rest = others;
                    parts += 1;
                }
            }
            if parts > 1 {
                found(self.term(&word.replace('_', "")));
            }
        }
    }

    fn unicode(&mut self, chunk: &str, side: Use, found: &mut impl FnMut(Term)) {
        let mut rest = chunk;
        while let Some(first) = rest.chars().next() {
            let is_unspaced = unspaced(first);
            let end = rest.find(|letter| unspaced(letter) != is_unspaced);
            let (run, others) = rest.split_at(end.unwrap_or(rest.len()));
            if is_unspaced {
                self.pairs(run, side, found);
            } else {
                for word in run.unicode_words() {
                    let word = word.split('\u{2019}').next().unwrap_or(word);
                    self.ascii_or_not(word, found);
                }
            }
            rest = others;
        }
    }

    fn ascii_or_not(&mut self, word: &str, found: &mut impl FnMut(Term)) {
        if word.is_ascii() {
            self.ascii(word, found);
        } else if word.len() <= WORD_BYTES {
            found(self.term(word));
        }
    }

    /// Calls `found` with each pair of adjacent letters. Single letters are terms in a text, or if
    /// the run is one letter long.
    fn pairs(&mut self, run: &str, side: Use, found: &mut impl FnMut(Term)) {
        let starts = run.char_indices().map(|(at, _)| at);
        let ends = run
            .char_indices()
            .skip(1)
            .map(|(at, _)| at)
            .chain([run.len()]);
        let is_single = run.chars().nth(1).is_none();
        let mut before = None;
        for (start, end) in starts.zip(ends) {
            if is_single || side == Use::Text {
                found(self.term(run.get(start..end).unwrap_or_default()));
            }
            if let Some(before) = before.replace(start) {
                found(self.term(run.get(before..end).unwrap_or_default()));
            }
        }
    }

    fn term(&mut self, word: &str) -> Term {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        self.lower.clear();
        self.lower.extend(word.chars().flat_map(char::to_lowercase));
        let is_english =
            self.lower.len() > 2 && self.lower.bytes().all(|byte| byte.is_ascii_lowercase());
        let term = match is_english {
            true => hash(&self.stemmer.stem(&self.lower)),
            false => hash(&self.lower),
        };
        if self.known.len() == REMEMBERED {
            self.known.clear();
        }
        self.known.insert(word.into(), term);
        term
    }
}

/// The position where the next part of an identifier begins, as in `maxBytes` and `HTTPServer`, or
/// the end.
fn turn(word: &str) -> usize {
    let bytes = word.as_bytes();
    let is_upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let is_lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let mut inside = 1..bytes.len();
    let turn = inside
        .find(|&at| is_upper(at) && (is_lower(at - 1) || is_upper(at - 1) && is_lower(at + 1)));
    turn.unwrap_or(bytes.len())
}

fn unspaced(letter: char) -> bool {
    letter >= '\u{e00}' && UNSPACED.iter().any(|script| script.contains(&letter))
}

/// A hash that is the same in each process, because terms of texts are compared with those of later
/// questions.
fn hash(stem: &str) -> Term {
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(stem);
    hash as Term
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str, side: Use) -> Vec<Term> {
        let mut all = Vec::new();
        Terms::new().each(text, side, |term| all.push(term));
        all
    }

    #[test]
    fn a_question_finds_other_forms_of_its_words() {
        for (question, text) in [
            ("connections", "it connects, and is CONNECTED"),
            ("server", "the server's name"),
            ("server", "the server’s name"),
            ("max bytes", "max_file_bytes maxBytes"),
            ("maxBytes", "MAX_BYTES"),
            ("on_operation", "on_operation"),
            ("websocket", "WebSocket"),
            ("WebSocket", "web socket"),
            ("server", "HTTPServer"),
            ("über", "Über"),
            ("Москва", "москва"),
            ("संस्कृत", "यह संस्कृत है"),
            ("東京", "東京都庁"),
            ("京", "東京都庁"),
            ("データ", "大データの"),
            ("ภาษาไทย", "ใน ภาษาไทย"),
            ("한국", "한국어는"),
            ("where is the key", "a key"),
        ] {
            let text = terms(text, Use::Text);
            let question = Question::of(question).unwrap();
            assert!(
                question.terms.iter().any(|term| text.contains(term)),
                "{question:?}"
            );
        }
        assert_eq!(Question::of("a key").unwrap().terms.len(), 1);
        assert_eq!(Question::of("京都").unwrap().terms.len(), 1);
        assert_eq!(Question::of("who is it").unwrap().terms.len(), 3);
        assert!(Question::of(" -- ? ").is_none());
    }

    #[test]
    fn what_is_longer_than_a_word_is_none() {
        assert!(terms(&"x".repeat(WORD_BYTES + 1), Use::Text).is_empty());
        assert_eq!(terms("it's", Use::Text).len(), 1);
    }
}
