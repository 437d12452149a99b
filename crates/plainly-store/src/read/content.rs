//! The result of reading one resource: lines of text, an image, a recording, or any other file as a whole.

use std::mem;

use plainly_errors::Problem;
use plainly_protocol::part::{PageRange, PartPosition, PartUnit};
use plainly_protocol::types::{Body, Content, Representation, Resource, ResourceContents};

use super::large;
use super::lines::{LineSelection, ReadPart, TextExcerpt};
use super::output::ReadOutput;
use crate::{MEDIA_BYTES, StoreView, entry, problems};
use plainly_server::store::{Formats, Store, StoreError, Viewer, Wanted};

/// The types of text that programs show their users as something else.
const FOR_PROGRAMS: [&str; 1] = ["application/x-ipynb+json"];

/// Reads the resource: structured output for programs, and blocks of content. Subtracts its text from `room`, in bytes.
pub(super) async fn read<S: Store>(
    source: &StoreView<S>,
    viewer: &Viewer,
    uri: &str,
    part: ReadPart,
    room: &mut usize,
) -> Result<(ReadOutput, Vec<Content>), Problem> {
    // Checked first: reading a collection would make the store gather its children for nothing.
    let resource = match source.store.metadata(uri).await {
        Ok(resource) if entry::is_collection(&resource) => {
            return Err(problems::is_a_collection(uri));
        }
        Ok(resource) => resource,
        Err(error) => return Err(problems::of(source, uri, error).await),
    };
    if let Some(pages) = part.pages {
        let contents = pages_of(source, uri, pages).await?;
        return given(contents, part.lines, room);
    }
    match contents(source, &resource).await {
        Err(error @ StoreError::TooLarge { .. }) => {
            match large::read(source, viewer, &resource, part.lines, room).await? {
                Some(read) => Ok(read),
                None => Err(problems::of(source, uri, error).await),
            }
        }
        Ok(contents) => match best(contents) {
            Some(contents) => given(contents, part.lines, room),
            None => Err(problems::is_a_collection(uri)),
        },
        Err(error) => Err(problems::of(source, uri, error).await),
    }
}

/// The text of some pages.
async fn pages_of<S: Store>(
    source: &StoreView<S>,
    uri: &str,
    pages: PageRange,
) -> Result<ResourceContents, Problem> {
    let wanted = Wanted::of_pages(pages);
    let contents = match source.store.read_as(uri, &wanted).await {
        Ok(contents) => contents,
        Err(StoreError::NoSuchPart { size }) => return Err(problems::after_the_last_page(size)),
        Err(error) => return Err(problems::of(source, uri, error).await),
    };
    let mut contents = contents.into_iter();
    let are_pages = |one: &ResourceContents| page_position(one).is_some();
    contents
        .find(are_pages)
        .ok_or_else(|| problems::no_pages(uri))
}

/// The pages that a content is.
fn page_position(content: &ResourceContents) -> Option<PartPosition> {
    let position = content.meta.as_ref().and_then(PartPosition::stated);
    position.filter(|position| position.unit == PartUnit::Page)
}

/// Names the pages that a content is.
fn page_note(content: &ResourceContents) -> Option<String> {
    let PartPosition {
        first, last, total, ..
    } = page_position(content)?;
    let which = match first == last {
        true => format!("Page {first}"),
        false => format!("Pages {first} to {last}"),
    };
    Some(match total {
        Some(total) => format!("{which} of {total}."),
        None => format!("{which}."),
    })
}

