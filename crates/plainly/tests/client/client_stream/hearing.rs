//! Progress and log messages over a byte stream, and their effect on the timeout of a call.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::client::ProgressUpdate;
use plainly::protocol::types::{LoggingLevel, LoggingMessageParams};
use plainly_peer::message::notification;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::peer::{discovered, legacy, modern, pair};

/// The reports so far.
type Told<T> = Arc<Mutex<Vec<T>>>;

fn told<T: Send + 'static>() -> (Told<T>, impl FnMut(T) + Send + 'static) {
    let told = Told::<T>::default();
    let tell = Arc::clone(&told);
    (told, move |one| {
        tell.lock().expect("nobody panicked").push(one)
    })
}

fn token(request: &Value) -> &Value {
    &request["params"]["_meta"]["progressToken"]
}

fn progressed(token: &Value, progress: f64) -> Value {
    notification(
        "progress",
        json!({"progressToken": token, "progress": progress}),
    )
}

#[tokio::test]
async fn progress_is_told_to_the_call_that_it_is_about_in_both_eras() {
    for (client, mut peer) in [modern().await, legacy().await] {
        let (first, tell_first) = told::<ProgressUpdate>();
        let (second, tell_second) = told::<ProgressUpdate>();
        let calls = async {
            tokio::join!(
                client.call_tool("a", ()).on_progress(tell_first),
                client.read("a:b").on_progress(tell_second),
                client.prompt("quiet", ()),
            )
        };
        let (called, ()) = tokio::join!(calls, async {
            let a = peer.request("tools/call").await;
            let b = peer.request("resources/read").await;
            let quiet = peer.request("prompts/get").await;
            assert!(token(&quiet).is_null(), "{quiet}");
            assert_ne!(token(&a), token(&b));
            let whole =
                json!({"progressToken": token(&b), "progress": 0.5, "total": 2, "message": "half"});
            peer.send(notification("progress", whole)).await;
            peer.send(progressed(token(&a), 1.0)).await;
            // These are ignored: progress that does not increase, belongs to no call, or is
            // invalid.
            for nothing in [
                json!({"progressToken": token(&a), "progress": 1}),
                json!({"progressToken": token(&a), "progress": 0.5}),
                json!({"progressToken": token(&a).to_string(), "progress": 2}),
                json!({"progressToken": token(&a), "progress": "3"}),
                json!({"progressToken": 4711, "progress": 4}),
                json!({"progressToken": token(&a)}),
                json!({}),
            ] {
                peer.send(notification("progress", nothing)).await;
            }
            peer.send(progressed(token(&a), 1.5)).await;
            peer.reply(&a, json!({"content": []})).await;
            // The call has ended, so its progress is ignored.
            peer.send(progressed(token(&a), 9.0)).await;
            peer.reply(&b, json!({"contents": []})).await;
            peer.reply(&quiet, json!({"messages": []})).await;
        });
        called.0.unwrap();
        called.1.unwrap();
        called.2.unwrap();
        let done: Vec<_> = first.lock().unwrap().iter().map(|one| one.done).collect();
        assert_eq!(done, [1.0, 1.5]);
        let second = second.lock().unwrap();
        assert_eq!(second.len(), 1);
        let ProgressUpdate {
            done,
            total,
            message,
            ..
        } = &second[0];
        assert_eq!((*done, *total), (0.5, Some(2.0)));
        assert_eq!(message.as_deref(), Some("half"));
    }
}

#[tokio::test(start_paused = true)]
async fn progress_gives_a_call_more_time_but_not_for_ever() {
    let (builder, mut peer) = pair();
    let builder = builder
        .timeout(Duration::from_secs(10))
        .longest(Duration::from_secs(35));
    let (client, ()) = tokio::join!(
        builder.connect(),
        peer.answer_with("server/discover", discovered(&["2026-07-28"]))
    );
    let client = client.unwrap();
    for (progress, pause, end) in [(true, 9, 35), (true, 11, 10), (false, 9, 10)] {
        let start = Instant::now();
        let call = client.call_tool("slow", ());
        let call = if progress {
            call.on_progress(drop)
        } else {
            call
        };
        let (called, ()) = tokio::join!(call, async {
            let request = peer.request("tools/call").await;
            let token = match progress {
                true => token(&request).clone(),
                false => request["id"].clone(),
            };
            for done in 0..4 {
                sleep(Duration::from_secs(pause)).await;
                peer.send(progressed(&token, f64::from(done))).await;
            }
            let cancelled = peer.request("notifications/cancelled").await;
            assert_eq!(cancelled["params"]["requestId"], request["id"]);
        });
        let error = called.unwrap_err();
        assert!(error.is_timeout(), "{error}");
        let expected = format!("within {end}s");
        assert!(error.to_string().ends_with(&expected), "{error}");
        assert!(start.elapsed() >= Duration::from_secs(end));
    }
}

