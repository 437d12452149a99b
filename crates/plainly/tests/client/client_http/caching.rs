//! A cache that several clients share over HTTP: the results that clients may share, and those that
//! a gap in a subscription drops.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly::client::{
    Again, AuthError, Authorizer, Builder, Cache, Change, Client, Credentials, Http, Refusal,
    Subscription, UnsentRequest,
};
use plainly::protocol::types::{ClientCapabilities, ElicitationCapability, SubscriptionFilter};
use plainly_peer::message::MODERN;
use plainly_peer::{AnsweredRequest, Host};
use serde_json::{Value, json};

async fn connect(builder: Builder<Http>, host: &Host) -> Client {
    let (client, ()) = tokio::join!(builder.connect(), host.discover());
    client.expect("the server is modern")
}

/// Reads `a:b` from a server that replies with the token of the request. Returns the text, and
/// whether the server was asked.
async fn read(client: &Client, host: &Host, scope: &str) -> (String, bool) {
    let is_asked = Cell::new(false);
    let answering = async {
        let asked = host.request("resources/read").await;
        is_asked.set(true);
        let text = asked.headers.get("authorization").cloned();
        let contents = json!([{"uri": "a:b", "name": "b", "text": text.unwrap_or_default()}]);
        let result = json!({"contents": contents, "ttlMs": 60_000, "cacheScope": scope});
        asked.result(result).await;
        std::future::pending().await
    };
    let read = tokio::select! {
        biased;
        read = client.read("a:b") => read,
        never = answering => never,
    };
    let read = read.expect("a result");
    (read.text().expect("a text").to_owned(), is_asked.get())
}

/// A setting that may distinguish a client from the first one.
type Differing = fn(Builder<Http>) -> Builder<Http>;

fn anna(builder: Builder<Http>) -> Builder<Http> {
    builder.header("Authorization", "Bearer anna")
}

/// The second client, whether it shares the first client's private results, and whether it shares
/// public ones.
const SECOND: [(&str, Differing, bool, bool); 8] = [
    ("the same", anna, true, true),
    (
        "another token",
        |it| it.header("Authorization", "Bearer bert"),
        false,
        true,
    ),
    ("no token", |it| it, false, true),
    (
        "a header more",
        |it| anna(it).header("X-Tenant", "t"),
        false,
        true,
    ),
    (
        "another value before",
        |it| anna(it.header("authorization", "Bearer bert")),
        true,
        true,
    ),
    (
        "the token in another header",
        |it| it.header("X-Auth", "Bearer anna"),
        false,
        true,
    ),
    (
        "another timeout",
        |it| anna(it).timeout(Duration::from_secs(7)),
        true,
        true,
    ),
    ("other capabilities", able, false, false),
];

fn able(builder: Builder<Http>) -> Builder<Http> {
    let asks = ClientCapabilities::new().elicitation(ElicitationCapability::new());
    anna(builder).capabilities(asks)
}

#[tokio::test]
async fn what_is_private_is_only_for_the_same_headers_and_what_is_public_for_the_same_server() {
    for (name, second, has_private, has_public) in SECOND {
        for (scope, is_shared) in [
            ("private", has_private),
            ("public", has_public),
            ("shared", has_private),
        ] {
            let (cache, host) = (Cache::default(), Host::start().await);
            let builder = || Client::http(&host.url).cache(cache.clone());
            let first = connect(anna(builder()), &host).await;
            let own = ("Bearer anna".to_owned(), true);
            assert_eq!(read(&first, &host, scope).await, own);
            let second = connect(second(builder()), &host).await;
            let (text, is_asked) = read(&second, &host, scope).await;
            assert_eq!(is_asked, !is_shared, "{name}: {scope}");
            assert!(is_asked || text == "Bearer anna", "{name}: {scope}");
            // The first client still has its own result.
            assert_eq!(read(&first, &host, scope).await.0, "Bearer anna");
        }
    }
}

