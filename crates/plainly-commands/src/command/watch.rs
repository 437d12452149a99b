//! `plainly watch`: prints a line for each change that the server reports.

use std::time::Duration;

use clap::error::ErrorKind;
use plainly::client::{Change, Client, Subscription};
use plainly::protocol::types::SubscriptionFilter;
use serde::Serialize;

use crate::args::WatchArgs;
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::terminal;

/// The most attempts in a row to open a subscription again.
const TRIES: u32 = 30;
/// The pause before the first of these attempts. Each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest of these pauses.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(crate) async fn run(mut args: WatchArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let uris: Vec<String> = std::iter::from_fn(|| words.next()).collect();
    if args.recursive && uris.is_empty() {
        return Err(words.wrong(
            ErrorKind::MissingRequiredArgument,
            "--recursive needs the URI of a collection: without one, only the lists are watched",
        ));
    }
    let asked = Asked {
        filter: asked(uris),
        is_recursive: args.recursive,
    };
    let mut output = Output::new(args.server.format());
    with_client(server, args.server, async |client| {
        watch(client, &asked, &mut output).await
    })
    .await
}

/// The changes to watch.
struct Asked {
    filter: SubscriptionFilter,
    /// Whether everything below the resources of the filter is included.
    is_recursive: bool,
}

impl Asked {
    async fn listen(&self, client: &Client) -> plainly::client::Result<Subscription> {
        let filter = self.filter.clone();
        match self.is_recursive {
            true => client.listen_recursively(filter).await,
            false => client.listen(filter).await,
        }
    }
}

async fn watch(client: &Client, asked: &Asked, output: &mut Output) -> Result<(), Failure> {
    let listening = asked.listen(client).await;
    let mut subscription = listening.map_err(Failure::about(Subject::Changes))?;
    let honoured = subscription.honoured();
    if *honoured == SubscriptionFilter::new() {
        return Err(Failure::refused(
            match asked.filter.resource_subscriptions {
                Some(_) => "the server does not report changes for any of these",
                None => "the server does not report when its lists change: name resources to watch",
            },
        ));
    }
    // Warns before the first change, because there may be none for hours.
    if asked.is_recursive && !client.knows_recursion() {
        tracing::warn!(
            "the server does not declare that it reports what is below a collection: only changes of \
             these resources themselves are shown"
        );
    }
    warn(client, &asked.filter, honoured).await;
    // Hides the progress, because the first change may take hours.
    terminal::rest();
    // The attempts to open a subscription since the last change.
    let mut tries = 0;
    loop {
        while let Some(change) = subscription.next().await {
            tries = 0;
            told(&change.map_err(Failure::about(Subject::Changes))?, output)?;
        }
        subscription = again(client, asked, &mut tries).await?;
        told(&Change::Missed, output)?;
    }
}

fn told(change: &Change, output: &mut Output) -> Result<(), Failure> {
    show(change, output)?;
    // Flushes at once, because the reader should see each change immediately.
    output.flush()
}

/// Subscribes again after the server has ended the subscription in an orderly way, as a restarting
/// server does.
async fn again(client: &Client, asked: &Asked, tries: &mut u32) -> Result<Subscription, Failure> {
    tracing::warn!("the server ended the subscription: it is opened again");
    while *tries < TRIES {
        tokio::time::sleep(FIRST_PAUSE.saturating_mul(1 << *tries).min(LONGEST_PAUSE)).await;
        *tries = tries.saturating_add(1);
        match asked.listen(client).await {
            Ok(subscription) => return Ok(subscription),
            // A server that this command started is not started again.
            Err(error) if error.is_closed() => break,
            Err(error) if error.is_retryable() => {
                tracing::debug!(%error, "the subscription can't be opened again yet");
            }
            Err(error) => return Err(Failure::about(Subject::Changes)(error)),
        }
    }
    Err(Failure::local(
        "the server ended the subscription: it may be shutting down",
    ))
}

/// A filter for the resources, or by default for all lists.
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

/// Warns about resources whose changes are not reported, and about resources that don't exist,
/// which may be a mistake. A missing list is common and causes no warning.
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

/// Whether the server reports the resource as missing. A server that can only list all of its
/// resources is not asked.
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
struct ChangeObject<'a> {
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
        // A kind of change that this command does not know.
        Change::Missed | _ => ("missed", "missed changes", None),
    };
    if output.is_json() {
        return output.json(&ChangeObject { change: word, uri });
    }
    output.fields(&[&format!("{text}{}", uri.unwrap_or_default())])
}
