//! Logins that take hours: calls and connecting do not time out during a login, and no other
//! request starts.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly::client::{
    Again, AuthError, Authorizer, Builder, Credentials, Http, LocalError, Refusal, UnsentRequest,
};
use plainly_peer::{assert_local, within};
use serde_json::json;
use tokio::time::{advance, pause, resume};

use super::server;

const LOGIN: Duration = Duration::from_secs(3 * 60 * 60);

/// A user whose login takes long.
#[derive(Debug)]
struct Person {
    /// Whether the login stops the clocks.
    is_waited_for: bool,
}

impl Authorizer for Person {
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
            let _pause = self.is_waited_for.then(|| request.clocks.pause());
            pause();
            advance(LOGIN).await;
            resume();
            // A call whose time is over fails here.
            tokio::task::yield_now().await;
            Ok(Again::Retry)
        }
        .boxed()
    }
}

async fn start(is_waited_for: bool) -> (Builder<Http>, plainly_peer::Host) {
    let (builder, host) = server::start().await;
    (builder.authorizer(Person { is_waited_for }), host)
}

const UNAUTHORIZED: &str = "401 Unauthorized";

#[tokio::test]
async fn connecting_and_calls_wait_for_a_login_and_no_handshake_begins_beside_it() {
    let (builder, host) = start(true).await;
    let (client, ()) = tokio::join!(builder.connect(), async {
        host.refuse("server/discover", UNAUTHORIZED).await;
        host.discover().await;
    });
    let client = client.unwrap();
    let (tools, ()) = tokio::join!(client.tools(), async {
        host.refuse("tools/list", UNAUTHORIZED).await;
        host.answer("tools/list").await;
    });
    tools.unwrap();
}

#[tokio::test]
async fn a_legacy_handshake_waits_too() {
    let (builder, host) = start(true).await;
    let (client, ()) = tokio::join!(builder.connect(), async {
        host.refuse("server/discover", "400 Bad Request").await;
        host.refuse("initialize", UNAUTHORIZED).await;
        host.initialize(None, json!({})).await;
    });
    client.unwrap();
}

#[tokio::test]
async fn what_nobody_is_waited_for_with_ends_in_time() {
    let (builder, host) = start(false).await;
    let connecting = tokio::spawn(builder.connect());
    host.refuse("server/discover", UNAUTHORIZED).await;
    let error = within(connecting).await.unwrap().unwrap_err();
    assert_local!(error, LocalError::Timeout { .. });
}