/// Lists the tools of a server with two pages, the first public and the second private, which
/// replies with the token of each request. Also returns the cursors of the requests.
async fn tools(client: &Client, host: &Host) -> (Vec<String>, Vec<Value>) {
    let asked_for = RefCell::new(Vec::new());
    let answering = async {
        loop {
            let asked = host.request("tools/list").await;
            let cursor = asked.body["params"]["cursor"].clone();
            asked_for.borrow_mut().push(cursor.clone());
            let token = asked.headers.get("authorization").cloned();
            let tool =
                json!({"name": token.unwrap_or_default(), "inputSchema": {"type": "object"}});
            let mut page = json!({"tools": [tool], "ttlMs": 60_000, "cacheScope": "private"});
            if cursor.is_null() {
                page["cacheScope"] = json!("public");
                page["nextCursor"] = json!("2");
            }
            asked.result(page).await;
        }
    };
    let tools = tokio::select! {
        biased;
        tools = client.tools() => tools,
        () = answering => unreachable!(),
    };
    let tools = tools.expect("a listing");
    let names = tools.iter().map(|tool| tool.name.clone()).collect();
    (names, asked_for.into_inner())
}

#[tokio::test]
async fn a_private_page_among_public_ones_is_for_its_own_token_alone() {
    let (cache, host) = (Cache::default(), Host::start().await);
    let builder = || Client::http(&host.url).cache(cache.clone());
    let anna = connect(anna(builder()), &host).await;
    let bert = connect(builder().header("Authorization", "Bearer bert"), &host).await;
    let (names, asked_for) = tools(&anna, &host).await;
    assert_eq!(names, ["Bearer anna", "Bearer anna"]);
    assert_eq!(asked_for, [Value::Null, json!("2")]);
    let (names, asked_for) = tools(&bert, &host).await;
    assert_eq!(names, ["Bearer anna", "Bearer bert"]);
    assert_eq!(asked_for, [json!("2")]);
}

/// Adds a function that returns these tokens one after another.
fn given(builder: Builder<Http>, given: &'static [&'static str]) -> Builder<Http> {
    let asked = AtomicUsize::new(0);
    builder.token(move || {
        let number = asked.fetch_add(1, Ordering::SeqCst);
        async move { Ok(given[number.min(given.len() - 1)].to_owned()) }
    })
}

#[tokio::test]
async fn a_new_token_is_a_new_cache_whoever_gives_it() {
    let ways: [Differing; 2] = [|it| it.bearer("anna"), |it| given(it, &["anna"])];
    for way in ways {
        for (name, second, is_same) in [
            ("the same", way, true),
            ("another", |it| it.bearer("bert"), false),
            ("another of a function", |it| given(it, &["bert"]), false),
            ("none", |it| it, false),
            (
                "a header more",
                |it| it.bearer("anna").header("X-Tenant", "t"),
                false,
            ),
        ] as [(&str, Differing, bool); 5]
        {
            let (cache, host) = (Cache::default(), Host::start().await);
            let builder = || Client::http(&host.url).cache(cache.clone());
            let first = connect(way(builder()), &host).await;
            let own = ("Bearer anna".to_owned(), true);
            assert_eq!(read(&first, &host, "private").await, own);
            assert!(!read(&first, &host, "private").await.1);
            let second = connect(second(builder()), &host).await;
            assert_eq!(read(&second, &host, "private").await.1, !is_same, "{name}");
        }
    }
}

#[tokio::test]
async fn what_a_new_token_was_answered_is_not_kept_for_the_old_one() {
    let (cache, host) = (Cache::default(), Host::start().await);
    let builder = || Client::http(&host.url).cache(cache.clone());
    let first = connect(given(builder(), &["anna", "bert"]), &host).await;
    let second = connect(builder().bearer("anna"), &host).await;
    let (read_by_first, ()) = tokio::join!(first.read("a:b"), async {
        host.refuse("resources/read", "401 Unauthorized").await;
        let again = host.request("resources/read").await;
        assert_eq!(again.headers["authorization"], "Bearer bert");
        let contents = json!([{"uri": "a:b", "name": "b", "text": "of bert"}]);
        let result = json!({"contents": contents, "ttlMs": 60_000, "cacheScope": "private"});
        again.result(result).await;
    });
    assert_eq!(read_by_first.unwrap().text(), Some("of bert"));
    // The result is not cached for the new token either, because the request did not start with it.
    // The next result is.
    let own = ("Bearer bert".to_owned(), true);
    assert_eq!(read(&first, &host, "private").await, own);
    assert!(!read(&first, &host, "private").await.1);
    let other = ("Bearer anna".to_owned(), true);
    assert_eq!(read(&second, &host, "private").await, other);
}

