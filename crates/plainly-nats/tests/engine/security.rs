//! Security of NATS servers: a user with only the documented permissions, and servers that only
//! accept TLS.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt as _;
use plainly_cluster::check::check;
use plainly_cluster::{Bus as _, Engine as _, Heard, Journals as _, Unanswered};
use plainly_nats::Nats;
use serde_json::json;
use tempfile::TempDir;

use crate::processes::{connected, until};
use crate::servers::{Admin, Servers};

/// The page that documents the permissions.
const PAGE: &str = include_str!("../../../../docs/cluster.md");

/// The documented permissions, for the user `plainly` and the cluster `test`.
fn documented() -> String {
    let begin = PAGE.find("authorization {").unwrap();
    let length = PAGE[begin..].find("```").unwrap();
    PAGE[begin..begin + length].replace("docs", "test")
}

async fn replica(servers: &Servers, user: &str, name: &str) -> Nats {
    let url = servers.url(0).replace("//", &format!("//{user}@"));
    let nats = Nats::connect([url]).name(name).await.unwrap();
    connected(&nats).await;
    nats
}

#[tokio::test]
async fn documented_permissions_are_enough_and_no_more() {
    let Some(servers) = Servers::start(1, &documented()) else {
        return;
    };
    let (one, other) = (
        replica(&servers, "plainly:secret", "test").await,
        replica(&servers, "plainly:secret", "test").await,
    );
    until(async || one.append("first", "event".into()).await.ok()).await;
    assert_eq!(check(&one, &other).await, [""; 0]);
    assert_eq!(one.report().await.unwrap().rows.len(), 2);
    // The user can't delete or purge streams, nor use other names.
    let options = async_nats::ConnectOptions::new().custom_inbox_prefix("_INBOX_test");
    let options = options.user_and_password("plainly".to_owned(), "secret".to_owned());
    let options = options.request_timeout(Some(Duration::from_secs(1)));
    let admin = Admin(options.connect(servers.url(0)).await.unwrap());
    for what in ["STREAM.DELETE", "STREAM.PURGE", "STREAM.UPDATE"] {
        let what = format!("{what}.plainly_test_records");
        let reply = admin.try_ask(&what, &json!({})).await;
        assert_eq!(reply, None, "{what}");
    }
    assert_eq!(admin.info("records").await["error"], json!(null));
    let foreign = replica(&servers, "plainly:secret", "foreign").await;
    let refused = foreign.append("journal", "event".into()).await;
    assert!(refused.is_err());
}

#[tokio::test]
async fn servers_are_reached_by_tls_that_they_prove() {
    let folder = TempDir::new().unwrap();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("ca.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let tls = format!(
        "tls {{ cert_file: '{}', key_file: '{}' }}",
        certificate.display(),
        key.display()
    );
    let Some(servers) = Servers::start(1, &tls) else {
        return;
    };
    let url = servers.url(0).replace("nats://", "tls://");
    let trusting = by_tls(&url, &certificate).await;
    let mut heard = Box::pin(trusting.hear());
    let doubting = Nats::connect([&*url]).name("test").await.unwrap();
    trusting.append("journal", "event".into()).await.unwrap();
    assert!(!doubting.is_connected());
    let asked = doubting.ask(trusting.id(), "?".into(), Duration::from_secs(1));
    assert_eq!(asked.await, Err(Unanswered::Unsent));
    let other = by_tls(&url, &certificate).await;
    other.tell("news".into());
    assert!(matches!(heard.next().await, Some(Heard::Event(event)) if event == "news"));
}

async fn by_tls(url: &str, certificate: &Path) -> Nats {
    let nats = Nats::connect([url]).name("test");
    let nats = nats.root_certificate(certificate).await.unwrap();
    connected(&nats).await;
    nats
}
