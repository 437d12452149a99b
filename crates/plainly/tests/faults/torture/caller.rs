//! The client's end: its own stream fails, and a correct server answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use plainly::client::{Change, Client, Result};
use plainly::protocol::types::{
    CreateMessageResult, ElicitResult, SamplingContent, SubscriptionFilter,
};
use plainly::{Revision, Server};
use serde_json::json;
use tokio::runtime::Handle;

use super::faults::{FAULTS, Fault, Faulty, Plan};
use super::fixture::Fixture;
use super::more::fixture;
use super::rack::{assert_no_panic, tasks_are, watch_panics};

/// A time longer than any timeout of a client.
const PATIENCE: Duration = Duration::from_secs(2 * 60 * 60);

fn accepted() -> ElicitResult {
    ElicitResult::accept([("sure".to_owned(), json!(true))].into_iter().collect())
}

/// Connects a client whose end of the pipe fails as planned.
async fn connect(server: &Server, revision: Revision, plan: &Arc<Plan>) -> Result<Client> {
    let (near, far) = tokio::io::duplex(1 << 10);
    let server = server.clone();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        // The result is ignored here, because it is meant for the program that runs the server.
        let _end = server.serve(reader, writer).await;
    });
    let (reader, writer) = tokio::io::split(Faulty::new(near, plan));
    Client::over(reader, writer)
        .revision(revision)
        .on_elicitation(async |_| accepted())
        .on_sampling(async |_| Ok(CreateMessageResult::new("m", [SamplingContent::text("Hi")])))
        .connect()
        .await
}

/// Makes a client's calls. Each call may fail, but it must end.
async fn work(client: &Client) -> Result<()> {
    client.call_tool("echo", ()).await?;
    assert_eq!(client.read("app://0").await?.text(), Some("read"));
    assert_eq!(client.resources(None).await?.len(), 5);
    let gone = client.read("app://none").await;
    if let Err(error) = gone
        && error.protocol().is_none()
    {
        return Err(error);
    }
    let called = client.call_tool("talk", ()).await?;
    assert!(!called.is_tool_error());
    let text = json!({"text": "x".repeat(5_000)});
    let (long, told) = tokio::join!(
        client.call_tool("say", &text).into_future(),
        client
            .call_tool("tell", ())
            .on_progress(|_| {})
            .into_future(),
    );
    long?;
    told?;
    let mut changes = client
        .listen(SubscriptionFilter::new().tools_list_changed(true))
        .await?;
    client.call_tool("touch", ()).await?;
    // The change may take long.
    let waiting = tokio::time::timeout(PATIENCE / 10, changes.next()).await;
    if let Ok(Some(change)) = waiting {
        assert_eq!(change?, Change::Tools);
    }
    Ok(())
}

async fn run(fixture: &Fixture, revision: Revision, plan: &Arc<Plan>) -> Result<()> {
    let client = connect(&fixture.server, revision, plan).await?;
    let done = work(&client).await;
    client.close().await;
    assert!(client.ping().await.is_err(), "it is closed");
    done
}

async fn torture(revision: Revision) {
    watch_panics();
    let (fixture, _) = fixture();
    let good = Plan::new(Fault::None, 0);
    run(&fixture, revision, &good).await.unwrap();
    let alive = Handle::current().metrics().num_alive_tasks();
    for fault in FAULTS {
        for at in 1.. {
            let why = format!("{revision}, operation {at}: {fault:?}");
            let plan = Plan::new(fault, at);
            let ended = tokio::time::timeout(PATIENCE, run(&fixture, revision, &plan)).await;
            match ended.unwrap_or_else(|_| panic!("{why}: it hangs")) {
                Ok(()) => {}
                Err(error) if fault.is_harmless() => panic!("{why}: {error}"),
                Err(error) => assert!(error.local().is_some(), "{why}: {error}"),
            }
            assert_no_panic(&why);
            fixture.running.is_over(&why).await;
            tasks_are(alive, &why).await;
            if plan.done.load(Ordering::SeqCst) < at {
                break;
            }
        }
    }
    run(&fixture, revision, &good).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_a_modern_client_fails_at_each_operation() {
    torture(Revision::V2026_07_28).await;
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_a_client_with_a_session_fails_at_each_operation() {
    torture(Revision::V2025_11_25).await;
}