#[tokio::test]
async fn another_url_is_another_server() {
    let (cache, host) = (Cache::default(), Host::start().await);
    for end in ["", "?", "?user=1", "/"] {
        let url = format!("{}{end}", host.url);
        let client = connect(Client::http(url).cache(cache.clone()), &host).await;
        for is_first in [true, false] {
            let (_, is_asked) = read(&client, &host, "public").await;
            assert_eq!(is_asked, is_first, "{end}");
        }
    }
}

#[tokio::test]
async fn what_is_private_takes_the_place_of_what_was_public() {
    let (cache, host) = (Cache::default(), Host::start().await);
    let builder = || Client::http(&host.url).cache(cache.clone());
    let first = connect(anna(builder()), &host).await;
    let second = connect(builder(), &host).await;
    assert!(read(&first, &host, "public").await.1);
    assert!(read(&first.fresh(), &host, "private").await.1);
    assert!(read(&second, &host, "private").await.1);
}

#[tokio::test]
async fn neither_tokens_nor_what_was_read_are_in_the_debug_output() {
    let (cache, host) = (Cache::default(), Host::start().await);
    let client = connect(anna(Client::http(&host.url).cache(cache.clone())), &host).await;
    read(&client, &host, "private").await;
    let shown = format!("{cache:?} {client:?}");
    assert!(!shown.contains("anna"), "{shown}");
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn told(listening: &AnsweredRequest, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({SUBSCRIPTION: listening.body["id"]});
    json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
}

async fn acknowledge(host: &Host) -> AnsweredRequest {
    let mut listening = host.request("subscriptions/listen").await;
    listening.events().await;
    let notifications = listening.body["params"]["notifications"].clone();
    let acknowledged = told(
        &listening,
        "subscriptions/acknowledged",
        json!({"notifications": notifications}),
    );
    listening.event(&acknowledged).await;
    listening
}

async fn listen(client: &Client, host: &Host) -> (Subscription, AnsweredRequest) {
    let filter = SubscriptionFilter::new().resource_subscriptions(["a:b".to_owned()]);
    let (subscription, listening) = tokio::join!(client.listen(filter), acknowledge(host));
    (subscription.expect("acknowledged"), listening)
}

#[tokio::test]
async fn who_hears_of_a_change_asks_again_and_so_do_all_who_share_the_cache() {
    let (cache, host) = (Cache::default(), Host::start().await);
    let builder = || Client::http(&host.url).cache(cache.clone());
    let first = connect(anna(builder()), &host).await;
    let second = connect(builder(), &host).await;
    let (mut subscription, mut listening) = listen(&first, &host).await;
    for client in [&first, &second] {
        assert!(read(client, &host, "private").await.1);
        assert!(!read(client, &host, "private").await.1);
    }
    let updated = told(&listening, "resources/updated", json!({"uri": "a:b"}));
    listening.event(&updated).await;
    let heard = subscription.next().await.unwrap().unwrap();
    assert_eq!(heard, Change::Resource("a:b".to_owned()));
    for client in [&first, &second] {
        assert!(read(client, &host, "private").await.1);
    }
}

#[tokio::test]
async fn a_gap_in_a_subscription_drops_what_relied_on_it() {
    let (cache, host) = (Cache::default(), Host::start().await);
    let client = connect(Client::http(&host.url).cache(cache.clone()), &host).await;
    let (mut subscription, mut listening) = listen(&client, &host).await;
    assert!(read(&client, &host, "private").await.1);
    listening.write("retry: 1\n\n").await;
    drop(listening);
    let (missed, _listening) = tokio::join!(subscription.next(), async {
        let mut again = host.request("subscriptions/listen").await;
        // The cached result was dropped when the connection was lost.
        assert!(read(&client, &host, "private").await.1);
        assert!(!read(&client, &host, "private").await.1);
        again.events().await;
        let notifications = again.body["params"]["notifications"].clone();
        let acknowledged = told(
            &again,
            "subscriptions/acknowledged",
            json!({"notifications": notifications}),
        );
        again.event(&acknowledged).await;
        again
    });
    assert_eq!(missed.unwrap().unwrap(), Change::Missed);
    // The result may have changed before the subscription was resumed.
    assert!(read(&client, &host, "private").await.1);
    assert!(!read(&client, &host, "private").await.1);
}

#[tokio::test]
async fn a_call_that_misses_headers_lists_the_tools_anew() {
    let (cache, host) = (Cache::default(), Host::start().await);
    let client = connect(Client::http(&host.url).cache(cache.clone()), &host).await;
    let page = |header: &str| {
        let depth = json!({"type": "integer", "x-mcp-header": header});
        let schema = json!({"type": "object", "properties": {"depth": depth}});
        json!({"tools": [{"name": "t", "inputSchema": schema}], "ttlMs": 60_000})
    };
    let (listed, ()) = tokio::join!(client.tools(), host.answer_with("tools/list", page("Old")));
    listed.unwrap();
    let (called, ()) = tokio::join!(client.call_tool("t", json!({"depth": 7})), async {
        let call = host.request("tools/call").await;
        assert_eq!(call.headers["mcp-param-old"], "7");
        let error = json!({"code": -32020, "message": "Header mismatch"});
        call.error("400 Bad Request", error).await;
        host.answer_with("tools/list", page("New")).await;
        let call = host.request("tools/call").await;
        assert_eq!(call.headers["mcp-param-new"], "7");
        call.result(json!({"content": []})).await;
    });
    called.unwrap();
    assert_eq!(client.tools().await.unwrap().len(), 1);
}

/// A user who is logged out, and another user who then logs in.
#[derive(Debug, Default)]
struct Users(AtomicUsize);

impl Authorizer for Users {
    fn credentials<'a>(
        &'a self,
        _request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        let user = ["anna", "bert"][self.0.load(Ordering::SeqCst)];
        async move { Credentials::bearer(user) }.boxed()
    }

    fn refused<'a>(
        &'a self,
        _request: &'a UnsentRequest<'a>,
        _refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        self.0.store(1, Ordering::SeqCst);
        async { Ok(Again::Retry) }.boxed()
    }
}

