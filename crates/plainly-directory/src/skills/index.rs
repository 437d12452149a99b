//! The skills of a directory at one moment. They are found by the store's own walk, so they contain
//! no hidden or ignored files, and nothing outside of the directory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::Bound;
use std::rc::Rc;

use cap_std::fs::Metadata;
use plainly::protocol::types::{Resource, ResourceContents, Skill, SkillFile, SkillFiles};
use plainly::store::StoreError;
use plainly_skills::{Frontmatter, MAIN_FILE, MAX_BYTES, MAX_FILES, digest, mistakes, root};

use super::SCHEME;
use crate::content;
use crate::handle;
use crate::names::{self, Kinds};
use crate::place::{OpenEntry, OpenFile, Place};
use crate::request::Request;
use crate::uri;
use crate::version::FileVersion;

/// The maximum number of times a changing file is read.
const ATTEMPTS: usize = 3;
/// The maximum number of faults reported for one skill.
const REPORTED: usize = 20;

/// A directory with a `SKILL.md` that is not served as a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenSkill {
    /// The URI that the skill's `SKILL.md` would have.
    pub uri: String,
    /// The rules that the directory breaks. Never empty.
    pub faults: Vec<String>,
}

impl fmt::Display for BrokenSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.uri, self.faults.join("; "))
    }
}

/// The skills of a directory at one moment.
#[derive(Debug, Default)]
pub(super) struct SkillIndex {
    /// The skills by the URI of their `SKILL.md`.
    skills: BTreeMap<String, Skill>,
    /// The URIs of the skills' directories, without a slash at the end.
    roots: BTreeSet<String>,
    broken: Vec<BrokenSkill>,
    digests: HashMap<FileVersion, String>,
}

impl SkillIndex {
    /// Searches the directory. Reuses the digests of files that haven't changed since `before`.
    pub(super) fn read(request: &Request<'_>, before: &Self) -> Result<Self, StoreError> {
        let mut reader = IndexReader {
            before,
            index: Self::default(),
        };
        for root in &request.mounts.roots {
            reader.directory(&request.place(root), SCHEME, false)?;
        }
        let mut index = reader.index;
        index.roots = index
            .skills
            .keys()
            .map(|uri| root(uri).to_owned())
            .collect();
        for broken in &index.broken {
            if !before.broken.contains(broken) {
                let faults = broken.faults.join("; ");
                tracing::warn!(skill = broken.uri, faults, "the skill is left out");
            }
        }
        Ok(index)
    }

    pub(super) fn skills(&self) -> impl Iterator<Item = &Skill> {
        self.skills.values()
    }

    /// The skills after the one at this URI, or all.
    pub(super) fn after(&self, after: Option<&str>) -> impl Iterator<Item = &Skill> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let skills = self.skills.range::<str, _>((start, Bound::Unbounded));
        skills.map(|(_, skill)| skill)
    }

    pub(super) fn skill(&self, uri: &str) -> Option<&Skill> {
        self.skills.get(uri)
    }

    pub(super) fn broken(&self) -> &[BrokenSkill] {
        &self.broken
    }

    /// Whether this is the URI of a file or directory in a skill, or of a directory above one.
    pub(super) fn reaches(&self, uri: &str) -> bool {
        let mut at = Some(uri);
        while let Some(directory) = at {
            if self.roots.contains(directory) {
                return true;
            }
            at = directory.rsplit_once('/').map(|(above, _)| above);
        }
        let below = format!("{uri}/");
        let mut roots = self.roots.range(below.clone()..);
        uri != SCHEME && roots.next().is_some_and(|root| root.starts_with(&below))
    }

    /// Sets the name and description of a resource to those of its skill, if it is a `SKILL.md`.
    pub(super) fn describe(&self, mut resource: Resource) -> Resource {
        if let Some(skill) = self.skill(&resource.uri) {
            resource.name = skill.name().unwrap_or_default().to_owned();
            resource.description = skill.description().map(str::to_owned);
            resource.mime_type = Some("text/markdown".to_owned());
        }
        resource
    }

    /// Like [`describe`](Self::describe), for the contents of a resource.
    pub(super) fn describe_contents(&self, contents: &mut ResourceContents) {
        if let Some(skill) = self.skill(&contents.uri) {
            contents.name = skill.name().map(str::to_owned);
            contents.description = skill.description().map(str::to_owned);
        }
    }
}

/// A search through a directory.
struct IndexReader<'a> {
    before: &'a SkillIndex,
    index: SkillIndex,
}

/// The files found in a directory, including all directories below.
#[derive(Default)]
struct Found {
    files: Vec<SkillFile>,
    /// The reasons why the files can't form a skill.
    faults: Vec<String>,
}

