//! Skills on the client's side (extension `io.modelcontextprotocol/skills`): listing them, and
//! reading their files. Files that differ from the server's listing are rejected. Nothing is read
//! before it is asked for.

use std::sync::OnceLock;

use plainly_errors::Mistake;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    Body, GetSkillParams, GetSkillResult, ListSkillsParams, ListSkillsResult, Skill, SkillFile,
    SkillFiles,
};
use plainly_skills::{Frontmatter, digest, mistakes, root};

use crate::connect::Client;
use crate::error::{Error, LocalError, Mismatch, Result};
use crate::features::pages::ListingPage;

/// A skill whose `SKILL.md` was read and matches the server's listing: its instructions, and access
/// to its other files.
///
/// It is bound to its server and to the entry that it was loaded from. Content that matches the
/// listing is not trustworthy for that reason: the server wrote both.
///
/// ```no_run
/// use plainly::client::{Client, Result};
///
/// async fn instructions(client: &Client, uri: &str) -> Result<String> {
///     let skill = client.skill(uri).await?;
///     println!("{}: {}", skill.name().unwrap_or("-"), skill.description().unwrap_or("-"));
///     // Ask the user here, and remember with the answer which files and digests it was given for.
///     let loaded = client.load_skill(skill).await?;
///     let forms = loaded.read("references/FORMS.md").await?;
///     println!("{} bytes of forms", forms.as_bytes().len());
///     Ok(loaded.instructions().to_owned())
/// }
/// ```
#[derive(Debug)]
pub struct LoadedSkill {
    client: Client,
    skill: Skill,
    instructions: String,
    /// The first mismatch, after which nothing more is read.
    mismatch: OnceLock<Error>,
}

impl Client {
    /// One page of `skills/list`. An unreadable skill, such as one without its files, is left out
    /// and named in a warning in the log.
    pub async fn list_skills(&self, params: &ListSkillsParams) -> Result<ListSkillsResult> {
        Ok(self.skills_page(params).await?.body)
    }

    async fn skills_page(
        &self,
        params: &ListSkillsParams,
    ) -> Result<ListingPage<ListSkillsResult>> {
        self.page(Method::ListSkills, "skills", params).await
    }

    /// All skills that the server lists, of all pages. A server may have more of them. Complete or
    /// an error, like [`resources`](Self::resources), except for the skills that
    /// [`list_skills`](Self::list_skills) leaves out. No file is read.
    ///
    /// # Errors
    ///
    /// [`LocalError::NotDeclared`] if the server does not declare the extension, as for each method
    /// of skills.
    pub async fn skills(&self) -> Result<Vec<Skill>> {
        self.all_pages(Method::ListSkills, |cursor| async move {
            let mut params = ListSkillsParams::new();
            params.cursor = cursor;
            let page = self.skills_page(&params).await?;
            Ok(page.map(|body| (body.skills, body.next_cursor)))
        })
        .await
    }

    /// The current entry of the skill whose `SKILL.md` has this URI (`skills/get`), whether the
    /// server lists the skill or not. No file is read.
    ///
    /// # Errors
    ///
    /// An error for which [`is_invalid_params`](Error::is_invalid_params) or
    /// [`is_resource_not_found`](Error::is_resource_not_found) holds, if the server has no such
    /// skill.
    pub async fn skill(&self, uri: impl Into<String>) -> Result<Skill> {
        let method = Method::GetSkill;
        let params = GetSkillParams::new(uri);
        let skill = self
            .call::<GetSkillResult>(method, &params)
            .await?
            .body
            .skill;
        if skill.uri == params.uri {
            return Ok(skill);
        }
        let why = Mistake::new("/skill/uri", "it is not the skill that was asked for");
        Err(Error::invalid_response(method.name(), why.to_string()))
    }

