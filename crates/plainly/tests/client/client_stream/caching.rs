//! Results that are cached as long as their server allows, over a stream: the cached methods, the
//! lifetimes, and the notifications that drop results.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly::client::{Cache, Client, Error, LocalError, Result};
use plainly::protocol::method::Method;
use plainly::protocol::types::{CompleteParams, ElicitResult, RawJson, Reference};
use plainly_peer::{Peer, assert_local, message};
use serde_json::{Value, json};
use tokio::time::advance;

use super::peer::{Half, discovered, pair};

const SECOND: Duration = Duration::from_secs(1);

/// A call with a client.
type Called = fn(&Client) -> BoxFuture<'_, Result<()>>;

const TOOLS: Called = |client| client.tools().map(|it| it.map(drop)).boxed();
const PROMPTS: Called = |client| client.prompts().map(|it| it.map(drop)).boxed();
const RESOURCES: Called = |client| client.resources(None).map(|it| it.map(drop)).boxed();
const CHILDREN: Called = |client| client.resources(Some("a:b")).map(|it| it.map(drop)).boxed();
const TEMPLATES: Called = |client| client.resource_templates().map(|it| it.map(drop)).boxed();
const READ: Called = |client| client.read("a:b/c").map(|it| it.map(drop)).boxed();
const READ_OTHER: Called = |client| client.read("a:bc").map(|it| it.map(drop)).boxed();
const DISCOVER: Called = |client| client.discover().map(|it| it.map(drop)).boxed();

/// Each call whose result may be cached, with its method.
const KEPT: [(&str, Called); 8] = [
    ("tools/list", TOOLS),
    ("prompts/list", PROMPTS),
    ("resources/list", RESOURCES),
    ("resources/list", CHILDREN),
    ("resources/templates/list", TEMPLATES),
    ("resources/read", READ),
    ("resources/read", READ_OTHER),
    ("server/discover", DISCOVER),
];

/// Returns a result of `method` with these additional members.
fn result(method: &str, more: Value) -> Value {
    let mut result = match method {
        "server/discover" => discovered(&["2026-07-28"]),
        "resources/templates/list" => json!({"resourceTemplates": []}),
        "completion/complete" => json!({"completion": {"values": []}}),
        "resources/metadata" => json!({"resource": {"uri": "a:b", "name": "b"}}),
        _ => message::least(method),
    };
    for (key, value) in more.as_object().expect("members") {
        result[key] = value.clone();
    }
    result
}

fn good_for(millis: impl Into<Value>) -> Value {
    json!({"ttlMs": millis.into(), "cacheScope": "private"})
}

/// Connects a client with this cache, and returns it with its server.
async fn connect(cache: &Cache) -> (Client, Peer) {
    let (builder, peer) = pair();
    connected(builder.cache(cache.clone()), peer).await
}

async fn connected(builder: Half<tokio::io::DuplexStream>, mut peer: Peer) -> (Client, Peer) {
    let discovered = result("server/discover", good_for(1_000_000));
    let (client, ()) = tokio::join!(
        builder.connect(),
        peer.answer_with("server/discover", discovered)
    );
    (client.expect("the peer is modern"), peer)
}

/// Makes a call, and checks that the server is asked.
async fn asked<T>(call: impl Future<Output = T>, peer: &mut Peer, method: &str, more: Value) -> T {
    tokio::join!(call, peer.answer_with(method, result(method, more))).0
}

/// Sends a notification, and waits until the client has read it.
async fn told(client: &Client, peer: &mut Peer, method: &str, params: Value) {
    peer.send(message::notification(method, params)).await;
    let call = client.call_tool("barrier", ());
    asked(call, peer, "tools/call", json!({}))
        .await
        .expect("a result");
}