impl IndexReader<'_> {
    /// Searches one directory, and adds the skills in it.
    fn directory(
        &mut self,
        place: &Rc<Place>,
        uri: &str,
        is_in_skill: bool,
    ) -> Result<Found, StoreError> {
        let names = all_names(place)?;
        let has_main = names.iter().any(|name| name == MAIN_FILE);
        let is_skill = has_main && uri != SCHEME;
        let is_in_skill = is_skill || is_in_skill;
        let mut found = Found::default();
        let mut main = None;
        for name in &names {
            let child = uri::child(uri, name);
            let kind = place.kind(name);
            if !is_in_skill && !kind.is_some_and(|kind| kind.is_dir()) {
                continue;
            }
            if kind.is_some_and(|kind| kind.is_symlink()) {
                found.faults.push(format!("{child} is a link"));
                continue;
            }
            let inner = match place.open_listed(name) {
                Ok(OpenEntry::Directory(inner)) => self.directory(&inner, &child, is_in_skill),
                Ok(OpenEntry::File(file)) if is_skill && name == MAIN_FILE => {
                    let content = stable(place, name, file);
                    content.map(|(_, content)| Found::of(child.clone(), main.insert(content)))
                }
                // A skill with more files is left out, so their content doesn't matter.
                Ok(OpenEntry::File(_)) if found.files.len() > MAX_FILES => {
                    Ok(Found::unread(child.clone()))
                }
                Ok(OpenEntry::File(file)) => self.file(place, name, &child, file),
                Err(error) => Err(error),
            };
            found.add(&child, inner)?;
        }
        if has_main {
            self.add(uri, &found, main);
        }
        Ok(found)
    }

    /// Reads a file of a skill, unless its digest is known.
    fn file(
        &mut self,
        place: &Rc<Place>,
        name: &OsStr,
        uri: &str,
        file: OpenFile,
    ) -> Result<Found, StoreError> {
        let version = FileVersion::of(&file.metadata);
        let (version, digest) = match self.before.digests.get(&version) {
            Some(digest) => (version, digest.clone()),
            None => {
                // The content may be newer than the metadata from when the file was opened.
                let (metadata, content) = stable(place, name, file)?;
                (FileVersion::of(&metadata), digest(&content))
            }
        };
        self.index.digests.insert(version, digest.clone());
        Ok(Found::file(SkillFile::new(uri, digest, version.bytes)))
    }

    /// Adds the skill in the directory at `uri` with this `SKILL.md`, or its faults.
    fn add(&mut self, uri: &str, found: &Found, main: Option<Vec<u8>>) {
        if uri == SCHEME {
            let fault = "it is not in a directory of its own: serve the directory above";
            self.index.broken.push(BrokenSkill {
                uri: format!("{uri}{MAIN_FILE}"),
                faults: vec![fault.to_owned()],
            });
            return;
        }
        let uri = format!("{uri}/{MAIN_FILE}");
        let mut faults = found.faults.clone();
        match main.map(|main| skill(&uri, &main, &found.files)) {
            Some(Ok(skill)) => {
                let broken = mistakes(&skill, &found.files);
                faults.extend(broken.iter().map(ToString::to_string));
                if faults.is_empty() {
                    self.index.skills.insert(uri, skill);
                    return;
                }
            }
            Some(Err(fault)) => faults.push(fault),
            // The `SKILL.md` is not a file, or was removed.
            None if faults.is_empty() => return,
            // The `SKILL.md` is a link, or can't be read.
            None => {}
        }
        faults.truncate(REPORTED);
        self.index.broken.push(BrokenSkill { uri, faults });
    }
}

impl Found {
    fn file(file: SkillFile) -> Self {
        Self {
            files: vec![file],
            faults: Vec::new(),
        }
    }

    /// Creates the result for one file with this content.
    fn of(uri: String, content: &[u8]) -> Self {
        Self::file(SkillFile::new(uri, digest(content), content.len() as u64))
    }

    /// Creates the result for one file that is only counted.
    fn unread(uri: String) -> Self {
        Self::file(SkillFile::new(uri, "", 0))
    }

    /// Adds the result of the entry at `uri`. An error that concerns only this entry is a fault of
    /// the skill.
    fn add(&mut self, uri: &str, inner: Result<Self, StoreError>) -> Result<(), StoreError> {
        match inner {
            Ok(inner) => {
                self.files.extend(inner.files);
                self.faults.extend(inner.faults);
            }
            // The entry was removed, is a pipe or a device, or is withheld.
            Err(StoreError::NotFound) => {}
            Err(StoreError::TooLarge { size, .. }) => {
                let fault = format!("{uri} has {size} bytes: a skill has {MAX_BYTES} at most");
                self.faults.push(fault);
            }
            Err(StoreError::Failed(cause)) if handle::is_of_one(&*cause) => {
                self.faults.push(format!("{uri} can't be read: {cause}"));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Creates a skill from its `SKILL.md` and its files.
fn skill(uri: &str, main: &[u8], files: &[SkillFile]) -> Result<Skill, String> {
    let text = str::from_utf8(main).map_err(|_| "it is not text in UTF-8".to_owned())?;
    let frontmatter = Frontmatter::of(text).and_then(|it| it.to_json());
    let frontmatter = frontmatter.map_err(|error| error.to_string())?;
    let files = SkillFiles::Listed(files.to_vec());
    Ok(Skill::new(uri, frontmatter, files))
}

/// The metadata and the whole content of a file at one moment.
fn stable(
    place: &Rc<Place>,
    name: &OsStr,
    mut file: OpenFile,
) -> Result<(Metadata, Vec<u8>), StoreError> {
    for _ in 0..ATTEMPTS {
        file.waiter.hold(file.metadata.len().min(MAX_BYTES))?;
        if let Some(whole) = content::whole(&file, MAX_BYTES)? {
            return Ok(whole);
        }
        match place.open_listed(name)? {
            OpenEntry::File(again) => file = again,
            OpenEntry::Directory(_) => return Err(StoreError::NotFound),
        }
    }
    Err(content::unstable())
}

/// All names in a directory, in order.
fn all_names(place: &Rc<Place>) -> Result<Vec<OsString>, StoreError> {
    let (mut all, mut more) = names::next(place, None, Kinds::All)?;
    while more {
        let (next, is_more) = names::next(place, all.last().map(OsString::as_os_str), Kinds::All)?;
        more = is_more && !next.is_empty();
        all.extend(next);
    }
    Ok(all)
}
