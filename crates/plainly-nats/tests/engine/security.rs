//! Security of NATS servers: a user with only the documented permissions, servers that only accept
//! TLS, and users with credentials that an operator's account has signed.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use nkeys::KeyPair;
use plainly_cluster::check::check;
use plainly_cluster::{Bus as _, Engine as _, Heard, Journals as _, Records as _, Unanswered};
use plainly_nats::Nats;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::processes::{connected, put, until};
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

/// The time at which all tokens are issued, in seconds since 1970. Servers accept no other token of
/// their operator later.
const ISSUED: u64 = 1;

/// A token about this key, signed by its issuer.
fn token(issuer: &KeyPair, key: &KeyPair, content: &Value) -> String {
    let (issued_by, key) = (issuer.public_key(), key.public_key());
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let claims = json!({
        "jti": key, "iat": ISSUED, "iss": issued_by, "sub": key, "name": key, "nats": content,
    });
    let encode = |part: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(part);
    let signed = [header, claims].map(|part| encode(part.to_string().as_bytes()));
    let signed = signed.join(".");
    let signature = issuer.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", encode(&signature))
}

/// The keys of an operator and its accounts.
struct Operator {
    own: KeyPair,
    system: KeyPair,
    /// The account with JetStream.
    account: KeyPair,
    /// An account without JetStream.
    poor: KeyPair,
}

impl Operator {
    fn new() -> Self {
        Self {
            own: KeyPair::new_operator(),
            system: KeyPair::new_account(),
            account: KeyPair::new_account(),
            poor: KeyPair::new_account(),
        }
    }

    /// The configuration of servers, in which the account has revoked these users.
    fn config(&self, revoked: &[&KeyPair]) -> String {
        let operator = json!({ "type": "operator", "version": 2 });
        let revoked = revoked
            .iter()
            .map(|user| (user.public_key(), json!(ISSUED)));
        let revoked = Value::Object(revoked.collect());
        let accounts = [
            (&self.system, 0, json!({})),
            (&self.account, -1, revoked),
            (&self.poor, 0, json!({})),
        ];
        let accounts = accounts.map(|(account, storage, revoked)| {
            let limits = json!({
                "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
                "wildcards": true, "conn": -1, "leaf": -1,
                "mem_storage": storage, "disk_storage": storage, "streams": storage, "consumer": storage,
            });
            let content =
                json!({ "type": "account", "version": 2, "limits": limits, "revocations": revoked });
            let token = token(&self.own, account, &content);
            format!("{}: {token}", account.public_key())
        });
        format!(
            "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload {{\n{}\n}}",
            token(&self.own, &self.own, &operator),
            self.system.public_key(),
            accounts.join("\n"),
        )
    }
}

/// The quoted subjects of a documented list of permissions.
fn subjects(list: &str) -> Value {
    let text = documented();
    let begin = text.find(&format!("{list}: [")).unwrap();
    let quoted = text[begin..].split(']').next().unwrap().split('"');
    quoted.skip(1).step_by(2).collect()
}

/// Writes the credentials of a user of this account, with the documented permissions.
fn write_credentials(file: &Path, account: &KeyPair, user: &KeyPair) {
    let permissions = |list| json!({ "allow": subjects(list) });
    let content = json!({
        "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
        "pub": permissions("publish"), "sub": permissions("subscribe"),
    });
    let text = format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        token(account, user, &content),
        user.seed().unwrap(),
    );
    std::fs::write(file, text).unwrap();
}

#[tokio::test]
async fn users_are_those_whose_account_has_signed_their_credentials() {
    let (operator, folder) = (Operator::new(), TempDir::new().unwrap());
    let Some(mut servers) = Servers::start(1, &operator.config(&[])) else {
        return;
    };
    let url = servers.url(0);
    let replica = async |account: &KeyPair, user: &KeyPair| {
        let file = folder.path().join(user.public_key());
        write_credentials(&file, account, user);
        Nats::connect([&url])
            .name("test")
            .credentials(file)
            .await
            .unwrap()
    };
    let (user, revoked) = (KeyPair::new_user(), KeyPair::new_user());
    let one = replica(&operator.account, &user).await;
    let other = replica(&operator.account, &user).await;
    let former = replica(&operator.account, &revoked).await;
    for nats in [&one, &other, &former] {
        connected(nats).await;
    }
    until(async || one.append("first", "event".into()).await.ok()).await;
    assert_eq!(check(&one, &other).await, [""; 0]);
    assert!(former.get("key").await.is_ok());
    servers.configure(&operator.config(&[&revoked]));
    servers.signal(0, Signal::HUP);
    until(async || (!former.is_connected()).then_some(())).await;
    // The account of the third is unknown to the servers.
    let later = replica(&operator.account, &revoked).await;
    let foreign = replica(&KeyPair::new_account(), &KeyPair::new_user()).await;
    let refused = [&former, &later, &foreign].map(async |nats| {
        let refused = put(nats, "key").await.unwrap_err();
        assert!(!nats.is_connected());
        let why = "NATS rejects the user: check the credentials";
        assert!(format!("{refused:?}").contains(why), "{refused:?}");
    });
    join_all(refused).await;
    let poor = replica(&operator.poor, &KeyPair::new_user()).await;
    connected(&poor).await;
    let refused = put(&poor, "key").await.unwrap_err();
    assert!(
        format!("{refused:?}").contains("JetStream not enabled"),
        "{refused:?}"
    );
    assert!(one.is_connected());
    assert!(put(&one, "key").await.unwrap().is_some());
}
