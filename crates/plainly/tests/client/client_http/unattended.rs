//! Requests that no caller waits for: the user is not asked to log in for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly::client::{
    Again, AuthError, Authorizer, Client, Credentials, LocalError, Refusal, UnsentRequest,
};
use plainly::protocol::types::Root;
use plainly_peer::{AnsweredRequest, Host, assert_local};
use serde_json::json;

use super::server;

const UNAUTHORIZED: &str = "401 Unauthorized";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";

/// A user who denies every login, and counts them.
#[derive(Clone, Debug, Default)]
struct Denying(Arc<AtomicUsize>);

impl Authorizer for Denying {
    fn credentials<'a>(
        &'a self,
        _request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        async { Credentials::bearer("t") }.boxed()
    }

    fn refused<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
        _refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        async {
            if !request.may_ask_user {
                return Ok(Again::GiveUp);
            }
            self.0.fetch_add(1, Ordering::SeqCst);
            Err(AuthError::of_program("denied"))
        }
        .boxed()
    }
}

/// A client in the session `s` of a legacy server, and the logins that its user denied.
async fn start() -> (Client, Host, Denying) {
    let (builder, host) = server::start().await;
    let denying = Denying::default();
    let (client, ()) = tokio::join!(builder.authorizer(denying.clone()).connect(), async {
        host.refuse("server/discover", "400 Bad Request").await;
        host.initialize(Some("s"), json!({})).await;
    });
    (client.expect("the server is legacy"), host, denying)
}

/// Checks that the client sends nothing before its next call.
async fn is_silent(client: &Client, host: &Host) {
    let (pinged, ()) = tokio::join!(client.ping(), host.answer("ping"));
    pinged.expect("the ping is answered");
}

#[tokio::test]
async fn a_denied_login_ends_the_call_and_is_not_asked_for_again() {
    for has_begun in [false, true] {
        let (client, host, denying) = start().await;
        let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
            let call = host.request("tools/call").await;
            if !has_begun {
                return call.answer(UNAUTHORIZED, "", "").await;
            }
            let part = "id: 1\nretry: 0\ndata:\n\n";
            call.answer("200 OK", EVENTS, part).await;
            let rest = host.next_in("s", "GET").await;
            rest.answer(UNAUTHORIZED, "", "").await;
        });
        assert_local!(called.unwrap_err(), LocalError::Authorization(_));
        is_silent(&client, &host).await;
        assert_eq!(denying.0.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn nobody_logs_in_for_streams_answers_cancellations_and_the_end() {
    let (builder, host) = server::start().await;
    let denying = Denying::default();
    let builder = builder.roots([Root::new("file:///a")]);
    let builder = builder.authorizer(denying.clone());
    let (client, ()) = tokio::join!(builder.connect(), async {
        host.refuse("server/discover", "400 Bad Request").await;
        host.initialize(Some("s"), json!({})).await;
        let stream = host.next_in("s", "GET").await;
        stream.answer(UNAUTHORIZED, "", "").await;
    });
    let client = client.unwrap();
    let other = client.clone();
    let calling = tokio::spawn(async move { other.tools().await });
    let mut call: AnsweredRequest = host.request("tools/list").await;
    call.events().await;
    let question = plainly_peer::message::request("q", "roots/list", json!({}));
    call.event(&question).await;
    let answer = host.next_in("s", "POST").await;
    assert_eq!(answer.body["id"], "q");
    answer.answer(UNAUTHORIZED, "", "").await;
    calling.abort();
    host.refuse("notifications/cancelled", UNAUTHORIZED).await;
    let ((), ()) = tokio::join!(client.close(), async {
        let end = host.next_in("s", "DELETE").await;
        end.answer(UNAUTHORIZED, "", "").await;
    });
    assert_eq!(denying.0.load(Ordering::SeqCst), 0);
}
