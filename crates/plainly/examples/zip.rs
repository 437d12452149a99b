//! The files of a ZIP archive as resources, `zip:///path/in/archive`. `zip ARCHIVE` serves them
//! over standard input and output.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Read as _;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

use plainly::Server;
use plainly::protocol::types::{Body, Resource, ResourceContents, ResourceTemplate};
use plainly::protocol::uri_template::{UriTemplate, Values};
use plainly::store::{ListQuery, Page, Store, StoreError};
use zip::ZipArchive;

const TEMPLATE: &str = "zip://{/path*}";
/// The size limit of a file, in bytes, because an archive can claim any size and contain more.
const MOST: u64 = 16 << 20;

#[derive(Clone, Debug)]
pub(crate) struct Archive {
    file: Arc<Mutex<ZipArchive<std::fs::File>>>,
    /// The number and the size of each file, by its URI. A directory has none.
    entries: Arc<BTreeMap<String, Option<(usize, u64)>>>,
}

impl Archive {
    pub(crate) fn open(path: &str) -> Result<Self, Box<dyn Error>> {
        let mut file = ZipArchive::new(std::fs::File::open(path)?)?;
        let (template, mut entries) = (UriTemplate::parse(TEMPLATE)?, BTreeMap::new());
        for number in 0..file.len() {
            let entry = file.by_index_raw(number)?;
            // A name that leads out of the archive gets no URI.
            let Some(name) = entry.enclosed_name() else {
                continue;
            };
            let names: Vec<String> = name.iter().map(|it| it.to_string_lossy().into()).collect();
            for depth in 1..=names.len() {
                let uri = Values::new().with("path", names[..depth].to_vec());
                let uri = template.expand(&uri)?;
                let is_file = depth == names.len() && entry.is_file();
                let found = is_file.then(|| (number, entry.size()));
                entries.entry(uri).or_insert(found);
            }
        }
        Ok(Self {
            file: Arc::new(Mutex::new(file)),
            entries: Arc::new(entries),
        })
    }

    fn find(&self, uri: &str) -> Result<Option<(usize, u64)>, StoreError> {
        self.entries.get(uri).copied().ok_or(StoreError::NotFound)
    }

    fn content(&self, number: usize, size: u64) -> Result<Body, StoreError> {
        if size > MOST {
            return Err(StoreError::TooLarge { size, limit: MOST });
        }
        let mut archive = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = archive.by_index(number).map_err(failed)?;
        let mut bytes = Vec::new();
        entry.take(size).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Body::of_bytes(bytes))
    }
}

fn failed(error: impl Error + Send + Sync + 'static) -> StoreError {
    StoreError::Failed(error.into())
}

fn describe(uri: &str, file: Option<(usize, u64)>) -> Resource {
    let resource = Resource::new(uri, uri.rsplit('/').next().unwrap_or(uri));
    match file {
        Some((_, size)) => resource.size(size).is_collection(false),
        None => resource.is_collection(true),
    }
}

fn is_child(uri: &str, parent: &str) -> bool {
    let rest = uri.strip_prefix(parent);
    let name = rest.and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| !name.contains('/'))
}

impl Store for Archive {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("zip:///")
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        if let Some(parent) = query.parent
            && self.find(parent)?.is_some()
        {
            return Err(StoreError::NotACollection);
        }
        let after = query.after.map_or(Bound::Unbounded, Bound::Excluded);
        let entries = self.entries.range::<str, _>((after, Bound::Unbounded));
        let is_asked_for = |uri: &str| query.parent.is_none_or(|parent| is_child(uri, parent));
        let mut found = entries.filter(|(uri, _)| is_asked_for(uri));
        let page: Vec<_> = found.by_ref().take(query.limit).collect();
        let page: Vec<_> = page
            .into_iter()
            .map(|(uri, file)| describe(uri, *file))
            .collect();
        let next = found.next().and(page.last()).map(|last| last.uri.clone());
        Ok(Page::new(page, next))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        Ok(describe(uri, self.find(uri)?))
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let Some((number, size)) = self.find(uri)? else {
            return Ok(Vec::new());
        };
        let archive = self.clone();
        let reading = tokio::task::spawn_blocking(move || archive.content(number, size));
        let content = reading.await.map_err(failed)??;
        Ok(vec![ResourceContents::new(
            self.metadata(uri).await?,
            content,
        )])
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new("zip:///{+path}", "file")]
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which archive?")?;
    let server = Server::builder("zip", env!("CARGO_PKG_VERSION"));
    Ok(server
        .store(Archive::open(&path)?)
        .build()?
        .serve_stdio()
        .await?)
}
