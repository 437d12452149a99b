//! Each conversation with each fault in each of its operations.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::Ordering;

use plainly::Revision;
use tokio::runtime::Handle;

use super::conversations::{CONVERSATIONS, Conversation, hold};
use super::faults::{FAULTS, Fault, Plan};
use super::fixture::Fixture;
use super::framing::Way;
use super::more::fixture;
use super::talking::Client;
use super::wire::Wire;

thread_local! {
    /// The number of panics on this thread, which runs everything of a test.
    static PANICS: Cell<usize> = const { Cell::new(0) };
}
static WATCHING: Once = Once::new();

/// Counts panics, because a panic in a task ends only that task.
pub(crate) fn watch_panics() {
    WATCHING.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.set(PANICS.get() + 1);
            before(info);
        }));
    });
}

#[track_caller]
pub(crate) fn assert_no_panic(why: &str) {
    assert_eq!(PANICS.get(), 0, "{why}: something panicked");
}

/// Waits until at most `most` tasks are alive.
pub(crate) async fn tasks_are(most: usize, why: &str) {
    let alive = || Handle::current().metrics().num_alive_tasks();
    let waiting = async {
        while alive() > most {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    };
    let waited = tokio::time::timeout(std::time::Duration::from_secs(100), waiting).await;
    assert!(waited.is_ok(), "{why}: {} tasks instead of {most}", alive());
}

/// The outcome of a conversation: whether it was complete, and all received messages.
struct Held {
    is_whole: bool,
    heard: Vec<String>,
    operations: usize,
}

async fn run(fixture: &Fixture, of: &Conversation, way: Way, fault: Fault, at: usize) -> Held {
    let plan = Plan::new(fault, at);
    let wire = Wire::open(way, &fixture.server, &plan);
    let mut client = Client::new(wire, of.revision);
    let is_whole = hold(of.name, &mut client).await.is_ok();
    let heard = client.wire.close().await;
    let operations = plan.done.load(Ordering::SeqCst);
    Held {
        is_whole,
        heard,
        operations,
    }
}

/// Checks that the next client is served, and that the previous client's handlers end.
async fn next_one(fixture: &Fixture, has_session: bool, why: &str) {
    let plan = Plan::new(Fault::None, 0);
    let open = |way, revision| Client::new(Wire::open(way, &fixture.server, &plan), revision);
    let served = "the next one is not served";
    if has_session {
        // An unfinished session ends here, because the new session needs its slot.
        let mut client = open(Way::Http, Revision::V2025_11_25);
        let call = hold("call", &mut client).await;
        call.unwrap_or_else(|_| panic!("{why}: {served}"));
        client.wire.close().await;
    }
    let mut client = open(Way::Stream, Revision::V2026_07_28);
    let call = hold("call", &mut client).await;
    call.unwrap_or_else(|_| panic!("{why}: {served}"));
    // A task continues without its client until another client cancels it.
    let tasks = std::mem::take(&mut *fixture.tasks.lock().unwrap());
    for task in tasks {
        let params = serde_json::json!({"taskId": task});
        let cancelled = client.ask("tasks/cancel", params).await;
        cancelled.unwrap_or_else(|_| panic!("{why}: {task}"));
    }
    client.wire.close().await;
    fixture.running.is_over(why).await;
}

async fn torture(of: &Conversation, way: Way) {
    watch_panics();
    let has_session = way == Way::Http && of.revision != Revision::V2026_07_28;
    let (fixture, there) = fixture();
    let whole = run(&fixture, of, way, Fault::None, 0).await;
    assert!(whole.is_whole, "{} {} {way:?}", of.name, of.revision);
    next_one(&fixture, has_session, of.name).await;
    let alive = Handle::current().metrics().num_alive_tasks();
    for fault in FAULTS {
        for at in 1.. {
            let why = format!(
                "{} {} {way:?}, operation {at}: {fault:?}",
                of.name, of.revision
            );
            let held = run(&fixture, of, way, fault, at).await;
            assert!(
                held.is_whole || !fault.is_harmless(),
                "{why}: {:?}",
                held.heard
            );
            assert_no_panic(&why);
            next_one(&fixture, has_session, &why).await;
            tasks_are(alive, &why).await;
            // The conversation had fewer operations, so all were tested.
            if held.operations < at {
                break;
            }
        }
    }
    let last = run(&fixture, of, way, Fault::None, 0).await;
    assert_eq!((last.is_whole, last.heard.len()), (true, whole.heard.len()));
    // Nothing references the server's state after the server is dropped.
    drop(fixture);
    tasks_are(0, of.name).await;
    let found = there.strong_count();
    assert_eq!(found, 0, "{}: the server is still there", of.name);
}

async fn torture_all(way: Way, is_wanted: impl Fn(&Conversation) -> bool) {
    let all = CONVERSATIONS.iter().filter(|of| of.ways.contains(&way));
    for of in all.filter(|of| is_wanted(of)) {
        torture(of, way).await;
    }
}

#[tokio::test(start_paused = true)]
async fn modern_conversations_on_a_stream_fail_at_each_operation() {
    torture_all(Way::Stream, |of| of.revision == Revision::V2026_07_28).await;
}

#[tokio::test(start_paused = true)]
async fn sessions_on_a_stream_fail_at_each_operation() {
    torture_all(Way::Stream, |of| of.revision != Revision::V2026_07_28).await;
}

#[tokio::test(start_paused = true)]
async fn modern_conversations_over_http_fail_at_each_operation() {
    torture_all(Way::Http, |of| of.revision == Revision::V2026_07_28).await;
}

#[tokio::test(start_paused = true)]
async fn sessions_over_http_fail_at_each_operation() {
    torture_all(Way::Http, |of| of.revision != Revision::V2026_07_28).await;
}

#[tokio::test(start_paused = true)]
async fn sessions_over_http_with_sse_fail_at_each_operation() {
    torture_all(Way::Events, |_| true).await;
}
