//! Skills (extension `io.modelcontextprotocol/skills`, SEP-2640): instructions for a model in files that are resources. A
//! server lists them by `skills/list` and describes one by `skills/get`. Which rules a skill keeps is not decided here.

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

/// Stands in place of a skill's files where their content is made anew for each reader.
const DYNAMIC: &str = "dynamic";

record! {
    /// The parameters of `skills/list`.
    #[derive(Default)]
    pub struct ListSkillsParams {
        /// The position to continue from.
        pub cursor: Option<Cursor>,
    }

    /// The first page.
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
        /// The `SKILL.md` of the skill that is meant.
        pub uri: String,
    }

    /// Names the skill.
    pub fn new(uri: impl Into<String>);
}

record! {
    /// The result of `skills/get`.
    pub struct GetSkillResult {
        /// The skill, as a listing would have it.
        pub skill: Skill,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result with this skill.
    pub fn new(skill: Skill);
}

record! {
    /// A skill as its server describes it: nothing of it has been read.
    pub struct Skill {
        /// Its `SKILL.md`, which can be read like any resource. With the server, this identifies it; the name does not.
        pub uri: String,
        /// The frontmatter of that file, as JSON.
        pub frontmatter: JsonObject,
        /// All its files.
        pub resources: SkillFiles,
    }

    /// A skill of these files, `SKILL.md` among them.
    pub fn new(uri: impl Into<String>, frontmatter: JsonObject, resources: SkillFiles);
}

impl Skill {
    /// The skill's name. Several of one server may have the same name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.frontmatter.get("name")?.as_str()
    }

    /// The purpose of the skill, and the cases to use it in.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.frontmatter.get("description")?.as_str()
    }
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the extension has these two")]
pub enum SkillFiles {
    /// Each of them once.
    Listed(Vec<SkillFile>),
    /// Their content is made anew for each reader, so nothing is known before.
    Dynamic,
}

record! {
    /// A file of a skill, and what its content must be.
    #[derive(Eq)]
    pub struct SkillFile {
        /// The URI to read it at.
        pub uri: String,
        /// `sha256:` and the digest of its bytes in lower-case hexadecimal digits.
        pub digest: String,
        /// Its length in bytes.
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
