//! Words results from the structured output of this crate's tools.

mod tree;

use percent_encoding::percent_decode_str;
use plainly::protocol::types::Content;
use plainly::server::Failure;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::paths::Paths;

/// The result of a tool of this crate.
pub(super) struct Answer<'a> {
    /// The structured output, as JSON.
    pub(super) output: &'a str,
    pub(super) content: Vec<Content>,
    pub(super) paths: &'a Paths,
}

type Worded = Result<Vec<Content>, Failure>;

impl Answer<'_> {
    fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        Ok(serde_json::from_str(self.output)?)
    }
}

fn text(text: impl Into<String>) -> Vec<Content> {
    vec![Content::text(text)]
}

/// The text, and the note if there is one.
fn noted(found: impl Into<String>, note: Option<&str>) -> Vec<Content> {
    let mut content = text(found);
    content.extend(note.map(Content::text));
    content
}

/// The last name in a URI, decoded.
fn last(uri: &str) -> String {
    let name = uri.trim_end_matches('/').rsplit('/').next();
    let name = percent_decode_str(name.unwrap_or_default());
    name.decode_utf8_lossy().into_owned()
}

pub(super) fn as_it_is(answer: Answer<'_>) -> Worded {
    Ok(answer.content)
}

#[derive(Deserialize)]
struct Files {
    results: Vec<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    uri: String,
    read: Option<FileRead>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct FileRead {
    text: Option<String>,
    note: Option<String>,
}

pub(super) fn files(answer: Answer<'_>) -> Worded {
    let Files { results } = answer.read()?;
    let files = results.into_iter().map(|Outcome { uri, read, error }| {
        let read = read.map(|FileRead { text, note }| match (text, note) {
            (Some(text), Some(note)) => format!("{uri}:\n{text}\n{note}\n"),
            (Some(text), None) => format!("{uri}:\n{text}\n"),
            (None, _) => format!("{uri}: below\n"),
        });
        read.unwrap_or_else(|| format!("{uri}: Error - {}", error.unwrap_or_default()))
    });
    let files: Vec<String> = files.collect();
    let mut content = text(files.join("\n---\n"));
    let media = answer.content.into_iter();
    content.extend(media.filter(|block| !matches!(block, Content::Text(_))));
    Ok(content)
}

#[derive(Deserialize)]
struct Changed {
    uri: String,
}

fn changed(answer: &Answer<'_>, done: &str) -> Worded {
    let Changed { uri } = answer.read()?;
    Ok(text(format!("{done} {}", answer.paths.shown(&uri))))
}

pub(super) fn written(answer: Answer<'_>) -> Worded {
    changed(&answer, "Successfully wrote to")
}

pub(super) fn created(answer: Answer<'_>) -> Worded {
    changed(&answer, "Successfully created directory")
}

pub(super) fn moved(answer: Answer<'_>) -> Worded {
    changed(&answer, "Successfully moved to")
}

#[derive(Deserialize)]
struct Edited {
    diff: String,
    note: Option<String>,
}

pub(super) fn edited(answer: Answer<'_>) -> Worded {
    let Edited { diff, note } = answer.read()?;
    let mut fence = "```".to_owned();
    while diff.contains(&fence) {
        fence.push('`');
    }
    Ok(noted(
        format!("{fence}diff\n{diff}{fence}\n"),
        note.as_deref(),
    ))
}

#[derive(Deserialize)]
struct Listing {
    base: String,
    resources: Vec<Listed>,
    next: Option<String>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    path: String,
    name: Option<String>,
    #[serde(default)]
    is_collection: bool,
    size: Option<u64>,
}

impl Listed {
    fn line(&self) -> String {
        let kind = if self.is_collection {
            "[DIR]"
        } else {
            "[FILE]"
        };
        format!("{kind} {}", self.name())
    }

