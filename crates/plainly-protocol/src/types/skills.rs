//! Skills (extension `io.modelcontextprotocol/skills`, SEP-2640): instructions for a model in files
//! that are resources. A server lists them by `skills/list` and describes one by `skills/get`. The
//! rules for valid skills are checked elsewhere.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::common::Cursor;
use super::json::{JsonObject, Meta};
use super::natural;
use super::record::record;

/// The identifier of the extension, in the capabilities of a server.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

/// The value that replaces the list of a skill's files if their content is generated for each
/// reader.
const DYNAMIC: &str = "dynamic";

record! {
    /// The parameters of `skills/list`.
    #[derive(Default)]
    pub struct ListSkillsParams {
        /// The position to continue from.
        pub cursor: Option<Cursor>,
    }

    /// Requests the first page.
    pub fn new();
}

record! {
    /// The result of `skills/list`. A server may have more skills than it lists.
    pub struct ListSkillsResult {
        /// The skills of this page.
        pub skills: Vec<Skill>,
        /// The position of the next page. Absent on the last.
        pub next_cursor: Option<Cursor>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// The last page, or the only one.
    pub fn new(skills: impl Into<Vec<Skill>>);
}

record! {
    /// The parameters of `skills/get`.
    #[derive(Eq)]
    pub struct GetSkillParams {
        /// The URI of the skill's `SKILL.md`.
        pub uri: String,
    }

    /// Requests the skill with this URI.
    pub fn new(uri: impl Into<String>);
}

record! {
    /// The result of `skills/get`.
    pub struct GetSkillResult {
        /// The skill, as in a listing.
        pub skill: Skill,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result with this skill.
    pub fn new(skill: Skill);
}

record! {
    /// A skill as its server describes it, before any of its files is read.
    pub struct Skill {
        /// The URI of the skill's `SKILL.md`, which can be read like any resource. The server and
        /// this URI identify the skill; the name does not.
        pub uri: String,
        /// The frontmatter of `SKILL.md`, as JSON.
        pub frontmatter: JsonObject,
        /// All files of the skill.
        pub resources: SkillFiles,
    }

    /// A skill with these files, including `SKILL.md`.
    pub fn new(uri: impl Into<String>, frontmatter: JsonObject, resources: SkillFiles);
}

impl Skill {
    /// The skill's name. Several skills of one server may have the same name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.frontmatter.get("name")?.as_str()
    }

    /// The purpose of the skill, and when to use it.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.frontmatter.get("description")?.as_str()
    }
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the extension has these two")]
pub enum SkillFiles {
    /// All files, each once.
    Listed(Vec<SkillFile>),
    /// Content that is generated for each reader, so that the files are not known in advance.
    Dynamic,
}

record! {
    /// A file of a skill, with the digest and size of its content.
    #[derive(Eq)]
    pub struct SkillFile {
        /// The URI at which to read the file.
        pub uri: String,
        /// `sha256:` and the digest of the file's bytes in lower-case hexadecimal digits.
        pub digest: String,
        /// The length of the file in bytes.
        #[serde(deserialize_with = "natural::deserialize")]
        pub size: u64,
    }

    /// A file with this content.
    pub fn new(uri: impl Into<String>, digest: impl Into<String>, size: u64);
}

impl Serialize for SkillFiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Listed(files) => files.serialize(serializer),
            Self::Dynamic => serializer.serialize_str(DYNAMIC),
        }
    }
}

impl<'de> Deserialize<'de> for SkillFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FilesOrDynamic)
    }
}

struct FilesOrDynamic;

impl<'de> Visitor<'de> for FilesOrDynamic {
    type Value = SkillFiles;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an array of files or {DYNAMIC:?}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, files: A) -> Result<SkillFiles, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(files)).map(SkillFiles::Listed)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<SkillFiles, E> {
        match text {
            DYNAMIC => Ok(SkillFiles::Dynamic),
            other => Err(E::invalid_value(Unexpected::Str(other), &self)),
        }
    }
}
