//! Logins that several processes share: row 20. The file's own tests check that a killed process
//! leaves a complete file.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use plainly::client::oauth::credentials::Credentials;
use plainly::client::oauth::{FileStore, LoggedOut, MemoryStore, OAuth, TokenStore as _};
use plainly_authorization::{Answer, Endpoint, Misbehaviour, Rules};
use tokio::time::Instant;

use super::support::{World, connect, greet};

/// The environment variables for another process: the URL of the server, and the directory of the
/// file.
const SERVER: &str = "OAUTH_SERVER";
const DIRECTORY: &str = "OAUTH_DIRECTORY";

/// The number of simultaneous calls of each client.
const CALLS: usize = 100;

#[tokio::test]
async fn two_clients_with_two_hundred_calls_renew_a_token_once() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    let login = || world.person.login().store(FileStore::new(directory.path()));
    let one = connect(&world.server.url, login()).await.unwrap();
    let other = connect(&world.server.url, login()).await.unwrap();
    for round in 1..=3 {
        world.issuer.expire();
        let calls = (0..CALLS).flat_map(|_| [&one, &other]).map(greet);
        for called in join_all(calls).await {
            called.unwrap();
        }
        assert_eq!(world.issuer.tokens_for("refresh_token").len(), round);
    }
    assert_eq!(world.issuer.reused(), 0);
    assert_eq!(world.person.visits(), 1);
}

#[tokio::test]
async fn two_clients_renew_a_token_once_even_if_the_metadata_are_gone() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    let login = || world.person.login().store(FileStore::new(directory.path()));
    let one = connect(&world.server.url, login()).await.unwrap();
    let other = connect(&world.server.url, login()).await.unwrap();
    let gone = Misbehaviour::Answers(Endpoint::Metadata, Answer::new(500, ""));
    world.server.set(gone);
    for round in 1..=2 {
        world.issuer.expire();
        greet(&one).await.unwrap();
        greet(&other).await.unwrap();
        assert_eq!(world.issuer.tokens_for("refresh_token").len(), round);
    }
    assert_eq!(world.issuer.reused(), 0);
    assert_eq!(world.person.visits(), 1);
}

/// A caller that gives up at any point of a renewal does not lose the new token.
#[tokio::test]
async fn a_call_that_is_given_up_loses_no_token() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    let login = world.person.login().store(FileStore::new(directory.path()));
    let client = connect(&world.server.url, login).await.unwrap();
    for patience in 0..200 {
        greet(&client).await.unwrap();
        world.issuer.expire();
        let mut call = pin!(greet(&client));
        for _ in 0..patience {
            if (&mut call).now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    greet(&client).await.unwrap();
    assert_eq!(world.issuer.reused(), 0);
    assert_eq!(world.person.visits(), 1);
}

/// A token that another flow is renewing is revoked as it is afterwards.
#[tokio::test]
async fn a_logout_revokes_the_tokens_of_a_renewal_that_it_waits_for() {
    let store = MemoryStore::default();
    let world = World::new(Rules::default()).await;
    let url = &world.server.url;
    let oauth = world.person.login().store(store.clone());
    oauth.log_in(url).await.unwrap();
    let name = format!("{} {url}", world.issuer.url);
    let renewing = store.lock(&name).await.unwrap();
    let mut logout = pin!(oauth.log_out(url));
    assert!((&mut logout).now_or_never().is_none());
    let renewed = |kept: &mut Credentials| kept.grants[0].refresh_token = Some("renewed".into());
    store.update(Box::new(renewed)).await.unwrap();
    drop(renewing);
    assert_eq!(logout.await.unwrap(), LoggedOut::Revoked);
    let revoked = world.issuer.record.at("/revoke").remove(0);
    assert_eq!(revoked.parameter("token").unwrap(), "renewed");
}

/// A login in another terminal may take long. Time is simulated.
#[tokio::test(start_paused = true)]
async fn a_token_is_used_as_long_as_it_lasts_if_another_flow_works_on_it() {
    let store = MemoryStore::default();
    let world = World::new(Rules::default()).await;
    let url = &world.server.url;
    let login = || world.person.login().store(store.clone());
    login().log_in(url).await.unwrap();
    let ends_soon = |kept: &mut Credentials| kept.grants[0].renew_at = Some(1);
    store.update(Box::new(ends_soon)).await.unwrap();
    let name = format!("{} {url}", world.issuer.url);
    let _held = store.lock(&name).await.unwrap();
    let client = connect(url, login()).await.unwrap();
    let start = Instant::now();
    greet(&client).await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(1), "it waits again");
}

/// A process that ends with its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(server: &str, directory: &Path) -> Ended {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "oauth::sharing::what_another_process_does",
            "--nocapture",
        ])
        .args(["--include-ignored", "--test-threads=1"])
        .env(SERVER, server)
        .env(DIRECTORY, directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    Ended(command.spawn().unwrap())
}

#[tokio::test]
#[ignore = "it is started by another test"]
async fn what_another_process_does() {
    let Ok(server) = std::env::var(SERVER) else {
        return;
    };
    let store = FileStore::new(std::env::var_os(DIRECTORY).unwrap());
    let client = connect(&server, OAuth::new().store(store)).await.unwrap();
    println!("\nready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    for called in join_all((0..CALLS).map(|_| greet(&client))).await {
        called.unwrap();
    }
}

/// Neither process can ask a user, so a process that uses an old refresh token fails.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_with_two_hundred_calls_renew_a_token_once() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    let login = world.person.login().store(FileStore::new(directory.path()));
    connect(&world.server.url, login).await.unwrap();
    let mut children = [(); 2].map(|()| start(&world.server.url, directory.path()));
    let waited = tokio::task::spawn_blocking(move || {
        for child in &mut children {
            let lines = BufReader::new(child.0.stdout.as_mut().unwrap()).lines();
            lines.map(Result::unwrap).find(|line| line == "ready");
        }
        children
    });
    let mut children = waited.await.unwrap();
    world.issuer.expire();
    for child in &mut children {
        child.0.stdin.take().unwrap().write_all(b"\n").unwrap();
    }
    let ended = tokio::task::spawn_blocking(move || {
        children.map(|mut child| child.0.wait().unwrap().success())
    });
    assert_eq!(ended.await.unwrap(), [true, true]);
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 1);
    assert_eq!(world.issuer.reused(), 0);
    assert_eq!(world.person.visits(), 1);
}
