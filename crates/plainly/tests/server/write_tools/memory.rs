//! A writable store in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use plainly::protocol::types::{Resource, ResourceContents};
use plainly::store::{
    ListQuery, Page, RangeQuery, Ranged, RemoveQuery, Removed, RenameQuery, Store, StoreError,
    When, Writable, WriteError, WriteQuery, Written,
};

/// Files and directories below `mem:///d`. Those named `precious` can't be recovered, and those
/// named `sealed` can't be changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    files: Arc<Mutex<BTreeMap<String, Content>>>,
    /// Whether the store has no tags.
    pub(super) is_untagged: bool,
    reads: Arc<Reads>,
}

/// The number of concurrent reads.
#[derive(Debug, Default)]
struct Reads {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// The bytes of a file, or `None` for a directory, and the number of its changes.
#[derive(Clone, Debug, Default)]
struct Content(Option<Vec<u8>>, u64);

impl Memory {
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let memory = Self::default();
        let mut all = memory.lock();
        all.insert("mem:///d".to_owned(), Content::default());
        for (uri, text) in files {
            let (above, _) = uri.rsplit_once('/').unwrap();
            all.insert(above.to_owned(), Content::default());
            let content = Content(Some(text.as_bytes().to_vec()), 1);
            all.insert((*uri).to_owned(), content);
        }
        drop(all);
        memory
    }

    pub(super) fn text(&self, uri: &str) -> Option<String> {
        let bytes = self.lock().get(uri)?.0.clone()?;
        Some(String::from_utf8(bytes).unwrap())
    }

    /// Returns the maximum number of concurrent reads.
    pub(super) fn most_reads(&self) -> usize {
        self.reads.most.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Content>> {
        self.files.lock().unwrap()
    }

    fn tag(&self, content: &Content) -> Option<String> {
        (!self.is_untagged).then(|| format!("v{}", content.1))
    }

    fn check(
        &self,
        uri: &str,
        present: Option<&Content>,
        when: When<'_>,
        permanent: bool,
    ) -> Result<(), WriteError> {
        let tag = present.and_then(|content| self.tag(content));
        match when {
            When::Absent if present.is_some() => return Err(WriteError::Exists),
            When::Tag(expected) if tag.as_deref() != Some(expected) => {
                return Err(WriteError::Changed { tag });
            }
            When::Always | When::Absent | When::Tag(_) => {}
        }
        let name = uri.rsplit('/').next().unwrap();
        if name == "sealed" {
            let why = "it is sealed".into();
            return Err(WriteError::Denied { why });
        }
        if name == "unplaced" {
            return Err(StoreError::NotFound.into());
        }
        if name == "%" {
            let why = "write %25 for a percent sign".into();
            return Err(StoreError::InvalidUri { why }.into());
        }
        if name == "precious" && present.is_some() && !permanent {
            let why = "the trash is full".into();
            return Err(WriteError::Permanent { why });
        }
        Ok(())
    }
}

fn resource(uri: &str, content: &Content) -> Resource {
    let resource = Resource::new(uri, uri.rsplit('/').next().unwrap());
    let resource = resource.is_collection(content.0.is_none());
    match &content.0 {
        Some(bytes) => resource.size(bytes.len() as u64),
        None => resource,
    }
}

impl Store for Memory {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("mem:///d")
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        Some(uri.trim_end_matches('/').into())
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let files = self.lock();
        let is_in = |uri: &str| match query.parent {
            None => true,
            Some(parent) => uri
                .rsplit_once('/')
                .is_some_and(|(above, _)| above == parent),
        };
        let found = files.iter().filter(|(uri, _)| is_in(uri));
        Ok(Page::new(
            found.map(|(uri, content)| resource(uri, content)).collect(),
            None,
        ))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let files = self.lock();
        files
            .get(uri)
            .map(|content| resource(uri, content))
            .ok_or(StoreError::NotFound)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let resource = self.metadata(uri).await?;
        let bytes = self.lock().get(uri).and_then(|content| content.0.clone());
        let bytes = bytes.ok_or(StoreError::NotFound)?;
        Ok(vec![ResourceContents::new(resource, bytes)])
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        let content = self
            .lock()
            .get(query.uri)
            .cloned()
            .ok_or(StoreError::NotFound)?;
        let now = 1 + self.reads.now.fetch_add(1, Ordering::Relaxed);
        self.reads.most.fetch_max(now, Ordering::Relaxed);
        // Other reads can run here.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        self.reads.now.fetch_sub(1, Ordering::Relaxed);
        let bytes = content.0.clone().ok_or(StoreError::NotFound)?;
        let (first, length) = query.range.within(bytes.len() as u64)?;
        let part = bytes[first as usize..(first + length) as usize].to_vec();
        let mut ranged = Ranged::new(part, first, bytes.len() as u64);
        ranged.tag = self.tag(&content);
        Ok(ranged)
    }
}

impl Writable for Memory {
    async fn write(&self, query: WriteQuery<'_>) -> Result<Written, WriteError> {
        let mut files = self.lock();
        let present = files.get(query.uri).cloned();
        let losing = present.as_ref().filter(|_| !query.append);
        self.check(
            query.uri,
            present.as_ref(),
            query.when,
            query.permanent || losing.is_none(),
        )?;
        let Content(bytes, version) = present.clone().unwrap_or_default();
        let mut bytes = bytes.filter(|_| query.append).unwrap_or_default();
        bytes.extend_from_slice(&query.bytes);
        let size = bytes.len() as u64;
        let content = Content(Some(bytes), version + 1);
        let tag = self.tag(&content);
        files.insert(query.uri.to_owned(), content);
        let mut written = Written::new(query.uri).size(size).is_new(present.is_none());
        written.tag = tag;
        Ok(written)
    }

    async fn remove(&self, query: RemoveQuery<'_>) -> Result<Removed, WriteError> {
        let mut files = self.lock();
        let present = files.get(query.uri).ok_or(StoreError::NotFound)?;
        self.check(query.uri, Some(present), query.when, query.permanent)?;
        let below = format!("{}/", query.uri);
        if !query.recursive && files.keys().any(|uri| uri.starts_with(&below)) {
            return Err(WriteError::NotEmpty);
        }
        files.retain(|uri, _| uri != query.uri && !uri.starts_with(&below));
        Ok(Removed::new().restorable("1-a"))
    }

    async fn create_collection(&self, uri: &str) -> Result<(), WriteError> {
        match self.lock().entry(uri.to_owned()).or_default() {
            Content(None, _) => Ok(()),
            Content(Some(_), _) => Err(WriteError::Exists),
        }
    }

    async fn rename(&self, query: RenameQuery<'_>) -> Result<Written, WriteError> {
        let mut files = self.lock();
        let present = files.get(query.from).cloned().ok_or(StoreError::NotFound)?;
        self.check(query.from, Some(&present), query.when, true)?;
        if files.contains_key(query.to) {
            return Err(WriteError::Exists);
        }
        self.check(query.to, None, When::Always, true)?;
        files.remove(query.from);
        let mut written = Written::new(query.to).is_new(true);
        written.tag = self.tag(&present);
        files.insert(query.to.to_owned(), present);
        Ok(written)
    }
}