#[tokio::test(start_paused = true)]
async fn what_lists_and_reads_is_asked_for_once_and_nothing_else_is_kept() {
    let cache = Cache::default();
    let (client, mut peer) = connect(&cache).await;
    for (method, call) in KEPT {
        asked(call(&client), &mut peer, method, good_for(1_000))
            .await
            .unwrap();
        call(&client).await.expect(method);
    }
    assert_eq!((cache.hits(), cache.misses()), (8, 8));
    for _ in 0..2 {
        let more = good_for(1_000);
        asked(
            client.call_tool("t", ()),
            &mut peer,
            "tools/call",
            more.clone(),
        )
        .await
        .unwrap();
        asked(
            client.prompt("p", ()),
            &mut peer,
            "prompts/get",
            more.clone(),
        )
        .await
        .unwrap();
        let metadata = client.metadata("a:b");
        asked(metadata, &mut peer, "resources/metadata", more.clone())
            .await
            .unwrap();
        let params = CompleteParams::new(Reference::prompt("p"), "a", "b");
        let completed = client.complete(&params);
        asked(completed, &mut peer, "completion/complete", more.clone())
            .await
            .unwrap();
        // A ping must ask the server, because earlier answers don't show whether it still answers.
        asked(client.ping(), &mut peer, "server/discover", more)
            .await
            .unwrap();
    }
    assert_eq!((cache.hits(), cache.misses()), (8, 8));
}

