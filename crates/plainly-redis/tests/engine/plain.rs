//! Normal operation, over one server and over one with a copy.

use std::time::Duration;

use plainly_cluster::check::check;
use plainly_cluster::{Bus as _, Engine as _, Records as _};
use plainly_redis::{Redis, WrongSetting};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::processes::connected;
use crate::servers::Servers;

async fn works(servers: &Servers, copies: &str) {
    let (one, other) = (servers.replica().await, servers.replica().await);
    assert_eq!(check(&one, &other).await, [""; 0]);
    let report = one.report().await.map(|report| report.rows);
    assert!(
        report.as_ref().is_ok_and(|rows| rows[0][1] == copies),
        "{report:?}"
    );
}

#[tokio::test]
async fn one_server_is_an_engine() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    works(&servers, "0").await;
}

#[tokio::test]
async fn a_server_with_a_copy_is_an_engine() {
    let Some(servers) = Servers::with_copies(1).await else {
        return;
    };
    works(&servers, "1").await;
}

/// The permissions are the documented ones in docs/cluster.md.
#[tokio::test]
async fn a_user_with_few_permissions_is_enough() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let page = include_str!("../../../../docs/cluster.md");
    let line = page
        .lines()
        .find_map(|line| line.strip_prefix("ACL SETUSER "));
    let line = line.unwrap().replace("docs", "test");
    let _done: () = servers.ask(0, &format!("ACL SETUSER {line}"));
    let url = servers.url(0).replace("//", "//plainly:SECRET@");
    let [one, other] = [&url, &url].map(|url| Redis::connect([url]).name("test"));
    let (one, other) = (one.await.unwrap(), other.await.unwrap());
    connected(&one).await;
    connected(&other).await;
    assert_eq!(check(&one, &other).await, [""; 0]);
    // This user may not access another cluster.
    let foreign = Redis::connect([url]).name("foreign").await.unwrap();
    let refused = foreign.get("key").await;
    assert!(format!("{refused:?}").contains("NOPERM"), "{refused:?}");
}

/// The stream of a replica may own the last clone of its connection.
#[tokio::test]
async fn a_connection_ends_with_what_it_hears() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let redis = servers.replica().await;
    let heard = redis.hear();
    drop(redis);
    let (ends, ended) = oneshot::channel();
    std::thread::spawn(move || {
        drop(heard);
        ends.send(())
    });
    assert!(timeout(Duration::from_secs(10), ended).await.is_ok());
}

#[tokio::test]
async fn a_certificate_must_be_trusted() {
    let Some((servers, certificate)) = Servers::with_tls() else {
        return;
    };
    let url = format!("rediss://localhost:{}", servers.ports[0]);
    let trusting = Redis::connect([&url]).root_certificate(certificate);
    connected(&trusting.await.unwrap()).await;
    let refused = Redis::connect([url]).await.unwrap().get("key").await;
    assert!(
        format!("{refused:?}").contains("not trusted"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn settings_are_checked() {
    let none: [&str; 0] = [];
    let refused = Redis::connect(none).await.unwrap_err();
    assert_eq!(refused.wrong(), [WrongSetting::NoServer]);
    // All invalid settings are reported at once.
    let urls = ["redis://r1", "http://user:secret@r2", "redis://"];
    let refused = Redis::connect(urls)
        .name("a.b")
        .root_certificate("/dev/null");
    let refused = refused.await.unwrap_err();
    assert_eq!(refused.wrong().len(), 4, "{refused}");
    assert!(!format!("{refused:?}").contains("secret"));
}
