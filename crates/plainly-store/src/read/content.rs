//! The result of reading one resource: lines of text, an image, a recording, or any other file as a whole.

use std::{iter, mem};

use plainly_errors::Problem;
use plainly_protocol::part::{Part, PartPosition, PartUnit};
use plainly_protocol::types::{
    Body, Content, Representation, Resource, ResourceContents, TEXT_ENCODING,
};

use super::large;
use super::lines::{LineSelection, ReadPart, TextExcerpt};
use super::output::ReadOutput;
use crate::{StoreView, entry, formats, problems};
use plainly_server::store::{Formats, PartQuery, Store, StoreError, Viewer, Wanted, read_part};

/// Reads the resource, and returns structured output and content blocks. Subtracts the size of its
/// text from `room`, in bytes.
pub(super) async fn read<S: Store>(
    source: &StoreView<S>,
    viewer: &Viewer,
    uri: &str,
    part: ReadPart,
    room: &mut usize,
) -> Result<(ReadOutput, Vec<Content>), Problem> {
    // Checked first, because reading a collection would make the store collect its children for
    // nothing.
    let resource = match source.store.metadata(uri).await {
        Ok(resource) if entry::is_collection(&resource) => {
            return Err(problems::is_a_collection(uri));
        }
        Ok(resource) => resource,
        Err(error) => return Err(problems::of(source, uri, error).await),
    };
    if let Some(of) = part.of {
        let contents = some_of(source, resource, of).await?;
        let stated = position(&contents).filter(|stated| stated.unit == PartUnit::Byte);
        return given(
            contents,
            stated.map(|stated| stated.first),
            part.lines,
            room,
        );
    }
    match contents(source, &resource).await {
        Err(error @ StoreError::TooLarge { .. }) => {
            match large::read(source, viewer, &resource, part.lines, room).await? {
                Some(read) => Ok(read),
                None => Err(problems::of(source, uri, error).await),
            }
        }
        Ok(contents) => match best(contents) {
            Some(contents) => {
                let is_as_it_is = is_as_it_is(&contents, &resource);
                given(contents, is_as_it_is.then_some(0), part.lines, room)
            }
            None => Err(problems::is_a_collection(uri)),
        },
        Err(error) => Err(problems::of(source, uri, error).await),
    }
}

/// Reads some pages or bytes of a resource.
async fn some_of<S: Store>(
    source: &StoreView<S>,
    mut resource: Resource,
    part: Part,
) -> Result<ResourceContents, Problem> {
    let uri = resource.uri.clone();
    if let Part::Pages(_) = part {
        let formats = resource.meta.as_ref().map(Representation::listed);
        let mut formats = formats.unwrap_or_default().into_iter();
        let format = formats.find(|format| format.has_pages == Some(true));
        let format = format.ok_or_else(|| problems::no_pages(&uri))?;
        resource.mime_type = Some(format.mime_type);
    }
    let content = match read_part(&source.store, PartQuery::new(&uri, part)).await {
        Ok(content) => content,
        Err(StoreError::NoSuchPart { size }) => {
            return Err(problems::after_the_end_of_all(part, size));
        }
        Err(error) => return Err(problems::of(source, &uri, error).await),
    };
    let position = content.position(&uri);
    let body = Body::of_bytes(content.bytes);
    if let Body::Blob(_) = body {
        // Some bytes of an image are not an image.
        resource.mime_type = None;
        resource.uri = part.uri(&uri);
    }
    let mut contents = ResourceContents::new(resource, body);
    position.state(contents.meta.get_or_insert_default());
    Ok(contents)
}

/// The position of a content that is a part of the resource.
fn position(content: &ResourceContents) -> Option<PartPosition> {
    content.meta.as_ref().and_then(PartPosition::stated)
}

/// Names the pages or bytes in a content.
fn which(position: &PartPosition) -> String {
    let (one, several, last) = match position.unit {
        PartUnit::Page => ("Page", "Pages", position.last),
        PartUnit::Line => ("Line", "Lines", position.last),
        // The position is that of the byte after the last.
        PartUnit::Byte => ("Byte", "Bytes", position.last.saturating_sub(1)),
    };
    let first = position.first;
    let mut which = match first == last {
        true => format!("{one} {first}"),
        false => format!("{several} {first} to {last}"),
    };
    if let Some(total) = position.total {
        which += &format!(" of {total}");
    }
    which.push('.');
    which
}