/// The resource in its own format, and before it as text in others if its own is not for readers.
async fn contents<S: Store>(
    source: &StoreView<S>,
    resource: &Resource,
) -> Result<Vec<ResourceContents>, StoreError> {
    let (store, uri) = (&source.store, &*resource.uri);
    let own = store.read(uri).await?;
    let mime_type = resource.mime_type.as_deref().unwrap_or_default();
    let is_text = own.iter().any(|one| one.body.as_text().is_some());
    if is_text && !FOR_PROGRAMS.contains(&mime_type) {
        return Ok(own);
    }
    let formats = resource.meta.as_ref().map(Representation::listed);
    let formats = formats.unwrap_or_default().into_iter();
    let others = formats.map(|format| format.mime_type);
    let others = others.filter(|format| format != mime_type);
    let others: Vec<String> = others.collect();
    if others.is_empty() {
        return Ok(own);
    }
    let wanted = Wanted::new(Formats::These(others));
    let others = store.read_as(uri, &wanted).await?.into_iter();
    let is_other_text = |one: &ResourceContents| {
        one.mime_type.as_deref() != Some(mime_type) && one.body.as_text().is_some()
    };
    Ok(others.filter(is_other_text).chain(own).collect())
}

/// The first representation that is text, which a model reads best; otherwise the first one.
fn best(mut contents: Vec<ResourceContents>) -> Option<ResourceContents> {
    let text = contents.iter().position(|one| one.body.as_text().is_some());
    let best = text.unwrap_or(0);
    (best < contents.len()).then(|| contents.swap_remove(best))
}

fn given(
    contents: ResourceContents,
    part: LineSelection,
    room: &mut usize,
) -> Result<(ReadOutput, Vec<Content>), Problem> {
    match &contents.body {
        Body::Text(text) => lines(&contents, text, part, room, None),
        Body::Blob(bytes) => match almost_text(&contents, bytes) {
            Some(text) => {
                let why = "It is not UTF-8: unreadable parts are shown as \u{fffd}.";
                lines(&contents, &text, part, room, Some(why))
            }
            None => media(contents),
        },
    }
}

/// The text of a resource that is declared as text but has some bytes in another encoding.
fn almost_text(contents: &ResourceContents, bytes: &[u8]) -> Option<String> {
    let is_text = |mime: &String| mime.starts_with("text/");
    let is_meant = contents.mime_type.as_ref().is_some_and(is_text) && !bytes.contains(&0);
    is_meant.then(|| String::from_utf8_lossy(bytes).into_owned())
}

fn lines(
    contents: &ResourceContents,
    text: &str,
    part: LineSelection,
    room: &mut usize,
    why: Option<&str>,
) -> Result<(ReadOutput, Vec<Content>), Problem> {
    let lines = TextExcerpt::of(text, part, *room)?;
    *room -= lines.text.len();
    let notes: Vec<String> = page_note(contents)
        .into_iter()
        .chain(lines.note())
        .chain(why.map(str::to_owned))
        .collect();
    let note = (!notes.is_empty()).then(|| notes.join(" "));
    let text = (!lines.text.is_empty()).then(|| Content::text(lines.text));
    let content = text
        .into_iter()
        .chain(note.as_ref().map(Content::text))
        .collect();
    let reading = ReadOutput {
        text: Some(lines.text.to_owned()),
        first_line: Some(lines.first),
        total_lines: Some(lines.total),
        next_offset: lines.next(),
        note,
        ..ReadOutput::of(contents)
    };
    Ok((reading, content))
}

fn media(mut contents: ResourceContents) -> Result<(ReadOutput, Vec<Content>), Problem> {
    let size = contents.body.as_bytes().len() as u64;
    if size > MEDIA_BYTES {
        return Err(problems::too_large(&contents.uri, size, MEDIA_BYTES));
    }
    let reading = ReadOutput::of(&contents);
    let mime_type = contents.mime_type.clone().unwrap_or_default();
    let kind = mime_type.split('/').next().unwrap_or_default();
    let content = match (kind, &mut contents.body) {
        ("image", Body::Blob(bytes)) => Content::image(mem::take(bytes), mime_type),
        ("audio", Body::Blob(bytes)) => Content::audio(mem::take(bytes), mime_type),
        _ => Content::resource(contents),
    };
    Ok((reading, vec![content]))
}
