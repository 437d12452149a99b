//! The skills in a directory. Each directory with a `SKILL.md` is a skill, and its files are the
//! resources `skill://path/to/skill/file`. Nothing else in the directory is served.

mod index;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt as _;
use plainly::protocol::types::{CacheHint, Resource, ResourceContents, Skill, SkillFiles};
use plainly::server::{SkillPage, Skills, SubscribedResources};
use plainly::store::{Change, ListQuery, Page, RangeQuery, Ranged, Store, StoreError, Watch};

pub use self::index::BrokenSkill;
use self::index::SkillIndex;
use super::builder::DirectoryStoreBuilder;
use super::lock::Lock;
use super::mount::{MountError, MountProblem};
use super::store::DirectoryStore;
use super::uri::Location;

/// The prefix of the URIs of skills.
const SCHEME: &str = "skill://";
/// The internal name of the mount, which clients never see.
const MOUNT: &str = "skills";
/// The internal URI of the directory.
const WALKED_ROOT: &str = "file:///skills";
/// The prefix of the internal URIs of its contents.
const WALKED: &str = "file:///skills/";

/// The maximum number of files of all skills on one page of `skills/list`, so that the page fits
/// into a reply.
const FILES_A_PAGE: usize = 5_000;

/// The skills in a directory (extension `io.modelcontextprotocol/skills`, SEP-2640). It is both a
/// [`Store`] of the skills' files, and the [`Skills`] themselves.
///
/// Each directory with a `SKILL.md`, at any depth, is a skill. Skills that break a rule of the
/// extension are left out: the name must be that of the directory, and there must be a description,
/// at most 512 files and 16 MiB, and no file that is a link or unreadable. Hidden and ignored files
/// are not part of a skill.
///
/// Each listing searches the directory again. The digest of a file is only computed again if its
/// size or time has changed.
///
/// ```no_run
/// use plainly::Server;
/// use plainly_directory::SkillDirectory;
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let skills = SkillDirectory::new("skills")?;
/// for broken in skills.refresh().await? {
///     eprintln!("left out: {broken}");
/// }
/// let server = Server::builder("helper", "1.0.0").skills(skills.clone()).store(skills).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SkillDirectory {
    files: DirectoryStore,
    /// The skills found by the last search.
    index: Arc<Lock<Arc<SkillIndex>>>,
}

impl SkillDirectory {
    /// Opens the skills below the directory at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, MountError> {
        Self::with_options(path, DirectoryStore::builder())
    }

    /// Opens the skills below the directory at `path`, with the options of a builder without
    /// mounts.
    pub fn with_options(
        path: impl Into<PathBuf>,
        options: DirectoryStoreBuilder,
    ) -> Result<Self, MountError> {
        let path = path.into();
        let files = options.as_is(true).mount_as(MOUNT, &path).build()?;
        if files.mounts.roots.iter().any(|root| root.file.is_some()) {
            return Err(MountError::of(vec![MountProblem::NotADirectory { path }]));
        }
        Ok(Self {
            files,
            index: Arc::default(),
        })
    }

    /// Searches the directory now. Returns the directories with a `SKILL.md` that are left out, and
    /// logs those that were not left out before.
    pub async fn refresh(&self) -> Result<Vec<BrokenSkill>, StoreError> {
        Ok(self.refreshed().await?.broken().to_vec())
    }

    /// The URIs of the skills found by the last search.
    pub fn uris(&self) -> Vec<String> {
        self.index()
            .skills()
            .map(|skill| skill.uri.clone())
            .collect()
    }

    fn index(&self) -> Arc<SkillIndex> {
        Arc::clone(&self.index.lock())
    }

    async fn refreshed(&self) -> Result<Arc<SkillIndex>, StoreError> {
        let before = self.index();
        let read = self
            .files
            .blocking(move |request| SkillIndex::read(request, &before));
        let index = Arc::new(read.await?);
        *self.index.lock() = Arc::clone(&index);
        Ok(index)
    }

    /// The skills that contain this URI or are below it. Searches again if the known skills don't.
    async fn around(&self, uri: &str) -> Result<Arc<SkillIndex>, StoreError> {
        let index = self.index();
        if index.reaches(uri) {
            return Ok(index);
        }
        let index = self.refreshed().await?;
        match index.reaches(uri) {
            true => Ok(index),
            false => Err(StoreError::NotFound),
        }
    }

    /// Whether to notify clients of a change at this URI.
    async fn shows_change(&self, uri: &str, subscribed: &SubscribedResources) -> bool {
        if self.index().reaches(uri) {
            return true;
        }
        // The file may belong to a new skill. Without a subscription, no client waits for it.
        let is_wanted = subscribed.uris().contains(uri) || !subscribed.below().is_empty();
        is_wanted && self.around(uri).await.is_ok()
    }

    /// The internal URI for a URI of skills, and the URI in the spelling of listings.
    fn walked_and_listed(uri: &str) -> Result<(String, String), StoreError> {
        let walked = walked_uri(uri)?;
        let listed = own_uri(&Location::parse(&walked)?.uri());
        Ok((walked, listed))
    }

    /// The skills for a page of a listing. The first page searches the directory again.
    async fn listed(&self, after: Option<&str>) -> Result<Arc<SkillIndex>, StoreError> {
        match after {
            None => self.refreshed().await,
            Some(_) => Ok(self.index()),
        }
    }
}