#[tokio::test(start_paused = true)]
async fn progress_that_does_not_grow_gives_no_time() {
    let (client, mut peer) = modern().await;
    let client = client.with_timeout(Duration::from_secs(10));
    let start = Instant::now();
    let (called, ()) = tokio::join!(client.call_tool("stuck", ()).on_progress(drop), async {
        let request = peer.request("tools/call").await;
        for _ in 0..4 {
            peer.send(progressed(token(&request), 1.0)).await;
            sleep(Duration::from_secs(4)).await;
        }
    });
    assert!(called.unwrap_err().is_timeout());
    assert!(start.elapsed() < Duration::from_secs(17));
}

#[tokio::test]
async fn who_panics_at_progress_or_logs_holds_up_nobody() {
    let (builder, mut peer) = pair();
    let builder = builder.on_log(LoggingLevel::Debug, |_| panic!("no"));
    let (client, ()) = tokio::join!(
        builder.connect(),
        peer.answer_with("server/discover", discovered(&["2026-07-28"]))
    );
    let client = client.unwrap();
    let call = client.call_tool("a", ()).on_progress(|_| panic!("no"));
    let (called, ()) = tokio::join!(call, async {
        let request = peer.request("tools/call").await;
        for done in 1..3 {
            peer.send(progressed(token(&request), f64::from(done)))
                .await;
            peer.send(notification("message", json!({"level": "info", "data": 1})))
                .await;
        }
        peer.reply(&request, json!({"content": []})).await;
    });
    called.unwrap();
}

#[tokio::test]
async fn a_flood_of_progress_is_only_progress() {
    let (client, mut peer) = modern().await;
    let (progress, tell) = told::<ProgressUpdate>();
    let (called, ()) = tokio::join!(client.call_tool("a", ()).on_progress(tell), async {
        let request = peer.request("tools/call").await;
        for done in 0..20_000 {
            peer.send(progressed(token(&request), f64::from(done % 10_000)))
                .await;
        }
        peer.reply(&request, json!({"content": []})).await;
    });
    called.unwrap();
    assert_eq!(progress.lock().unwrap().len(), 10_000);
}

#[tokio::test]
async fn log_messages_are_asked_for_as_the_era_has_it() {
    let level = "io.modelcontextprotocol/logLevel";
    for is_modern in [true, false] {
        let (log, tell) = told::<LoggingMessageParams>();
        let (builder, mut peer) = pair();
        let tell = Mutex::new(tell);
        let builder = builder.on_log(LoggingLevel::Notice, move |one| tell.lock().unwrap()(one));
        let (client, ()) = tokio::join!(builder.connect(), async {
            let probe = peer.request("server/discover").await;
            assert_eq!(probe["params"]["_meta"][level], "notice");
            if is_modern {
                return peer.reply(&probe, discovered(&["2026-07-28"])).await;
            }
            peer.fail(&probe, -32601, None).await;
            peer.shake_hands("2025-11-25", json!({"logging": {}, "tools": {}}))
                .await;
            let set = peer.request("logging/setLevel").await;
            assert_eq!(set["params"], json!({"level": "notice"}));
            // A rejected log level does not fail the connection.
            peer.fail(&set, -32602, None).await;
        });
        let client = client.unwrap();
        let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
            let request = peer.request("tools/call").await;
            let asked = &request["params"]["_meta"][level];
            assert_eq!(
                asked,
                &if is_modern {
                    json!("notice")
                } else {
                    Value::Null
                }
            );
            let whole = json!({"level": "alert", "logger": "disk", "data": {"free": 0}});
            peer.send(notification("message", whole)).await;
            for nothing in [
                json!({"level": "info", "data": "not asked for"}),
                json!({"level": "loud", "data": "no level"}),
                json!({"level": "error"}),
            ] {
                peer.send(notification("message", nothing)).await;
            }
            peer.send(notification(
                "message",
                json!({"level": "notice", "data": null}),
            ))
            .await;
            peer.reply(&request, json!({"content": []})).await;
        });
        called.unwrap();
        let log = log.lock().unwrap();
        let log: Vec<_> = log
            .iter()
            .map(|one| (one.level, one.logger.as_deref(), one.data.get()))
            .collect();
        let expected = [
            (LoggingLevel::Alert, Some("disk"), r#"{"free":0}"#),
            (LoggingLevel::Notice, None, "null"),
        ];
        assert_eq!(log, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_logs_is_not_asked_for_any() {
    let (builder, mut peer) = pair();
    let builder = builder.on_log(LoggingLevel::Debug, drop);
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.open_session("2025-11-25", json!({"resources": {}, "tools": {}}))
            .await;
    });
    let _client = client.unwrap();
    peer.silent().await;
}