#[tokio::test]
async fn a_content_of_one_user_does_not_stand_for_the_same_tag_of_another() {
    const TAG: &str = "dev.plainly/ifNoneMatch";
    let host = Host::start().await;
    let content = |text: &str, meta: Value| {
        let contents = json!([{"uri": "a:b", "name": "b", "text": text, "_meta": meta}]);
        json!({"contents": contents, "ttlMs": 0, "cacheScope": "private"})
    };
    let etag = json!({"dev.plainly/etag": "1"});
    let not_modified = json!({"dev.plainly/notModified": true});
    let builder = Client::http(&host.url).authorizer(Users::default());
    let settings = json!({"dev.plainly/resources": {"conditional": true}});
    let capabilities = json!({"resources": {}, "extensions": settings});
    let discovered = json!({"supportedVersions": [MODERN], "capabilities": capabilities});
    let (client, ()) = tokio::join!(
        builder.cache(Cache::default()).connect(),
        host.answer_with("server/discover", discovered)
    );
    let client = client.unwrap();
    let (read, ()) = tokio::join!(
        client.read("a:b"),
        host.answer_with("resources/read", content("anna's", etag.clone()))
    );
    assert_eq!(read.unwrap().text(), Some("anna's"));
    let (read, ()) = tokio::join!(client.read("a:b"), async {
        for (user, tag) in [
            ("anna", json!("1")),
            ("bert", json!("1")),
            ("bert", Value::Null),
        ] {
            let asked = host.request("resources/read").await;
            assert_eq!(asked.headers["authorization"], format!("Bearer {user}"));
            assert_eq!(asked.body["params"]["_meta"][TAG], tag);
            match (user, tag.is_null()) {
                ("anna", _) => asked.answer("401 Unauthorized", "", "").await,
                (_, false) => asked.result(content("", not_modified.clone())).await,
                (_, true) => asked.result(content("bert's", etag.clone())).await,
            }
        }
    });
    assert_eq!(read.unwrap().text(), Some("bert's"));
}