impl Store for SkillDirectory {
    fn serves(&self, uri: &str) -> bool {
        is_own(uri)
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let mut walked = ListQuery::new(query.limit);
        let parent = query.parent.map(Self::walked_and_listed).transpose()?;
        let after = query.after.map(walked_uri).transpose();
        let after = after.map_err(|_| StoreError::InvalidCursor)?;
        walked.parent = parent.as_ref().map(|(walked, _)| &**walked);
        walked.after = after.as_deref();
        let index = match &parent {
            Some((_, listed)) => self.around(listed).await?,
            None => self.listed(query.after).await?,
        };
        let page = self.files.list(walked).await?;
        let resources = page.resources.into_iter().map(own_resource);
        let resources = resources.filter(|resource| index.reaches(&resource.uri));
        let resources = resources.map(|resource| index.describe(resource));
        Ok(Page::new(
            resources.collect(),
            page.next.as_deref().map(own_uri),
        ))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let (walked, listed) = Self::walked_and_listed(uri)?;
        let index = self.around(&listed).await?;
        let found = self.files.metadata(&walked).await?;
        Ok(index.describe(own_resource(found)))
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let (walked, listed) = Self::walked_and_listed(uri)?;
        let index = self.around(&listed).await?;
        let mut contents = self.files.read(&walked).await?;
        for content in &mut contents {
            content.uri = own_uri(&content.uri);
            index.describe_contents(content);
        }
        // Files between the directories of skills belong to no skill.
        contents.retain(|content| index.reaches(&content.uri));
        Ok(contents)
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        let (walked, listed) = Self::walked_and_listed(query.uri)?;
        self.around(&listed).await?;
        let range = RangeQuery::new(&walked, query.range);
        self.files.read_range(range).await
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        let listed = own_uri(&self.files.spelling(&walked_uri(uri).ok()?)?);
        Some(match listed == uri {
            true => Cow::Borrowed(uri),
            false => Cow::Owned(listed),
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other changes have no URI")]
    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        let walked = subscribed.clone().spelled(|uri| walked_uri(uri).ok());
        let changes = self.files.watch(walked)?;
        let skills = self.clone();
        let changes = changes.filter_map(move |change| {
            let (skills, subscribed) = (skills.clone(), subscribed.clone());
            async move {
                match change {
                    Change::Resource(uri) => {
                        let uri = own_uri(&uri);
                        let is_shown = skills.shows_change(&uri, &subscribed).await;
                        is_shown.then_some(Change::Resource(uri))
                    }
                    Change::Tree(uri) => Some(Change::Tree(own_uri(&uri))),
                    change => Some(change),
                }
            }
        });
        Some(Watch::new(changes.boxed()))
    }

    fn cache_hint(&self) -> CacheHint {
        self.files.cache_hint()
    }
}

impl Skills for SkillDirectory {
    async fn list(&self, after: Option<&str>, limit: usize) -> Result<SkillPage, StoreError> {
        let index = self.listed(after).await?;
        let mut page = Vec::new();
        let mut files = 0;
        for skill in index.after(after) {
            files += match &skill.resources {
                SkillFiles::Listed(files) => files.len(),
                SkillFiles::Dynamic => 0,
            };
            if page.len() == limit.max(1) || files > FILES_A_PAGE && !page.is_empty() {
                let next = page.last().map(|skill: &Skill| skill.uri.clone());
                return Ok(SkillPage::new(page, next));
            }
            page.push(skill.clone());
        }
        Ok(SkillPage::new(page, None))
    }

    async fn get(&self, uri: &str) -> Result<Skill, StoreError> {
        let index = self.refreshed().await?;
        let uri = self.spelling(uri).ok_or(StoreError::NotFound)?;
        index.skill(&uri).cloned().ok_or(StoreError::NotFound)
    }

    fn cache_hint(&self) -> CacheHint {
        self.files.cache_hint()
    }
}

/// Whether a URI has the scheme of skills.
fn is_own(uri: &str) -> bool {
    let scheme = uri.get(..SCHEME.len());
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
}

/// The internal URI for a URI of skills.
fn walked_uri(uri: &str) -> Result<String, StoreError> {
    match uri.get(SCHEME.len()..).filter(|_| is_own(uri)) {
        // The root is never served, but it is the position after which listings start.
        Some("") => Ok(WALKED_ROOT.to_owned()),
        Some(path) => Ok(format!("{WALKED}{path}")),
        None => Err(StoreError::InvalidUri {
            why: "it does not start with skill://".into(),
        }),
    }
}

/// The URI of skills for an internal URI.
fn own_uri(walked: &str) -> String {
    let path = walked.strip_prefix(WALKED).unwrap_or_default();
    format!("{SCHEME}{path}")
}

fn own_resource(mut resource: Resource) -> Resource {
    resource.uri = own_uri(&resource.uri);
    resource
}
