//! `plainly stat`: what is known of a resource, without its content.

use plainly::protocol::types::{Representation, Resource};

use super::declared::problems;
use crate::args::StatArgs;
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;

pub(crate) async fn run(mut args: StatArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let uri = words.take("URI")?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let about = Failure::about(Subject::Resource(uri.clone()));
    let metadata = with_client(server, args.server, async |client| {
        client.metadata(uri).await.map_err(about)
    })
    .await?;
    print(&metadata.resource, &mut output)
}

/// The kind of a resource, where the server says it.
pub(super) fn kind(resource: &Resource) -> &'static str {
    match resource.is_collection {
        Some(true) => "collection",
        Some(false) => "resource",
        None => "-",
    }
}

fn print(resource: &Resource, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        output.json(resource)?;
        return output.flush();
    }
    let formats = resource
        .meta
        .as_ref()
        .map(Representation::listed)
        .unwrap_or_default();
    let formats: Vec<_> = formats.into_iter().map(|format| format.mime_type).collect();
    let annotations = resource.annotations.as_ref();
    output.facts([
        ("uri", Some(resource.uri.clone())),
        ("name", Some(resource.name.clone())),
        ("title", resource.title.clone()),
        ("description", resource.description.clone()),
        ("kind", Some(kind(resource).to_owned())),
        ("mime type", resource.mime_type.clone()),
        ("formats", (!formats.is_empty()).then(|| formats.join(", "))),
        ("size", resource.size.map(|size| size.to_string())),
        (
            "modified",
            annotations.and_then(|it| it.last_modified.clone()),
        ),
        (
            "priority",
            annotations
                .and_then(|it| it.priority)
                .map(|it| it.to_string()),
        ),
        ("problems", problems(resource.meta.as_ref())),
    ])?;
    output.flush()
}
