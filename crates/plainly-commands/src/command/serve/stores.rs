//! The directories and skills that options name.

use plainly::protocol::types::{CacheHint, CacheScope};
use plainly::server::ServerBuilder;
use plainly_convert::{Converting, Csv, Html, Json, Notebook};
use plainly_directory::{DirectoryStore, DirectoryStoreBuilder, SkillDirectory};
use plainly_otel::{CacheCounts, Telemetry};

use super::{memory, tools, write};
use crate::apart::Apart;
use crate::args::{Mount, ServeArgs};
use crate::failure::Failure;

/// The stores of a server.
pub(super) struct Stores {
    directories: Option<Directories>,
    skills: Option<SkillDirectory>,
}

/// The directories, and the store that clients see, which adds converted formats.
struct Directories {
    store: DirectoryStore,
    shown: Converting<DirectoryStore>,
}

impl Stores {
    pub(super) fn new(args: &ServeArgs) -> Result<Self, Failure> {
        tools::check(args)?;
        let options = options(args);
        let skills = args.content.skills.as_ref().map(|path| {
            SkillDirectory::with_options(path, options.clone()).map_err(super::impossible)
        });
        let directories = directories(options, args)?;
        let directories = directories.map(|store| Directories::new(store, args));
        Ok(Self {
            directories: directories.transpose()?,
            skills: skills.transpose()?,
        })
    }

    /// Adds all stores to a server.
    pub(super) fn attach(&self, builder: ServerBuilder, args: &ServeArgs) -> ServerBuilder {
        let builder = match &self.directories {
            Some(Directories { store, shown }) => builder
                .tools(tools::of(store, shown, args))
                .store(shown.clone()),
            None => builder,
        };
        match &self.skills {
            Some(skills) => builder.skills(skills.clone()).store(skills.clone()),
            None => builder,
        }
    }

    /// Reports how often a converted text came from the cache.
    pub(super) fn watch_caches(&self, telemetry: &Telemetry) {
        let Some(Directories { shown, .. }) = &self.directories else {
            return;
        };
        let shown = shown.clone();
        telemetry.watch_cache("conversions", move || CacheCounts {
            hits: shown.hits(),
            misses: shown.misses(),
        });
    }

    /// The URIs of the directories, and the number of skills. Skills that break a rule are logged.
    pub(super) async fn summary(&self) -> Result<Vec<String>, Failure> {
        let directories = self.directories.iter();
        let directories = directories.flat_map(|directories| directories.store.mounts());
        let mut summary: Vec<String> = directories.map(|mount| mount.uri().to_owned()).collect();
        if let Some(skills) = &self.skills {
            let broken = skills.refresh().await;
            let broken =
                broken.map_err(|error| Failure::caused("cannot read the skills", error))?;
            let found = skills.uris();
            if found.is_empty() && broken.is_empty() {
                tracing::warn!("no skills yet: a skill is a directory with a SKILL.md");
            }
            summary.push(match found.len() {
                1 => "1 skill".to_owned(),
                count => format!("{count} skills"),
            });
        }
        Ok(summary)
    }
}

/// A builder with the options for all directories, which share a budget of memory.
fn options(args: &ServeArgs) -> DirectoryStoreBuilder {
    DirectoryStore::builder()
        .hidden(args.content.hidden)
        .ignored(args.content.no_ignore)
        .withhold(args.named_files())
        .cache_hint(CacheHint::new(
            args.content.ttl.unwrap_or_default(),
            // Proxies must decide who may see the contents.
            CacheScope::Private,
        ))
        .max_file_bytes(args.content.max_file_size)
        .budget(memory::budget(args))
}

/// The store of the directories, if there are any.
fn directories(
    options: DirectoryStoreBuilder,
    args: &ServeArgs,
) -> Result<Option<DirectoryStore>, Failure> {
    if args.mounts.is_empty() {
        if args.content.app {
            let why = "--app shows the files of directories: give a directory to serve";
            return Err(Failure::impossible(why, None));
        }
        return Ok(None);
    }
    let builder = write::prepared(options, args).as_is(args.content.as_is);
    args.mounts
        .iter()
        .fold(builder, write::mounted)
        .build()
        .map(Some)
        .map_err(|error| match args.mounts.iter().find_map(Mount::hint) {
            Some(hint) => Failure::impossible(format!("cannot serve: {error}; {hint}"), None),
            None => super::impossible(error),
        })
}

impl Directories {
    fn new(store: DirectoryStore, args: &ServeArgs) -> Result<Self, Failure> {
        let shown = Converting::new(store.clone());
        if args.content.as_is {
            return Ok(Self { store, shown });
        }
        let apart =
            Apart::new().map_err(|error| Failure::caused("cannot find this program", error))?;
        let most = usize::try_from(args.content.max_file_size / 4).unwrap_or(usize::MAX);
        let shown = shown
            .converter(Html::new())
            .converter(Csv::new())
            .converter(Json::new())
            .converter(Notebook::new())
            .converter(apart)
            .max_bytes(most);
        Ok(Self { store, shown })
    }
}
