//! Skills (extension `io.modelcontextprotocol/skills`, SEP-2640): the source of a server's skills.
//! Their files are resources, so the program also serves a [`Store`](crate::store::Store) with the
//! files.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use plainly_protocol::types::{CacheHint, Skill};

use crate::store::StoreError;

/// A source of skills, such as a directory or a catalogue.
///
/// Each file that a skill lists must be readable by `resources/read`, with the digest and the size
/// that the skill states.
///
/// ```
/// use plainly::{Server, Text};
/// use plainly::protocol::types::{JsonObject, Skill, SkillFiles};
/// use plainly::server::{Resource, SkillPage, Skills};
/// use plainly::store::StoreError;
///
/// /// One skill, whose text is made anew for each reader.
/// #[derive(Debug)]
/// struct OnCall;
///
/// const URI: &str = "skill://on-call/SKILL.md";
///
/// fn on_call() -> Skill {
///     let frontmatter = [("name", "on-call"), ("description", "What to do when paged")];
///     let frontmatter = frontmatter.map(|(name, text)| (name, text.into()));
///     Skill::new(URI, JsonObject::from(frontmatter), SkillFiles::Dynamic)
/// }
///
/// impl Skills for OnCall {
///     async fn list(&self, _after: Option<&str>, _limit: usize) -> Result<SkillPage, StoreError> {
///         Ok(SkillPage::new(vec![on_call()], None))
///     }
///
///     async fn get(&self, uri: &str) -> Result<Skill, StoreError> {
///         (uri == URI).then(on_call).ok_or(StoreError::NotFound)
///     }
/// }
///
/// async fn file() -> Text {
///     Text::markdown("---\nname: on-call\ndescription: What to do when paged\n---\nCall Ada.")
/// }
///
/// let file = Resource::new(URI, file).name("on-call");
/// let server = Server::builder("pager", "1.0.0").skills(OnCall).resource(file).build()?;
/// # Ok::<(), plainly::server::BuildErrors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no skills",
    label = "not a source of skills",
    note = "a source of skills has the methods `list` and `get`"
)]
pub trait Skills: Send + Sync + fmt::Debug + 'static {
    /// One page of skills, at most `limit` of them. `after` is the [`SkillPage::next`] of the
    /// previous page. Any process that serves the same skills can continue the listing. A source
    /// may list only some of its skills, or none.
    fn list(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Result<SkillPage, StoreError>> + Send;

    /// The skill whose `SKILL.md` has this URI, whether the skill is listed or not.
    fn get(&self, uri: &str) -> impl Future<Output = Result<Skill, StoreError>> + Send;

    /// The time that clients may cache the answers, and whether they may share them.
    fn cache_hint(&self) -> CacheHint {
        CacheHint::default()
    }
}

/// A part of a listing of skills.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SkillPage {
    /// The skills, in the order of the source.
    pub skills: Vec<Skill>,
    /// The position of the next page; `None` if there is none. Plain text, because the server
    /// converts it to an opaque cursor.
    pub next: Option<String>,
}

impl SkillPage {
    /// A page, and the position to continue from.
    pub fn new(skills: Vec<Skill>, next: Option<String>) -> Self {
        Self { skills, next }
    }
}

/// [`Skills`] with its futures boxed.
pub(crate) trait ErasedSkills: Send + Sync + fmt::Debug {
    fn list(
        self: Arc<Self>,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'static, Result<SkillPage, StoreError>>;
    fn get(self: Arc<Self>, uri: String) -> BoxFuture<'static, Result<Skill, StoreError>>;
    fn cache_hint(&self) -> CacheHint;
}

impl<S: Skills> ErasedSkills for S {
    fn list(
        self: Arc<Self>,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'static, Result<SkillPage, StoreError>> {
        Box::pin(async move { Skills::list(&*self, after.as_deref(), limit).await })
    }

    fn get(self: Arc<Self>, uri: String) -> BoxFuture<'static, Result<Skill, StoreError>> {
        Box::pin(async move { Skills::get(&*self, &uri).await })
    }

    fn cache_hint(&self) -> CacheHint {
        Skills::cache_hint(self)
    }
}
