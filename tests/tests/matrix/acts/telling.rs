//! Notifications of both sides: progress, logs, changes and cancellation.

use std::sync::{Arc, Mutex};

use plainly::client::{Change, Client, Subscription};
use plainly::protocol::types::SubscriptionFilter;
use plainly::{Prompt, Resource, Tool};

use crate::cell::{Cell, said};

pub(crate) async fn progress(cell: &Cell) -> String {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let tell = Arc::clone(&told);
    let call = cell.bare().await.call_tool("works", ());
    let outcome = call.on_progress(move |progress| {
        let (total, message) = (progress.total.unwrap_or_default(), progress.message);
        tell.lock().unwrap().push(format!(
            "{}/{total} {}",
            progress.done,
            message.unwrap_or_default()
        ));
    });
    let result = cell.told(outcome.await, |result| said(&result));
    format!("{}, {result}", told.lock().unwrap().join(", "))
}

/// A client that asked for no progress and no logs receives none.
pub(crate) async fn nothing(cell: &Cell) -> String {
    let result = cell.call_bare("works").await;
    format!("{result} {:?}", cell.logged.lock().unwrap())
}

pub(crate) async fn logs(cell: &Cell, read: bool) -> String {
    let result = match read {
        true => cell.read("app://works").await,
        false => cell.call("works").await,
    };
    format!("{result} {:?}", cell.logged.lock().unwrap())
}

pub(crate) async fn cancellation(cell: &Cell) -> String {
    let client = cell.bare().await;
    let call = tokio::spawn(client.call_tool("never", ()));
    dropped(cell, call, client).await
}

pub(crate) async fn cancelled_reading(cell: &Cell) -> String {
    let client = cell.bare().await;
    let call = tokio::spawn(client.read("app://never"));
    dropped(cell, call, client).await
}

/// Cancels the call once its handler runs, and checks that the handler is dropped.
async fn dropped<T>(cell: &Cell, call: tokio::task::JoinHandle<T>, client: Client) -> String {
    cell.world.begun.notified().await;
    call.abort();
    cell.world.dropped.notified().await;
    let next = client
        .call_tool("greet", serde_json::json!({"name": "Bob"}))
        .await;
    cell.told(next, |result| format!("ended, then {}", said(&result)))
}

pub(crate) async fn ping(cell: &Cell) -> String {
    cell.told(cell.bare().await.ping().await, |()| "there".to_owned())
}

pub(crate) async fn discover(cell: &Cell) -> String {
    let discovered = cell.bare().await.discover().await;
    cell.told(discovered, |discovered| {
        discovered.supported_versions.join(" ")
    })
}

/// Subscribes, and returns the notification after `change`.
async fn heard(cell: &Cell, filter: SubscriptionFilter, change: impl Fn()) -> String {
    let client = cell.bare().await;
    let mut subscription: Subscription = match client.listen(filter).await {
        Ok(subscription) => subscription,
        Err(error) => return cell.told(Err::<(), _>(error), |()| String::new()),
    };
    if subscription.honoured() == &SubscriptionFilter::new() {
        return "not honoured".to_owned();
    }
    change();
    match subscription.next().await {
        Some(Ok(Change::Resource(uri))) => format!("{uri} changed"),
        other => format!("{:?}", other.map(Result::unwrap)),
    }
}

pub(crate) async fn updated(cell: &Cell, uri: &str) -> String {
    let filter = SubscriptionFilter::new().resource_subscriptions([uri.to_owned()]);
    heard(cell, filter, || cell.world.changes.resource_updated(uri)).await
}

pub(crate) async fn other_tools(cell: &Cell) -> String {
    let filter = SubscriptionFilter::new().tools_list_changed(true);
    heard(cell, filter, || {
        cell.server
            .add_tool(Tool::new("new", async || "new"))
            .unwrap();
        assert!(cell.server.remove_tool("new"));
    })
    .await
}

pub(crate) async fn other_prompts(cell: &Cell) -> String {
    let filter = SubscriptionFilter::new().prompts_list_changed(true);
    heard(cell, filter, || {
        cell.server
            .add_prompt(Prompt::new("new", async || "new"))
            .unwrap();
        assert!(cell.server.remove_prompt("new"));
    })
    .await
}

pub(crate) async fn other_resources(cell: &Cell) -> String {
    let filter = SubscriptionFilter::new().resources_list_changed(true);
    heard(cell, filter, || {
        cell.server
            .add_resource(Resource::new("app://new", async || "new"))
            .unwrap();
        assert!(cell.server.remove_resource("app://new"));
    })
    .await
}
