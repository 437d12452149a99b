//! Normal operation, over one server and over three.

use plainly_cluster::Journals as _;
use plainly_cluster::check::check;
use plainly_nats::{Nats, SettingsError};

use crate::processes::until;
use crate::servers::Servers;

async fn works(servers: &Servers) {
    let (one, other) = (servers.replica().await, servers.replica().await);
    // The servers may not have elected a leader yet.
    until(async || one.append("first", "event".into()).await.ok()).await;
    assert_eq!(check(&one, &other).await, [""; 0]);
}

#[tokio::test]
async fn one_server_is_an_engine() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    works(&servers).await;
}

#[tokio::test]
async fn three_servers_are_an_engine() {
    let Some(servers) = Servers::start(3, "") else {
        return;
    };
    works(&servers).await;
    let admin = servers.admin(0).await;
    for stream in ["records", "journals"] {
        let info = admin.info(stream).await;
        assert_eq!(info["config"]["num_replicas"], 3, "{info}");
    }
}

#[tokio::test]
async fn settings_are_checked() {
    let none: [&str; 0] = [];
    let refused = Nats::connect(none).await;
    assert!(matches!(refused, Err(SettingsError::NoServer)));
    let refused = Nats::connect(["nats://n1", "http://user:secret@n2"])
        .await
        .unwrap_err();
    assert!(matches!(refused, SettingsError::Url { number: 2, .. }));
    assert!(!format!("{refused:?}").contains("secret"));
    let refused = Nats::connect(["n1"]).name("a.b").await;
    assert!(matches!(refused, Err(SettingsError::Name(_))));
    let refused = Nats::connect(["n1"]).credentials("/missing").await;
    assert!(matches!(refused, Err(SettingsError::File { .. })));
    let refused = Nats::connect(["n1"]).root_certificate("/dev/null").await;
    assert!(matches!(refused, Err(SettingsError::File { .. })));
}
