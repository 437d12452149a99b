//! Clients of a host that the test plays, with one request per connection.

use plainly::client::{Builder, Client, Http};
use plainly_peer::Host;
use serde_json::{Value, json};

pub(crate) async fn start() -> (Builder<Http>, Host) {
    let host = Host::start().await;
    let builder = Client::http(format!("{}?key=secret", host.url));
    (builder, host)
}

/// Connects a client to a modern server.
pub(crate) async fn modern() -> (Client, Host) {
    let (builder, host) = start().await;
    let (client, ()) = tokio::join!(builder.connect(), host.discover());
    (client.expect("the server is modern"), host)
}

/// Connects a client to a legacy server in this session.
pub(crate) async fn legacy(session: Option<&str>) -> (Client, Host) {
    legacy_with(session, json!({})).await
}

/// Connects a client to a legacy server with these capabilities, in this session.
pub(crate) async fn legacy_with(session: Option<&str>, capabilities: Value) -> (Client, Host) {
    let (builder, host) = start().await;
    let (client, ()) = tokio::join!(builder.connect(), async {
        host.refuse("server/discover", "400 Bad Request").await;
        host.initialize(session, capabilities).await;
    });
    (client.expect("the server is legacy"), host)
}
