//! `plainly watch`: what changes, a line each, for as long as the server tells of it.

use plainly::client::{Change, Client};
use plainly::protocol::types::SubscriptionFilter;
use serde::Serialize;

use crate::args::WatchArgs;
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::terminal;

pub(crate) async fn run(mut args: WatchArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let uris: Vec<String> = std::iter::from_fn(|| words.next()).collect();
    let mut output = Output::new(args.server.format());
    with_client(server, args.server, async |client| {
        watch(client, uris, &mut output).await
    })
    .await
}

async fn watch(client: &Client, uris: Vec<String>, output: &mut Output) -> Result<(), Failure> {
    let asked = asked(uris);
    let listening = client.listen(asked.clone()).await;
    let mut subscription = listening.map_err(Failure::about(Subject::Changes))?;
    let honoured = subscription.honoured();
    if *honoured == SubscriptionFilter::new() {
        return Err(Failure::refused(match asked.resource_subscriptions {
            Some(_) => "the server does not report changes for any of these",
            None => "the server does not report when its lists change: name resources to watch",
        }));
    }
    // Before the first change, since there may be none for hours.
    warn(client, &asked, honoured).await;
    // What comes may come in hours.
    terminal::rest();
    while let Some(change) = subscription.next().await {
        let change = change.map_err(Failure::about(Subject::Changes))?;
        show(&change, output)?;
        // Whoever reads is told now, not when there is enough.
        output.flush()?;
    }
    Err(Failure::local(
        "the server ended the subscription: it may be shutting down",
    ))
}

/// The resources, or without any what is listed.
fn asked(uris: Vec<String>) -> SubscriptionFilter {
    let filter = SubscriptionFilter::new();
    if uris.is_empty() {
        return filter
            .resources_list_changed(true)
            .tools_list_changed(true)
            .prompts_list_changed(true);
    }
    filter.resource_subscriptions(uris)
}

/// Names the resources of which nothing will be told, and those that aren't there, which may be a mistake. That there are no
/// lists of something is common, and no surprise.
async fn warn(client: &Client, asked: &SubscriptionFilter, honoured: &SubscriptionFilter) {
    let told = honoured.resource_subscriptions.as_deref();
    let told = told.unwrap_or_default();
    for uri in asked.resource_subscriptions.iter().flatten() {
        if !told.contains(uri) {
            tracing::warn!("the server does not report changes for this resource: {uri}");
        } else if is_absent(client, uri).await {
            tracing::warn!("this resource does not exist yet: {uri}");
        }
    }
}

/// Whether the server says so. One that can only be asked for all of its resources isn't.
async fn is_absent(client: &Client, uri: &str) -> bool {
    let metadata = client.knows_collections().then(|| client.metadata(uri));
    match metadata {
        Some(metadata) => metadata
            .await
            .is_err_and(|error| error.is_resource_not_found()),
        None => false,
    }
}

/// A change as JSON.
#[derive(Serialize)]
struct Told<'a> {
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
}

fn show(change: &Change, output: &mut Output) -> Result<(), Failure> {
    let (word, text, uri) = match change {
        Change::Resource(uri) => ("updated", "updated ", Some(uri.as_str())),
        Change::Resources => ("listing", "listing changed", None),
        Change::Tools => ("tools", "tools changed", None),
        Change::Prompts => ("prompts", "prompts changed", None),
        // A kind that is newer than this command: something has changed.
        Change::Missed | _ => ("missed", "missed changes", None),
    };
    if output.is_json() {
        return output.json(&Told { change: word, uri });
    }
    output.fields(&[&format!("{text}{}", uri.unwrap_or_default())])
}
