//! The index: the ranked texts of files, each as of one version of its file. It has no text, and nothing of files that were removed
//! once a search has seen that.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::query::Query;
use super::super::rank::RankedText;
use crate::version::FileVersion;

/// The most memory of the index, in bytes.
const INDEX_BYTES: usize = 64 << 20;

/// The ranked texts of files, by URI.
#[derive(Debug)]
pub(in crate::search) struct TextIndex {
    files: HashMap<Box<str>, IndexedFile>,
    /// The memory that it takes, and may take.
    bytes: usize,
    most: usize,
    /// The number of the search that is under way.
    search: u64,
}

#[derive(Debug)]
struct IndexedFile {
    version: FileVersion,
    text: Arc<RankedText>,
    /// The number of the last search that found the file.
    seen: u64,
}

/// The memory that a file takes in the index, in bytes.
pub(super) fn cost(uri: &str, text: &RankedText) -> usize {
    // Of the table, of which up to half is empty.
    2 * size_of::<(Box<str>, IndexedFile)>() + uri.len() + text.bytes()
}

impl Default for TextIndex {
    fn default() -> Self {
        Self::of(INDEX_BYTES)
    }
}

impl TextIndex {
    /// An empty index of at most `most` bytes.
    pub(super) fn of(most: usize) -> Self {
        Self {
            files: HashMap::new(),
            bytes: 0,
            most,
            search: 0,
        }
    }

    /// Begins a search.
    pub(super) fn begin(&mut self) {
        self.search += 1;
    }

    /// The bytes that it has left.
    pub(super) fn room(&self) -> usize {
        self.most.saturating_sub(self.bytes)
    }

    /// The bytes kept free for names, so that a file without room is still found by its name.
    pub(super) fn for_names(&self) -> usize {
        self.most / 4
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The text of the version that a file has now, which is only asked for if it has any. Another version is forgotten.
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

    /// Forgets what this search, which has come to its end, would have found and has not.
    pub(super) fn forget_removed(&mut self, query: &Query) {
        self.retain(|uri| !query.covers(uri));
    }

    /// Forgets all that this search has not found. Returns whether there was any.
    pub(super) fn forget_others(&mut self) -> bool {
        let before = self.files.len();
        self.retain(|_| false);
        self.files.len() < before
    }

    /// Keeps what this search has found, and what else is to be kept.
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
