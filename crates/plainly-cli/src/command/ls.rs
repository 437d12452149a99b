//! `plainly ls`: resources as a table for people, as fields for scripts, or as the specification's objects.

use anstyle::Style;
use plainly::client::Client;
use plainly::protocol::types::Resource;

use super::client::with_client;
use crate::args::LsArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::visible::visible;

/// What stands for a field that the server doesn't say.
const UNSAID: &str = "-";

/// The extension by which servers declare collections.
const COLLECTIONS: &str = "dev.plainly/resources";

pub(crate) async fn run(mut args: LsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let uri = words.next();
    words.end()?;
    let mut output = Output::new(args.server.format());
    with_client(server, args.server, async |client| {
        list(client, uri.as_deref(), &mut output).await
    })
    .await
}

async fn list(client: &Client, uri: Option<&str>, output: &mut Output) -> Result<(), Failure> {
    let failed = |error| match uri {
        Some(uri) => Failure::about(uri)(error),
        None => Failure::resources(error),
    };
    if uri.is_some() && !lists_children(client) {
        tracing::warn!(
            "the server does not say that it can list the children of a collection: this may be everything it has"
        );
    }
    let mut pages = client.resource_pages(uri);
    let mut is_first = true;
    while let Some(page) = pages.next().await.map_err(failed)? {
        if is_first && output.is_table() {
            let names = ["KIND", "SIZE", "MODIFIED", "MIME TYPE", "URI"];
            output.styled(Style::new().bold(), &columns(names))?;
        }
        is_first = false;
        for resource in &page {
            row(resource, output)?;
        }
        output.flush()?;
    }
    Ok(())
}

/// Whether the server declares what SEP-2093 adds. Others ignore which collection is asked for.
fn lists_children(client: &Client) -> bool {
    let capabilities = client.capabilities();
    let experimental = capabilities.experimental.as_ref();
    capabilities.extension(COLLECTIONS).is_some()
        || experimental.is_some_and(|named| named.contains_key(COLLECTIONS))
}

fn row(resource: &Resource, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(resource);
    }
    let annotations = resource.annotations.as_ref();
    let modified = annotations.and_then(|annotations| annotations.last_modified.as_deref());
    let size = resource.size.map(|size| size.to_string());
    let fields = [
        kind(resource),
        size.as_deref().unwrap_or(UNSAID),
        modified.unwrap_or(UNSAID),
        resource.mime_type.as_deref().unwrap_or(UNSAID),
        &resource.uri,
    ];
    if output.is_table() {
        let visible = fields.map(visible);
        return output.styled(
            Style::new(),
            &columns(visible.each_ref().map(String::as_str)),
        );
    }
    output.fields(&fields)
}

/// What a resource is, where the server says it.
pub(super) fn kind(resource: &Resource) -> &'static str {
    match resource.is_collection {
        Some(true) => "collection",
        Some(false) => "resource",
        None => UNSAID,
    }
}

/// Of fixed width, so that each page can be shown before the next one is known; what is longer only shifts its own line.
fn columns([kind, size, modified, mime_type, uri]: [&str; 5]) -> String {
    format!("{kind:<10}  {size:>10}  {modified:<20}  {mime_type:<24}  {uri}")
}