#[tokio::test(start_paused = true)]
async fn without_a_cache_the_server_is_always_asked() {
    let (builder, peer) = pair();
    let (client, mut peer) = connected(builder, peer).await;
    for (method, call) in [KEPT, KEPT].concat() {
        asked(call(&client), &mut peer, method, good_for(1_000))
            .await
            .unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_result_says_whether_it_is_kept() {
    for (more, is_kept) in [
        (json!({}), false),
        (json!({"cacheScope": "public"}), false),
        (json!({"ttlMs": null, "cacheScope": "public"}), false),
        (json!({"ttlMs": 0, "cacheScope": "public"}), false),
        (json!({"ttlMs": -1, "cacheScope": "public"}), false),
        (json!({"ttlMs": -1e300}), false),
        (json!({"ttlMs": 0.9}), false),
        (json!({"ttlMs": 1}), true),
        (json!({"ttlMs": 1.5, "cacheScope": "public"}), true),
        (json!({"ttlMs": 1e18, "cacheScope": "private"}), true),
        (json!({"ttlMs": u64::MAX, "cacheScope": "private"}), true),
        (json!({"ttlMs": 1e300, "cacheScope": "nobody"}), true),
        // These results can't be decoded, or are not final.
        (json!({"ttlMs": 9, "tools": 7}), false),
        (json!({"ttlMs": 9, "resultType": "input_required"}), false),
        (json!({"ttlMs": 9, "resultType": "task"}), false),
        (json!({"ttlMs": 9, "resultType": "new"}), false),
        (json!({"ttlMs": 9, "tools": [{"name": "t"}]}), false),
        (json!({"ttlMs": "9"}), false),
    ] {
        let cache = Cache::default();
        let (client, mut peer) = connect(&cache).await;
        let first = asked(client.tools(), &mut peer, "tools/list", more.clone()).await;
        if is_kept {
            assert_eq!(
                client.tools().await.expect("kept"),
                first.expect("good"),
                "{more}"
            );
        } else {
            asked(TOOLS(&client), &mut peer, "tools/list", json!({}))
                .await
                .unwrap();
        }
        assert_eq!(cache.hits(), u64::from(is_kept), "{more}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_is_good_until_its_time_and_never_for_more_than_a_day() {
    let day = 24 * 3_600 * SECOND;
    let ms = Duration::from_millis(1);
    for (ttl, good) in [
        (json!(1), ms),
        (json!(1_000), SECOND),
        (json!(86_399_999), day - ms),
        (json!(86_400_001), day),
        (json!(1e18), day),
    ] {
        let (client, mut peer) = connect(&Cache::default()).await;
        asked(TOOLS(&client), &mut peer, "tools/list", good_for(ttl))
            .await
            .unwrap();
        advance(good - ms).await;
        TOOLS(&client).await.expect("still good");
        advance(ms).await;
        asked(TOOLS(&client), &mut peer, "tools/list", json!({}))
            .await
            .unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_notification_drops_what_it_is_about() {
    let updated = "resources/updated";
    let all: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7];
    for (method, params, dropped) in [
        ("tools/list_changed", json!({}), &[0][..]),
        ("prompts/list_changed", json!({}), &[1]),
        ("resources/list_changed", json!({}), &[2, 3, 4]),
        (updated, json!({"uri": "a:b/c"}), &[2, 3, 5]),
        (updated, json!({"uri": "a:b/c/d"}), &[2, 3, 5]),
        (updated, json!({"uri": "a:b"}), &[2, 3]),
        (updated, json!({"uri": "a:bc"}), &[2, 6]),
        (updated, json!({"uri": "x:y"}), &[2]),
        // A notification without a URI may be about any resource.
        (updated, json!({}), all),
        ("message", json!({"level": "info", "data": 1}), &[]),
        ("x/list_changed", json!({}), &[]),
    ] {
        let (client, mut peer) = connect(&Cache::default()).await;
        for (name, call) in KEPT {
            asked(call(&client), &mut peer, name, good_for(1_000))
                .await
                .unwrap();
        }
        told(&client, &mut peer, method, params.clone()).await;
        for (number, (name, call)) in KEPT.into_iter().enumerate() {
            match dropped.contains(&number) {
                true => asked(call(&client), &mut peer, name, json!({})).await,
                false => call(&client).await,
            }
            .unwrap_or_else(|error| panic!("{method} {params}, then {name}: {error}"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_changes_on_its_way_is_returned_and_not_kept() {
    let updated = "resources/updated";
    for (method, params, is_kept) in [
        (updated, json!({"uri": "a:b/c"}), false),
        (updated, json!({"uri": "a:b"}), true),
        ("resources/list_changed", json!({}), true),
    ] {
        let (client, mut peer) = connect(&Cache::default()).await;
        let (read, ()) = tokio::join!(READ(&client), async {
            let request = peer.request("resources/read").await;
            peer.send(message::notification(method, params.clone()))
                .await;
            let read = result("resources/read", good_for(1_000));
            peer.reply(&request, read).await;
        });
        read.expect("returned");
        match is_kept {
            true => READ(&client).await.unwrap(),
            false => asked(READ(&client), &mut peer, "resources/read", json!({}))
                .await
                .unwrap(),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_is_good_no_longer_drops_all_pages() {
    let (client, mut peer) = connect(&Cache::default()).await;
    let (first, last) = (json!({"ttlMs": 9_000, "nextCursor": "2"}), good_for(1_000));
    let (listed, ()) = tokio::join!(TOOLS(&client), async {
        for page in [&first, &last] {
            peer.answer_with("tools/list", result("tools/list", page.clone()))
                .await;
        }
    });
    listed.unwrap();
    TOOLS(&client).await.expect("both are kept");
    advance(SECOND).await;
    // Only the second page has expired. Because its cursor is rejected, both pages are listed
    // again.
    let (listed, ()) = tokio::join!(TOOLS(&client), async {
        let request = peer.request("tools/list").await;
        assert_eq!(request["params"]["cursor"], "2");
        peer.fail(&request, -32602, None).await;
        let request = peer.request("tools/list").await;
        assert_eq!(request["params"].get("cursor"), None);
        peer.reply(&request, result("tools/list", first.clone()))
            .await;
        peer.answer_with("tools/list", result("tools/list", last.clone()))
            .await;
    });
    listed.unwrap();
    TOOLS(&client).await.expect("both are kept");
}

#[tokio::test(start_paused = true)]
async fn a_listing_begins_again_once_and_only_if_the_cache_had_its_cursor() {
    let (client, mut peer) = connect(&Cache::default()).await;
    let method = "resources/list";
    let listing = |uri: &str, more: Value| {
        let mut page = result(method, more);
        page["resources"] = json!([{"uri": uri, "name": "b"}]);
        page
    };
    let first = json!({"ttlMs": 9_000, "nextCursor": "2"});
    // Neither page is cached.
    let (listed, ()) = tokio::join!(client.resources(None), async {
        peer.answer_with(method, listing("a:old", first.clone()))
            .await;
        peer.refuse(method, -32602, None).await;
    });
    assert!(listed.unwrap_err().is_invalid_params());
    for is_good in [true, false] {
        let (page, ()) = tokio::join!(
            async { client.resource_pages(None).next().await },
            peer.answer_with(method, listing("a:old", first.clone()))
        );
        page.unwrap();
        let (listed, ()) = tokio::join!(client.resources(None), async {
            peer.refuse(method, -32602, None).await;
            peer.answer_with(method, listing("a:new", first.clone()))
                .await;
            match is_good {
                true => peer.answer_with(method, listing("a:b", json!({}))).await,
                false => peer.refuse(method, -32602, None).await,
            }
        });
        let uris = listed.map(|all| all.into_iter().map(|one| one.uri).collect::<Vec<_>>());
        match is_good {
            true => assert_eq!(uris.unwrap(), ["a:new", "a:b"]),
            false => assert!(uris.unwrap_err().is_invalid_params()),
        }
        advance(10 * SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn fresh_asks_the_server_and_keeps_what_it_says_now() {
    let (client, mut peer) = connect(&Cache::default()).await;
    let read = |text: &str, ttl| {
        let contents = json!([{"uri": "a:b", "name": "b", "text": text}]);
        json!({"contents": contents, "ttlMs": ttl})
    };
    let text = |read: Result<plainly::client::ReadResult>| read.unwrap().text().map(str::to_owned);
    let method = "resources/read";
    let one = asked(client.read("a:b"), &mut peer, method, read("one", 1_000)).await;
    assert_eq!(text(one).as_deref(), Some("one"));
    let fresh = client.fresh();
    let two = asked(fresh.read("a:b"), &mut peer, method, read("two", 1_000)).await;
    assert_eq!(text(two).as_deref(), Some("two"));
    assert_eq!(text(client.read("a:b").await).as_deref(), Some("two"));
    // This result may not be cached, and the earlier one is dropped.
    asked(fresh.read("a:b"), &mut peer, method, read("three", 0))
        .await
        .unwrap();
    let four = asked(client.read("a:b"), &mut peer, method, read("four", 1_000)).await;
    assert_eq!(text(four).as_deref(), Some("four"));
    // The resource no longer exists.
    let (gone, ()) = tokio::join!(
        fresh.read("a:b"),
        peer.refuse(method, -32602, Some(json!({"uri": "a:b"})))
    );
    assert!(gone.unwrap_err().is_resource_not_found());
    asked(client.read("a:b"), &mut peer, method, read("five", 0))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_old_result_is_given_where_the_server_fails_only_if_that_is_allowed() {
    let (failed, refused) = ((-32603, None), (-32602, Some(json!({"uri": "a:b/c"}))));
    for (longest, waited, (code, data), is_given) in [
        (0, 2_000, failed.clone(), false),
        (5_000, 2_000, failed.clone(), true),
        (5_000, 5_999, failed.clone(), true),
        (5_000, 6_000, failed.clone(), false),
        (5_000, 2_000, refused, false),
    ] {
        let cache = Cache::default().stale_on_error(Duration::from_millis(longest));
        let (client, mut peer) = connect(&cache).await;
        asked(READ(&client), &mut peer, "resources/read", good_for(1_000))
            .await
            .unwrap();
        advance(Duration::from_millis(waited)).await;
        for client in [client.clone(), client.fresh()] {
            let read = READ(&client);
            let (read, ()) = tokio::join!(read, peer.refuse("resources/read", code, data.clone()));
            let is_fresh = format!("{client:?}").contains("fresh: true");
            assert_eq!(
                read.is_ok(),
                is_given && !is_fresh,
                "{longest} {waited} {code}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_server_said_has_changed_is_not_given_even_where_it_fails() {
    let cache = Cache::default().stale_on_error(Duration::MAX);
    let (client, mut peer) = connect(&cache).await;
    asked(TOOLS(&client), &mut peer, "tools/list", good_for(1_000))
        .await
        .unwrap();
    told(&client, &mut peer, "tools/list_changed", json!({})).await;
    let (listed, ()) = tokio::join!(TOOLS(&client), peer.refuse("tools/list", -32603, None));
    assert!(listed.unwrap_err().is_internal());
}

#[tokio::test(start_paused = true)]
async fn what_came_of_an_answer_to_a_question_is_not_kept() {
    let (builder, peer) = pair();
    let builder = builder
        .cache(Cache::default())
        .on_elicitation(async |_| ElicitResult::decline());
    let (client, mut peer) = connected(builder, peer).await;
    let question = json!({"method": "elicitation/create", "params": {
        "mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}},
    }});
    for _ in 0..2 {
        let (read, ()) = tokio::join!(READ(&client), async {
            let more = json!({"ttlMs": 9_000, "resultType": "input_required", "inputRequests": {"q": question}});
            peer.answer_with("resources/read", more).await;
            let again = peer.request("resources/read").await;
            assert_eq!(again["params"]["inputResponses"]["q"]["action"], "decline");
            peer.reply(&again, result("resources/read", good_for(9_000)))
                .await;
        });
        read.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_has_to_say_it_too() {
    for (more, is_kept) in [(json!({}), false), (good_for(1_000), true)] {
        let (builder, mut peer) = pair();
        let (client, _) = tokio::join!(
            builder.cache(Cache::default()).connect(),
            peer.open_session("2025-11-25", json!({"tools": {}}))
        );
        let client = client.unwrap();
        asked(TOOLS(&client), &mut peer, "tools/list", more)
            .await
            .unwrap();
        if is_kept {
            TOOLS(&client).await.unwrap();
            told(&client, &mut peer, "tools/list_changed", json!({})).await;
        }
        asked(TOOLS(&client), &mut peer, "tools/list", json!({}))
            .await
            .unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_forwarded_is_kept_as_it_is_written() {
    let cache = Cache::default();
    let (client, mut peer) = connect(&cache).await;
    asked(
        client.read("a:b"),
        &mut peer,
        "resources/read",
        good_for(1_000),
    )
    .await
    .unwrap();
    for (params, is_kept) in [
        (r#"{"uri":"a:b"}"#, true),
        (r#"{ "uri": "a:b" }"#, false),
        (r#"{"uri":"a:b","_meta":{"traceparent":"x"}}"#, false),
        // Duplicate members are not cached, because some servers use the first one and others the
        // last one.
        (r#"{"uri":"a:x","uri":"a:b"}"#, false),
        (r#"{"uri":"a:b","cursor":"a:b"}"#, false),
    ] {
        for is_first in [true, false] {
            let raw = RawJson::parse(params).unwrap();
            let forwarded = client.forward(Method::ReadResource, &raw).into_future();
            let is_known =
                is_kept || !is_first && !params.contains("_meta") && !params.contains("a:x");
            match is_known {
                true => forwarded.await,
                false => asked(forwarded, &mut peer, "resources/read", good_for(1_000)).await,
            }
            .expect(params);
        }
    }
    client.read("a:b").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_answered_here_is_counted_without_a_try() {
    let tries = Arc::new(Mutex::new(Vec::new()));
    let counted = Arc::clone(&tries);
    let (builder, peer) = pair();
    let builder = builder.cache(Cache::default());
    let builder = builder.on_operation(move |operation| {
        counted
            .lock()
            .unwrap()
            .push((operation.method, operation.tries));
    });
    let (client, mut peer) = connected(builder, peer).await;
    asked(TOOLS(&client), &mut peer, "tools/list", good_for(1_000))
        .await
        .unwrap();
    TOOLS(&client).await.unwrap();
    let (refused, ()) = tokio::join!(PROMPTS(&client), peer.refuse("prompts/list", -32602, None));
    refused.unwrap_err();
    let expected = [("tools/list", 1), ("tools/list", 0), ("prompts/list", 1)];
    assert_eq!(*tries.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_closed_has_nothing_either_and_the_end_of_a_stream_is_none() {
    let (client, mut peer) = connect(&Cache::default()).await;
    asked(TOOLS(&client), &mut peer, "tools/list", good_for(1_000))
        .await
        .unwrap();
    drop(peer);
    TOOLS(&client).await.expect("it is still good");
    client.close().await;
    let error: Error = TOOLS(&client).await.unwrap_err();
    assert_local!(error, LocalError::Closed(_));
}

#[tokio::test(start_paused = true)]
async fn on_a_stream_nothing_is_shared() {
    let cache = Cache::default();
    let public = json!({"ttlMs": 1_000, "cacheScope": "public"});
    for _ in 0..2 {
        let (client, mut peer) = connect(&cache).await;
        asked(TOOLS(&client), &mut peer, "tools/list", public.clone())
            .await
            .unwrap();
        TOOLS(&client.clone()).await.unwrap();
    }
    assert_eq!((cache.hits(), cache.misses()), (2, 2));
}
