//! The index: the ranked texts of files, each for one version of its file. Stores no text of files,
//! and forgets removed files once a search finds them missing.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::query::Query;
use super::super::rank::RankedText;
use crate::version::FileVersion;

/// The maximum memory of the index, in bytes.
const INDEX_BYTES: usize = 64 << 20;

/// The ranked texts of files, by URI.
#[derive(Debug)]
pub(in crate::search) struct TextIndex {
    files: HashMap<Box<str>, IndexedFile>,
    /// The memory that the index uses, and its maximum, in bytes.
    bytes: usize,
    most: usize,
    /// The number of the current search.
    search: u64,
}

#[derive(Debug)]
struct IndexedFile {
    version: FileVersion,
    text: Arc<RankedText>,
    /// The number of the last search that found the file.
    seen: u64,
}

/// The memory that a file uses in the index, in bytes.
pub(super) fn cost(uri: &str, text: &RankedText) -> usize {
    // Counted twice because up to half of the hash table is empty.
    2 * size_of::<(Box<str>, IndexedFile)>() + uri.len() + text.bytes()
}

impl Default for TextIndex {
    fn default() -> Self {
        Self::of(INDEX_BYTES)
    }
}

impl TextIndex {
    /// Creates an empty index of at most `most` bytes.
    pub(super) fn of(most: usize) -> Self {
        Self {
            files: HashMap::new(),
            bytes: 0,
            most,
            search: 0,
        }
    }

    /// Starts a search.
    pub(super) fn begin(&mut self) {
        self.search += 1;
    }

    /// The number of free bytes.
    pub(super) fn room(&self) -> usize {
        self.most.saturating_sub(self.bytes)
    }

    /// The bytes reserved for names, so that a file whose text doesn't fit is still found by its
    /// name.
    pub(super) fn for_names(&self) -> usize {
        self.most / 4
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The text of a file in its current version. Calls `version` only if the index has the file,
    /// and removes a text of another version.
    pub(super) fn get(
        &mut self,
        uri: &str,
        version: impl FnOnce() -> Option<FileVersion>,
    ) -> Option<Arc<RankedText>> {
        let known = self.files.get_mut(uri)?;
        if known.version == version()? {
            known.seen = self.search;
            return Some(Arc::clone(&known.text));
        }
        self.remove(uri);
        None
    }

    pub(super) fn add(&mut self, uri: &str, version: FileVersion, text: &Arc<RankedText>) {
        self.remove(uri);
        self.bytes += cost(uri, text);
        let file = IndexedFile {
            version,
            text: Arc::clone(text),
            seen: self.search,
        };
        self.files.insert(uri.into(), file);
    }

    fn remove(&mut self, uri: &str) {
        if let Some(removed) = self.files.remove(uri) {
            self.bytes -= cost(uri, &removed.text);
        }
    }

    /// Removes the files that this search covers but has not found. Called once the search has
    /// walked everything.
    pub(super) fn forget_removed(&mut self, query: &Query) {
        self.retain(|uri| !query.covers(uri));
    }

    /// Removes all files that this search has not found. Returns whether there were any.
    pub(super) fn forget_others(&mut self) -> bool {
        let before = self.files.len();
        self.retain(|_| false);
        self.files.len() < before
    }

    /// Keeps the files that this search has found, and those for which `is_kept` is true.
    fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        let Self {
            files,
            bytes,
            search,
            ..
        } = self;
        files.retain(|uri, file| {
            let stays = file.seen == *search || is_kept(uri);
            *bytes -= if stays { 0 } else { cost(uri, &file.text) };
            stays
        });
    }
}
