//! Reads open files for the index, with their current content.

use std::ffi::OsStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use percent_encoding::percent_decode_str;

use super::super::decoded::{self, DECODED_BYTES};
use super::super::documents::{DocumentOutcome, DocumentReader};
use super::super::rank::{RankedText, Syntax, Terms, ranked_text};
use super::super::team::{Candidate, Queue};
use super::index::cost;
use crate::job::Waiter;
use crate::place::OpenFile;
use crate::types;
use crate::uri;
use crate::version::FileVersion;

/// The memory needed to read a file: its bytes, its text, and the terms while they are counted.
pub(super) const READING_BYTES: u64 = 4 * DECODED_BYTES;

/// A file that was read.
pub(super) struct ReadFile {
    pub(super) order: usize,
    pub(super) uri: String,
    /// `None` if the file may change without changing its version.
    pub(super) version: Option<FileVersion>,
    pub(super) text: RankedText,
}

/// A document that has not been converted to text yet.
pub(super) struct UnreadDocument {
    pub(super) order: usize,
    uri: String,
    format: Arc<str>,
    version: FileVersion,
}

/// A reader of one file after another, with the files read so far.
pub(super) struct Reader<'a> {
    terms: Terms,
    texts: &'a DocumentReader,
    /// The number of free bytes in the index, shared by all readers.
    room: &'a AtomicUsize,
    /// The part of it that is reserved for names.
    for_names: usize,
    pub(super) files: Vec<ReadFile>,
    pub(super) documents: Vec<UnreadDocument>,
    /// The number of documents for which there was no time.
    pub(super) late: usize,
    /// Whether the index had no space for a text.
    pub(super) is_full: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(room: &'a AtomicUsize, for_names: usize, texts: &'a DocumentReader) -> Self {
        Self {
            terms: Terms::new(),
            texts,
            room,
            for_names,
            files: Vec::new(),
            documents: Vec::new(),
            late: 0,
            is_full: false,
        }
    }

    /// Reads all files except documents, which it collects.
    pub(super) fn read_all(mut self, files: Queue<Candidate>) -> Self {
        for file in files {
            let version = FileVersion::of(&file.file.metadata);
            match self.texts.format(&file.name, &file.uri, version.bytes) {
                Some(format) => self.documents.push(UnreadDocument {
                    order: file.order,
                    uri: file.uri,
                    format,
                    version,
                }),
                None => self.read(file),
            }
        }
        self
    }

    fn read(&mut self, file: Candidate) {
        let content = self.content(&file);
        let version = version(&file.file);
        self.add(
            file.order,
            file.uri,
            content.as_deref(),
            syntax(&file.name),
            version,
        );
    }

    /// Reads all documents, until the time runs out.
    pub(super) fn read_documents(
        mut self,
        documents: Queue<UnreadDocument>,
        waiter: &Waiter,
        until: Instant,
    ) -> Self {
        for document in documents {
            let UnreadDocument {
                order,
                uri,
                format,
                version,
            } = document;
            let (text, version) = match self.texts.text(&uri, &format, waiter, until) {
                DocumentOutcome::Text(made) => (Some(made.text), Some(version)),
                DocumentOutcome::Unreadable => (None, Some(version)),
                DocumentOutcome::Late => {
                    self.late += 1;
                    (None, None)
                }
            };
            let ranked = text.as_deref().map(beginning);
            self.add(order, uri, ranked, Syntax::of(Some(&format)), version);
        }
        self
    }

    /// Adds a file with its text, or only with its name if it has no text or the text doesn't fit.
    fn add(
        &mut self,
        order: usize,
        uri: String,
        content: Option<&str>,
        syntax: Syntax,
        version: Option<FileVersion>,
    ) {
        let path = path(&uri);
        let read = content.and_then(|content| {
            let text = ranked_text(&path, content, syntax, &mut self.terms);
            self.fits(&uri, &text, self.for_names).then_some(text)
        });
        let text = read.or_else(|| {
            let text = RankedText::unread(&path, &mut self.terms);
            self.fits(&uri, &text, 0).then_some(text)
        });
        let version = version.filter(|version| version.is_settled());
        self.files.extend(text.map(|text| ReadFile {
            order,
            uri,
            // Without a version, the text is read again by the next search, when it may fit.
            version: version.filter(|_| !self.is_full),
            text,
        }));
    }

    /// The text to rank; `None` if the file is not text, or doesn't fit.
    fn content(&mut self, file: &Candidate) -> Option<String> {
        let length = file.file.metadata.len();
        // A text needs about its own size in the index.
        if length.min(DECODED_BYTES) > self.room.load(Ordering::Relaxed) as u64 {
            self.is_full = true;
            return None;
        }
        decoded::beginning(&file.file.file, &file.name)
    }

    /// Reserves space in the index if `more` bytes remain free. Returns whether it succeeded.
    fn fits(&mut self, uri: &str, text: &RankedText, more: usize) -> bool {
        let cost = cost(uri, text);
        let taken = self
            .room
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| {
                room.checked_sub(cost).filter(|left| *left >= more)
            });
        self.is_full |= taken.is_err();
        taken.is_ok()
    }
}

/// The part of a text that is ranked.
pub(super) fn beginning(text: &str) -> &str {
    let most = usize::try_from(DECODED_BYTES).unwrap_or(usize::MAX);
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The version that was read; `None` if the file changed meanwhile.
fn version(file: &OpenFile) -> Option<FileVersion> {
    let version = FileVersion::of(&file.metadata);
    let now = file.file.metadata().ok()?;
    (FileVersion::of(&now) == version).then_some(version)
}

/// The syntax according to a file's name.
fn syntax(name: &OsStr) -> Syntax {
    Syntax::of(types::of_name(name))
}

/// The decoded path in a URI, starting with the name of the mount.
fn path(uri: &str) -> String {
    let path = uri.strip_prefix(uri::ROOT).unwrap_or(uri);
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}