    /// The name, with control characters replaced so that it stays on one line.
    fn name(&self) -> String {
        let name = self.name.clone().unwrap_or_else(|| last(&self.path));
        name.replace(char::is_control, "\u{fffd}")
    }
}

impl Listing {
    /// A note on how to see the rest, if there is more.
    fn rest(&self) -> Option<String> {
        let next = self.next.as_ref();
        let next = next.map(|next| format!("There is more: call again with after={next}"));
        next.or_else(|| self.note.clone())
    }
}

pub(super) fn names(answer: Answer<'_>) -> Worded {
    let listing: Listing = answer.read()?;
    let lines: Vec<String> = listing.resources.iter().map(Listed::line).collect();
    Ok(noted(lines.join("\n"), listing.rest().as_deref()))
}

pub(super) fn sizes(answer: Answer<'_>) -> Worded {
    let listing: Listing = answer.read()?;
    let (mut files, mut bytes) = (0, 0_u64);
    let mut lines = Vec::new();
    for entry in &listing.resources {
        let size = entry.size.unwrap_or_default();
        lines.push(match entry.is_collection {
            true => entry.line(),
            false => {
                files += 1;
                bytes = bytes.saturating_add(size);
                format!("[FILE] {:<30} {:>10}", entry.name(), in_units(size))
            }
        });
    }
    let directories = listing.resources.len() - files;
    lines.push(format!("\nTotal: {files} files, {directories} directories"));
    lines.push(format!("Combined size: {}", in_units(bytes)));
    Ok(noted(lines.join("\n"), listing.rest().as_deref()))
}

/// A size in the largest unit that is not larger than it.
fn in_units(bytes: u64) -> String {
    let units = [(40, "TB"), (30, "GB"), (20, "MB"), (10, "KB")];
    let unit = units.into_iter().find(|(bits, _)| bytes >> bits > 0);
    match unit {
        Some((bits, unit)) => format!("{:.2} {unit}", bytes as f64 / f64::from(2).powi(bits)),
        None => format!("{bytes} B"),
    }
}

pub(super) fn allowed(answer: Answer<'_>) -> Worded {
    let Listing {
        base, resources, ..
    } = answer.read()?;
    let roots = resources.iter().map(|root| format!("{base}{}", root.path));
    let paths: Vec<String> = roots.map(|uri| answer.paths.shown(&uri)).collect();
    Ok(text(format!("Allowed directories:\n{}", paths.join("\n"))))
}

pub(super) use self::tree::tree;

#[derive(Deserialize)]
struct FoundPaths {
    files: Vec<Changed>,
    truncated: bool,
}

pub(super) fn found(answer: Answer<'_>) -> Worded {
    let FoundPaths { files, truncated } = answer.read()?;
    let paths = files.iter().map(|file| answer.paths.shown(&file.uri));
    let paths: Vec<String> = paths.collect();
    let note = truncated.then_some("There are more: narrow the search with path or pattern.");
    Ok(match paths.is_empty() {
        true => text("No matches found"),
        false => noted(paths.join("\n"), note),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    is_collection: bool,
    mime_type: Option<String>,
    size: Option<u64>,
    last_modified: Option<String>,
}

pub(super) fn info(answer: Answer<'_>) -> Worded {
    let info: Info = answer.read()?;
    let mime_type = info.mime_type.filter(|_| !info.is_collection);
    let facts = [
        ("size", info.size.map(|size| size.to_string())),
        ("modified", info.last_modified),
        ("isDirectory", Some(info.is_collection.to_string())),
        ("isFile", Some((!info.is_collection).to_string())),
        ("mimeType", mime_type),
    ];
    let known = facts.into_iter();
    let lines = known.filter_map(|(name, fact)| Some(format!("{name}: {}", fact?)));
    Ok(text(lines.collect::<Vec<_>>().join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_in_the_largest_unit_of_which_there_is_one() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KB"),
            (1536, "1.50 KB"),
            (5 << 20, "5.00 MB"),
            (u64::MAX, "16777216.00 TB"),
        ] {
            assert_eq!(in_units(bytes), expected);
        }
    }
}