/// Names the bytes that were left out of the content, or the part that follows it, if there is one.
fn after(position: &PartPosition) -> Option<String> {
    match (position.total == Some(position.last), &position.rest) {
        // The content has the last bytes, but earlier ones are left out.
        (true, rest) => rest.as_ref().map(|rest| format!("Left out: {rest}.")),
        (false, rest) => {
            let next = rest.as_ref().or(position.next.as_ref())?;
            Some(format!("To continue: {next}."))
        }
    }
}

/// Reads the resource in its own format, or as text in other formats first if its own format is not
/// for readers.
async fn contents<S: Store>(
    source: &StoreView<S>,
    resource: &Resource,
) -> Result<Vec<ResourceContents>, StoreError> {
    let (store, uri) = (&source.store, &*resource.uri);
    let own = store.read(uri).await?;
    let mime_type = resource.mime_type.as_deref().unwrap_or_default();
    let is_text = own.iter().any(|one| one.body.as_text().is_some());
    if is_text && !formats::is_for_programs(resource.mime_type.as_deref()) {
        return Ok(own);
    }
    let others = formats::others(resource);
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

/// The first text representation, which a model reads best; otherwise the first one.
fn best(mut contents: Vec<ResourceContents>) -> Option<ResourceContents> {
    let text = contents.iter().position(|one| one.body.as_text().is_some());
    let best = text.unwrap_or(0);
    (best < contents.len()).then(|| contents.swap_remove(best))
}

/// Whether a text has the bytes of the resource, neither converted nor decoded.
fn is_as_it_is(contents: &ResourceContents, resource: &Resource) -> bool {
    let meta = contents.meta.as_ref();
    let is_decoded = meta.is_some_and(|meta| meta.contains_key(TEXT_ENCODING));
    contents.mime_type == resource.mime_type && !is_decoded
}

/// The result for a content. If it has the bytes of the resource, `at` is their position there.
fn given(
    contents: ResourceContents,
    at: Option<u64>,
    part: LineSelection,
    room: &mut usize,
) -> Result<(ReadOutput, Vec<Content>), Problem> {
    match &contents.body {
        Body::Text(text) => lines(&contents, (text, at), part, room, None),
        Body::Blob(bytes) => match almost_text(&contents, bytes) {
            Some(text) => {
                let why = "It is not UTF-8: unreadable parts are shown as \u{fffd}.";
                lines(&contents, (&text, None), part, room, Some(why))
            }
            None => Ok(media(contents)),
        },
    }
}

/// The text of a resource that is declared as text but contains bytes in another encoding.
fn almost_text(contents: &ResourceContents, bytes: &[u8]) -> Option<String> {
    let is_text = |mime: &String| mime.starts_with("text/");
    let is_meant = contents.mime_type.as_ref().is_some_and(is_text) && !bytes.contains(&0);
    is_meant.then(|| String::from_utf8_lossy(bytes).into_owned())
}

fn lines(
    contents: &ResourceContents,
    (text, at): (&str, Option<u64>),
    part: LineSelection,
    room: &mut usize,
    why: Option<&str>,
) -> Result<(ReadOutput, Vec<Content>), Problem> {
    let lines = TextExcerpt::of(text, part, *room)?;
    *room -= lines.text.len();
    let position = position(contents);
    let rest = at.and_then(|at| lines.rest(at));
    let rest = rest.map(|rest| format!("The rest of the line: {}.", rest.uri(&contents.uri)));
    let after = position.as_ref().and_then(after);
    let after = after.filter(|_| lines.next().is_none());
    let notes: Vec<String> = (position.as_ref().map(which).into_iter())
        .chain(lines.note())
        .chain(rest.or(after))
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

fn media(mut contents: ResourceContents) -> (ReadOutput, Vec<Content>) {
    let mut reading = ReadOutput::of(&contents);
    let position = position(&contents);
    let notes = position.map(|position| iter::once(which(&position)).chain(after(&position)));
    reading.note = notes.map(|notes| Vec::from_iter(notes).join(" "));
    let mime_type = contents.mime_type.clone().unwrap_or_default();
    let kind = mime_type.split('/').next().unwrap_or_default();
    let content = match (kind, &mut contents.body) {
        ("image", Body::Blob(bytes)) => Content::image(mem::take(bytes), mime_type),
        ("audio", Body::Blob(bytes)) => Content::audio(mem::take(bytes), mime_type),
        _ => Content::resource(contents),
    };
    let note = reading.note.as_ref().map(Content::text);
    let content = iter::once(content).chain(note).collect();
    (reading, content)
}