    /// Reads the `SKILL.md` of a skill, and verifies that its length, its digest and each field of
    /// its frontmatter match the entry of the skill. No other file is read.
    ///
    /// # Errors
    ///
    /// - [`LocalError::InvalidSkill`]: the skill breaks the rules of the extension. Nothing was
    ///   read.
    /// - [`LocalError::DynamicSkill`]: the content can't be verified. Nothing was read.
    /// - [`LocalError::SkillMismatch`]: the file differs from the entry.
    /// - The errors of [`read`](Self::read).
    pub async fn load_skill(&self, skill: Skill) -> Result<LoadedSkill> {
        let uri = skill.uri.clone();
        let SkillFiles::Listed(files) = &skill.resources else {
            return Err(LocalError::DynamicSkill { uri }.into());
        };
        let mistakes = mistakes(&skill, files);
        let file = files.iter().find(|file| file.uri == uri);
        let (Some(file), []) = (file, mistakes.as_slice()) else {
            return Err(LocalError::InvalidSkill { uri, mistakes }.into());
        };
        let instructions = text(self.read_verified(file).await?)
            .and_then(|text| {
                Frontmatter::of(&text)?.compare(&skill.frontmatter)?;
                Ok(text)
            })
            .map_err(|mismatch| LocalError::SkillMismatch { uri, mismatch })?;
        Ok(LoadedSkill {
            client: self.clone(),
            skill,
            instructions,
            mismatch: OnceLock::new(),
        })
    }

    /// Reads a file, which must have the length and digest of its entry.
    async fn read_verified(&self, file: &SkillFile) -> Result<Body> {
        // Bypasses the cache, because cached content may be older than the entry.
        let contents = self.fresh().read(&*file.uri).await?.contents;
        let found = contents.len();
        let mut contents = contents.into_iter();
        let content = contents.find(|content| content.uri == file.uri);
        let verified = match content {
            Some(content) => verify(content.body, file),
            None => Err(Mismatch::Content { found }),
        };
        verified.map_err(|mismatch| {
            let uri = file.uri.clone();
            LocalError::SkillMismatch { uri, mismatch }.into()
        })
    }
}

impl LoadedSkill {
    /// The entry of the skill, as of when it was loaded.
    pub fn skill(&self) -> &Skill {
        &self.skill
    }

    /// The whole `SKILL.md`, with its frontmatter. It is text of the server for the
    /// model, which must learn where it is from.
    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// The directory of the skill, which the paths in its instructions are relative to: a URI
    /// without a slash at its end.
    pub fn root(&self) -> &str {
        root(&self.skill.uri)
    }

    /// Reads a file of the skill, by its URI or by its path in the skill's directory, and verifies
    /// its length and digest.
    ///
    /// # Errors
    ///
    /// - [`LocalError::NotInSkill`]: the skill does not list the file. Nothing was read.
    /// - [`LocalError::SkillMismatch`]: the file differs from the entry. From then on, each call
    ///   fails with this error, and no file of the skill is read.
    /// - The errors of [`Client::read`].
    pub async fn read(&self, path: &str) -> Result<Body> {
        if let Some(mismatch) = self.mismatch.get() {
            return Err(mismatch.clone());
        }
        let file = self.find(path).ok_or_else(|| LocalError::NotInSkill {
            path: path.to_owned(),
            skill: self.skill.uri.clone(),
        })?;
        let read = self.client.read_verified(file).await;
        if let Err(error) = &read
            && let Some(LocalError::SkillMismatch { .. }) = error.local()
        {
            // If two calls find a mismatch at the same time, the first counts.
            let _first = self.mismatch.set(error.clone());
        }
        read
    }

    fn find(&self, path: &str) -> Option<&SkillFile> {
        let SkillFiles::Listed(files) = &self.skill.resources else {
            return None;
        };
        let relative = path.strip_prefix("./").unwrap_or(path);
        let mut files = files.iter();
        files.find(|file| {
            let inside = file.uri.strip_prefix(self.root());
            let inside = inside.and_then(|inside| inside.strip_prefix('/'));
            file.uri == path || inside == Some(relative)
        })
    }
}

/// The content of a file, if it matches the file's entry.
fn verify(body: Body, file: &SkillFile) -> std::result::Result<Body, Mismatch> {
    let bytes = body.as_bytes();
    let found = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if found != file.size {
        let listed = file.size;
        return Err(Mismatch::Size { listed, found });
    }
    let found = digest(bytes);
    if found != file.digest {
        let listed = file.digest.clone();
        return Err(Mismatch::Digest { listed, found });
    }
    Ok(body)
}

/// The content as text, whether it was sent as text or as a blob.
fn text(body: Body) -> std::result::Result<String, Mismatch> {
    let text = match body {
        Body::Text(text) => Ok(text),
        Body::Blob(bytes) => String::from_utf8(bytes),
    };
    text.map_err(|_not_utf_8| {
        let why = "it is not text".to_owned();
        Mismatch::Unreadable { why }
    })
}
