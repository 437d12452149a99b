//! The rules that the entry of a skill must follow before any of the skill's files is read
//! (SEP-2640, "Resource Mapping" and "Resources"; Agent Skills, "Frontmatter").

use std::collections::HashSet;

use percent_encoding::percent_decode_str;
use plainly_errors::Mistake;
use plainly_errors::mistake::quoted;
use plainly_protocol::types::{Skill, SkillFile};
use serde_json::Value;

/// The file that makes a directory a skill.
pub const MAIN_FILE: &str = "SKILL.md";
/// The end of the URI of that file.
const MAIN: &str = "/SKILL.md";
/// The maximum number of a skill's files that every client must accept.
pub const MAX_FILES: usize = 512;
/// The maximum total size of a skill's files that every client must accept, in bytes.
pub const MAX_BYTES: u64 = 16 << 20;
/// The maximum length of a name, in characters.
const NAME: usize = 64;
/// The maximum length of a description, and of the requirements of a skill, in characters.
const DESCRIPTION: usize = 1_024;
const COMPATIBILITY: usize = 500;
/// The maximum number of mistakes reported for one skill.
const TOLD: usize = 20;

/// The URI of the skill's directory for the URI of its `SKILL.md`, without a slash at its end.
pub fn root(uri: &str) -> &str {
    uri.strip_suffix(MAIN).unwrap_or(uri)
}

/// The mistakes in the entry of a skill that lists these files, at most 20.
pub fn mistakes(skill: &Skill, files: &[SkillFile]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    mistakes.extend(in_uri(skill));
    mistakes.extend(in_name(skill));
    mistakes.extend(in_text(skill, "description", DESCRIPTION));
    if skill.frontmatter.get("compatibility").is_some() {
        mistakes.extend(in_text(skill, "compatibility", COMPATIBILITY));
    }
    if files.len() > MAX_FILES {
        let why = format!(
            "a skill of {} files is larger than {MAX_FILES}",
            files.len()
        );
        mistakes.push(Mistake::new("/resources", why));
        return mistakes;
    }
    mistakes.extend(in_files(skill, files));
    mistakes.truncate(TOLD);
    mistakes
}

fn in_uri(skill: &Skill) -> Option<Mistake> {
    let why = match skill.uri.strip_suffix(MAIN) {
        None => format!("{:?} does not end with {MAIN}", quoted(&skill.uri)),
        Some(root) if !is_clean(root) => format!("{:?} leads elsewhere", quoted(&skill.uri)),
        Some(_) => return None,
    };
    Some(Mistake::new("/uri", why))
}

fn in_name(skill: &Skill) -> Option<Mistake> {
    let path = "/frontmatter/name";
    let Some(name) = skill.name() else {
        return Some(Mistake::new(path, no_text(skill, "name")));
    };
    let shown = quoted(name);
    let directory = root(&skill.uri).rsplit('/').next().unwrap_or_default();
    let directory = &*percent_decode_str(directory).decode_utf8_lossy();
    let why = if !is_name(name) {
        format!(
            "{shown:?} is not of lower-case letters, digits and single hyphens between them, {NAME} at most"
        )
    } else if name != directory {
        format!(
            "{shown:?} is not the directory of the skill, {:?}",
            quoted(directory)
        )
    } else {
        return None;
    };
    Some(Mistake::new(path, why))
}

/// The mistake in a field that should be a text of at most `most` characters.
fn in_text(skill: &Skill, field: &str, most: usize) -> Option<Mistake> {
    let text = skill.frontmatter.get(field).and_then(Value::as_str);
    let why = match text.map(|text| (text.trim(), text.chars().count())) {
        None => no_text(skill, field).to_owned(),
        Some(("", _)) => "it is empty".to_owned(),
        Some((_, length)) if length > most => {
            format!("it has {length} characters, more than {most}")
        }
        Some(_) => return None,
    };
    Some(Mistake::new(format!("/frontmatter/{field}"), why))
}

/// The fault of a field that should be text.
fn no_text(skill: &Skill, field: &str) -> &'static str {
    match skill.frontmatter.get(field) {
        Some(_) => "it is not text",
        None => "it is missing",
    }
}

/// Whether this is a valid name of a skill.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let mut characters = part.chars();
        !part.is_empty() && characters.all(|it| it.is_ascii_digit() || it.is_lowercase())
    };
    name.split('-').all(is_part) && name.chars().count() <= NAME
}

/// Whether a URI, or the rest of one, has only valid characters and no segment that leads to
/// another directory.
fn is_clean(uri: &str) -> bool {
    let is_visible = |it: char| !it.is_control() && !it.is_whitespace() && !"\\?#".contains(it);
    let is_dots = |segment: &str| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    };
    let is_encoded = |it: &str| {
        let it = it.to_ascii_lowercase();
        it.contains("%2f") || it.contains("%5c") || it.contains("%00")
    };
    uri.chars().all(is_visible) && !uri.split('/').any(is_dots) && !is_encoded(uri)
}

fn in_files(skill: &Skill, files: &[SkillFile]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut seen = HashSet::new();
    for (at, file) in files.iter().enumerate() {
        let uri = quoted(&file.uri);
        let place = |member: &str| format!("/resources/{at}/{member}");
        if !seen.insert(&*file.uri) {
            mistakes.push(Mistake::new(
                place("uri"),
                format!("{uri:?} is there twice"),
            ));
        } else if !is_inside(root(&skill.uri), &file.uri) {
            let why = format!("{uri:?} is not in the directory of the skill");
            mistakes.push(Mistake::new(place("uri"), why));
        }
        if !is_digest(&file.digest) {
            let why = format!("{:?} is not a SHA-256 digest", quoted(&file.digest));
            mistakes.push(Mistake::new(place("digest"), why));
        }
    }
    if !seen.contains(&*skill.uri) {
        mistakes.push(Mistake::new(
            "/resources",
            "the skill's own URI is not there",
        ));
    }
    let bytes = files
        .iter()
        .fold(0, |sum: u64, file| sum.saturating_add(file.size));
    if bytes > MAX_BYTES {
        let why = format!("a skill of {bytes} bytes is larger than {MAX_BYTES}");
        mistakes.push(Mistake::new("/resources", why));
    }
    mistakes
}

/// Whether a URI is that of a file in this directory, or below it.
fn is_inside(root: &str, uri: &str) -> bool {
    let path = uri
        .strip_prefix(root)
        .and_then(|path| path.strip_prefix('/'));
    path.is_some_and(|path| is_clean(path) && path.split('/').all(|segment| !segment.is_empty()))
}

fn is_digest(digest: &str) -> bool {
    let hex = digest.strip_prefix("sha256:").unwrap_or_default();
    let is_digit = |it: u8| matches!(it, b'0'..=b'9' | b'a'..=b'f');
    hex.len() == 64 && hex.bytes().all(is_digit)
}
