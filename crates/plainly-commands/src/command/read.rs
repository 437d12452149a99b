//! `plainly read`: the content of a resource, byte for byte.

use std::path::Path;

use plainly::client::ReadResult;
use plainly::protocol::part::PartPosition;
use plainly::protocol::types::{Body, ReadResourceResult, ResourceContents};

use super::folder::Folder;
use crate::args::ReadArgs;
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::terminal;
use crate::visible::visible;

pub(crate) async fn run(mut args: ReadArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let uri = words.take("URI")?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let read = with_client(server, args.server, async |client| {
        terminal::doing(&format!("waiting for {uri}"));
        let (connection, before) = (client.clone(), client.received_bytes());
        terminal::count(move || connection.received_bytes() - before);
        let reading = client.read(&uri).on_progress(terminal::report);
        let subject = Subject::Resource(uri.clone());
        reading.await.map_err(Failure::about(subject))
    })
    .await?;
    warn_of_cuts(&read);
    let is_ambiguous = read.is_ambiguous();
    if output.is_json() {
        let mut result = ReadResourceResult::new(read.contents);
        result.meta = read.meta;
        output.json(&result)?;
        output.flush()?;
        return match is_ambiguous {
            true => Err(ambiguous(&uri)),
            false => Ok(()),
        };
    }
    if let Some(path) = &args.save {
        save(&read, path, &mut output)?;
        return output.flush();
    }
    let body = choose(&read, args.mime_type.as_deref())?;
    match args.output.as_deref() {
        Some(path) => output.write_to(path, body.as_bytes())?,
        None => print(&uri, body, &mut output)?,
    }
    output.flush()
}

/// Warns if the contents are only a part of the resource, or contain only the beginnings of lines.
fn warn_of_cuts(read: &ReadResult) {
    let stated = read.contents.iter().filter_map(|one| one.meta.as_ref());
    let mut rests = Vec::new();
    for position in stated.filter_map(PartPosition::stated) {
        if let Some(rest) = &position.rest {
            tracing::warn!("the part is cut: read the rest with {}", visible(rest));
        }
        let lines = position.cut.into_iter();
        rests.extend(lines.filter(|line| position.rest.as_ref() != Some(line)));
    }
    let Some(first) = rests.first() else { return };
    let (lines, rest) = match rests.len() {
        1 => ("a line is cut".to_owned(), "read the rest"),
        count => (
            format!("{count} lines are cut"),
            "read the rest of the first",
        ),
    };
    tracing::warn!("{lines}: {rest} with {}", visible(first));
}

/// Writes each of the contents to a separate file.
fn save(read: &ReadResult, path: &Path, output: &mut Output) -> Result<(), Failure> {
    let folder = Folder::at(path)?;
    for (at, one) in read.contents.iter().enumerate() {
        let mime_type = one.mime_type.as_deref().unwrap_or_default();
        let mut name = one.uri.as_str();
        // Another representation has the extension of its type.
        if read.contents.iter().take(at).any(|it| it.uri == one.uri) {
            name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        }
        let path = folder.save(name, mime_type, one.body.as_bytes())?;
        output.fields(&[&path.display().to_string()])?;
    }
    Ok(())
}

/// The representation to write.
fn choose<'a>(read: &'a ReadResult, mime_type: Option<&str>) -> Result<&'a Body, Failure> {
    let uri = &read.uri;
    if read.is_ambiguous() {
        return Err(ambiguous(uri));
    }
    let mut said = read.contents.iter().filter_map(|one| one.is_collection);
    if !read.contents.is_empty() && read.is_collection() && said.next().is_none() {
        tracing::warn!(
            "the server answered with several URIs, and {uri} is no known collection: --json \
             shows all of them"
        );
    } else if read.is_collection() {
        return Err(Failure::local(format!(
            "{uri} is a collection: list it with `plainly ls`, or use --json to see what reading it returns"
        )));
    }
    let chosen = match mime_type {
        Some(mime_type) => read.representation(mime_type),
        None => read.primary(),
    };
    let chosen = chosen.ok_or_else(|| {
        let own = |one: &ResourceContents| one.mime_type.clone().unwrap_or_else(|| "-".to_owned());
        let there = read.representations().map(own).collect::<Vec<_>>();
        let wanted = mime_type.unwrap_or_default();
        Failure::local(format!(
            "{uri} has no {wanted} representation, only {}",
            there.join(", ")
        ))
    })?;
    Ok(&chosen.body)
}

fn ambiguous(uri: &str) -> Failure {
    Failure::local(format!("{uri} has no contents: it may be missing or empty"))
}

fn print(uri: &str, body: &Body, output: &mut Output) -> Result<(), Failure> {
    match body {
        _ if !output.is_terminal() => output.write(body.as_bytes()),
        Body::Text(text) if text.is_empty() => Ok(()),
        // The shell's next prompt should begin on a new line.
        Body::Text(text) => output.lines(text),
        Body::Blob(_) => Err(Failure::local(format!(
            "{} is binary: write it to a file with -o FILE, or to the terminal with -o -",
            visible(uri)
        ))),
    }
}
