//! `plainly read`: the content of a resource, byte for byte.

use std::path::Path;

use plainly::protocol::types::{Body, ReadResourceResult, ResourceContents};

use super::client::with_client;
use crate::args::ReadArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;
use crate::visible::visible;

pub(crate) async fn run(mut args: ReadArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let uri = words.take("URI")?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let read = with_client(server, args.server, async |client| {
        let reading = progress::shown(client, &uri, client.read(&uri));
        reading.await.map_err(Failure::about(&uri))
    })
    .await?;
    if output.is_json() {
        let mut result = ReadResourceResult::new(read.contents);
        result.meta = read.meta;
        output.json(&result)?;
        return output.flush();
    }
    let body = choose(&uri, &read.contents, args.mime_type.as_deref())?;
    match args.output.as_deref() {
        Some(path) if path != Path::new("-") => {
            std::fs::write(path, body.as_bytes()).map_err(|error| Failure::file(path, error))
        }
        exact => {
            print(&uri, body, exact.is_some(), &mut output)?;
            output.flush()
        }
    }
}

/// The representation to write.
fn choose<'a>(
    uri: &str,
    contents: &'a [ResourceContents],
    mime_type: Option<&str>,
) -> Result<&'a Body, Failure> {
    if is_collection(uri, contents) {
        return Err(Failure::local(format!(
            "{uri} is a collection: list it with `plainly ls`, or give --json to see what reading it returns"
        )));
    }
    let is_wanted = |one: &&ResourceContents| {
        mime_type.is_none_or(|wanted| {
            one.mime_type
                .as_deref()
                .is_some_and(|own| own.eq_ignore_ascii_case(wanted))
        })
    };
    let chosen = contents.iter().find(is_wanted).ok_or_else(|| {
        let own = |one: &ResourceContents| one.mime_type.clone().unwrap_or_else(|| "-".to_owned());
        let there = contents.iter().map(own).collect::<Vec<_>>().join(", ");
        let wanted = mime_type.unwrap_or_default();
        Failure::local(format!(
            "{uri} has no representation {wanted}: it has {there}"
        ))
    })?;
    Ok(&chosen.body)
}

/// Whether these are the children of `uri`. One content under another URI is not enough, since servers that know nothing
/// of collections may spell the URI in their own way.
fn is_collection(uri: &str, contents: &[ResourceContents]) -> bool {
    let is_child = |one: &ResourceContents| one.uri != uri;
    match contents {
        [] => true,
        [one] if is_child(one) => one.is_collection.is_some(),
        several => several.iter().any(is_child),
    }
}

fn print(uri: &str, body: &Body, exact: bool, output: &mut Output) -> Result<(), Failure> {
    match body {
        _ if exact || !output.is_terminal() => output.write(body.as_bytes()),
        Body::Text(text) => {
            output.text(text)?;
            // The prompt that follows begins on a line of its own.
            if text.is_empty() || text.ends_with('\n') {
                return Ok(());
            }
            output.write(b"\n")
        }
        Body::Blob(_) => Err(Failure::local(format!(
            "{} is binary: write it to a file with -o FILE, or to the terminal with -o -",
            visible(uri)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use plainly::protocol::types::Resource;

    use super::*;

    const URI: &str = "file:///docs/a";

    fn contents(uri: &str, mime_type: &str, is_collection: Option<bool>) -> ResourceContents {
        let mut resource = Resource::new(uri, "a").mime_type(mime_type);
        resource.is_collection = is_collection;
        ResourceContents::new(resource, mime_type)
    }

    #[test]
    fn children_are_not_taken_for_representations() {
        let old = |uri| contents(uri, "text/plain", None);
        let new = |uri| contents(uri, "text/plain", Some(false));
        let cases = [
            ("an empty collection", vec![], true),
            ("a file", vec![new(URI)], false),
            ("representations", vec![new(URI), new(URI)], false),
            ("one child", vec![new("file:///docs/a/b")], true),
            ("a file of an old server", vec![old(URI)], false),
            (
                "the same in its own spelling",
                vec![old("file:///docs/a/")],
                false,
            ),
            (
                "children",
                vec![old("file:///docs/a/b"), old("file:///docs/a/c")],
                true,
            ),
        ];
        for (what, contents, expected) in cases {
            assert_eq!(is_collection(URI, &contents), expected, "{what}");
        }
    }

    #[test]
    fn the_first_representation_is_chosen_or_the_one_asked_for() {
        let both = [
            contents(URI, "text/markdown", Some(false)),
            contents(URI, "text/html", Some(false)),
        ];
        let chosen = |wanted| choose(URI, &both, wanted).ok().and_then(Body::as_text);
        assert_eq!(chosen(None), Some("text/markdown"));
        assert_eq!(chosen(Some("Text/HTML")), Some("text/html"));
        assert_eq!(chosen(Some("text/plain")), None);
    }
}
