//! A client's limits against servers that send, ask or list too much.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use plainly::client::{Client, Error, LocalError};
use plainly::limits::ClientLimits;
use plainly::protocol::types::{BooleanField, CallToolResult, ElicitFormParams, ElicitResult};
use plainly::server::extract::Ask;
use plainly::server::{AskErrorKind, Server, Tool};
use plainly::{Args, Context, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::support::{exchange, listening, saying, server, server_with, whole};
use plainly_peer::{assert_local, within};

fn limits(change: impl FnOnce(&mut ClientLimits)) -> ClientLimits {
    let mut limits = ClientLimits::default();
    change(&mut limits);
    limits
}

#[derive(Deserialize, JsonSchema)]
struct Many {
    bytes: usize,
}

/// Reports progress first, and then returns a text of this length. Over HTTP the progress makes the
/// response a stream, so that the reply is an event, too.
async fn begin(context: Context, Args(Many { bytes }): Args<Many>) -> String {
    context.progress(1).await;
    "x".repeat(bytes)
}

type Called = Result<CallToolResult, Error>;

async fn call(client: &Client, tool: &str, bytes: usize) -> Called {
    let arguments = json!({"bytes": bytes});
    within(
        client
            .call_tool(tool, arguments)
            .on_progress(|_| {})
            .into_future(),
    )
    .await
}

fn is_too_large(called: Called) -> bool {
    match called.err().as_ref().and_then(Error::local) {
        None => false,
        Some(LocalError::InvalidResponse { .. } | LocalError::Closed(_)) => true,
        Some(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_message_is_read_up_to_its_length() {
    const LIMIT: usize = 50_000;
    let begin = |builder: plainly::server::ServerBuilder| builder.tool(Tool::new("begin", begin));
    let (server, _) = server_with(begin, |_| {});
    // The length of a reply without its text; the id has one digit.
    let around = whole(&exchange(&server, None, &saying(1, 0)).await).len();
    let address = listening(&server).await;
    let http = || {
        Client::http(format!("http://{address}"))
            .limits(limits(|limits| limits.message_bytes = LIMIT))
    };
    let memory =
        || Client::in_memory(&server).limits(limits(|limits| limits.message_bytes = LIMIT));
    for (tool, field) in [("say", 0), ("begin", "data: ".len())] {
        let at = LIMIT - around;
        let client = memory().connect().await.unwrap();
        assert!(
            !is_too_large(call(&client, tool, at).await),
            "{tool} over a stream"
        );
        assert!(
            is_too_large(call(&client, tool, at + 1).await),
            "{tool} over a stream"
        );
        let client = http().connect().await.unwrap();
        let at = at - field;
        assert!(
            !is_too_large(call(&client, tool, at).await),
            "{tool} over HTTP"
        );
        assert!(
            is_too_large(call(&client, tool, at + 1).await),
            "{tool} over HTTP"
        );
        // The next call has a connection of its own.
        assert!(
            !is_too_large(call(&client, tool, at).await),
            "{tool} over HTTP"
        );
    }
    let unlimited = Client::in_memory(&server).connect().await.unwrap();
    assert!(!is_too_large(call(&unlimited, "say", LIMIT).await));
}

#[tokio::test]
async fn a_listing_is_read_up_to_its_pages() {
    let (server, _) = server(|limits| limits.page_entries = 1);
    for revision in [Revision::V2024_11_05, Revision::V2026_07_28] {
        for (pages, is_whole) in [(2, true), (1, false)] {
            let client = Client::in_memory(&server).revision(revision);
            let client = client.limits(limits(|limits| limits.pages = pages));
            let client = client.connect().await.unwrap();
            match client.tools().await {
                Ok(tools) => assert!(is_whole && tools.len() == 2, "{pages}"),
                Err(error) => {
                    let why = error.local();
                    assert!(
                        matches!(why, Some(LocalError::TooManyPages { limit, .. }) if *limit == pages),
                        "{error}"
                    );
                    assert!(!is_whole);
                }
            }
            assert!(!is_too_large(call(&client, "say", 1).await));
        }
    }
}

#[tokio::test]
async fn a_listing_is_read_up_to_its_bytes() {
    let (server, _) = server(|limits| limits.page_entries = 1);
    for (bytes, is_whole) in [(100_000, true), (100, false)] {
        let client = Client::in_memory(&server);
        let client = client.limits(limits(|limits| limits.listing_bytes = bytes));
        let client = client.connect().await.unwrap();
        match client.tools().await {
            Ok(tools) => assert!(is_whole && tools.len() == 2, "{bytes}"),
            Err(error) => {
                assert!(!is_whole && is_too_large(Err(error)), "{bytes}");
            }
        }
        assert!(!is_too_large(call(&client, "say", 1).await));
    }
}

#[derive(Deserialize, JsonSchema)]
struct Questions {
    count: usize,
}

/// Asks `count` questions at once, and returns how many of them were refused.
async fn ask(ask: Ask, Args(Questions { count }): Args<Questions>) -> String {
    let keys: Vec<_> = (0..count).map(|number| format!("k{number}")).collect();
    let form = || ElicitFormParams::new("Well?").optional("well", BooleanField::new());
    let answers = join_all(keys.iter().map(|key| ask.elicit(key, form()))).await;
    let refused = answers.iter().filter(|answer| {
        answer
            .as_ref()
            .is_err_and(|error| error.kind() == AskErrorKind::Refused)
    });
    format!("{} of {count} refused", refused.count())
}

fn asking() -> Server {
    server_with(|builder| builder.tool(Tool::new("ask", ask)), |_| {}).0
}

fn text(called: Called) -> String {
    let result = serde_json::to_value(called.unwrap()).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn so_many_questions_are_answered_in_one_round() {
    let server = asking();
    for (most, count, is_answered) in [(3, 3, true), (3, 4, false), (64, 64, true)] {
        let client = Client::in_memory(&server).on_elicitation(async |_| ElicitResult::decline());
        let client = client.limits(limits(|limits| limits.questions = most));
        let client = client.connect().await.unwrap();
        let called = within(
            client
                .call_tool("ask", json!({"count": count}))
                .into_future(),
        )
        .await;
        if is_answered {
            assert_eq!(text(called), format!("0 of {count} refused"));
        } else {
            let error = called.unwrap_err();
            assert_local!(error, LocalError::InvalidResponse { .. });
        }
        assert!(!is_too_large(call(&client, "say", 1).await));
    }
}

#[tokio::test]
async fn so_many_questions_of_an_older_server_are_answered_at_a_time() {
    let server = asking();
    let (open, asked) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let (gate, count) = (Arc::clone(&open), Arc::clone(&asked));
    let client = Client::in_memory(&server).revision(Revision::V2025_11_25);
    let client = client.on_elicitation(move |_| {
        let gate = Arc::clone(&gate);
        count.fetch_add(1, Ordering::Relaxed);
        async move {
            gate.acquire().await.unwrap().forget();
            ElicitResult::decline()
        }
    });
    let client = client.limits(limits(|limits| limits.questions = 3));
    let client = client.connect().await.unwrap();
    for (count, refused) in [(3, 0), (5, 2)] {
        asked.store(0, Ordering::Relaxed);
        let called = client.call_tool("ask", json!({"count": count}));
        let called = tokio::spawn(called.into_future());
        within(async {
            while asked.load(Ordering::Relaxed) < 3 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        // The client refuses the questions above the limit before it answers this ping.
        assert!(client.ping().await.is_ok());
        open.add_permits(3);
        let said = text(within(called).await.unwrap());
        assert_eq!(said, format!("{refused} of {count} refused"));
    }
}
