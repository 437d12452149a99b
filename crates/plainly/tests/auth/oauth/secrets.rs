//! The places of secrets, with row 30: the file that stores them, and the requests that need them.

use std::fs;
use std::future::ready;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use plainly::Client;
use plainly::client::oauth::{ClientId, FileStore, IdentityProvider, OAuth, Secret, SigningKey};
use plainly::client::{Error, Traffic};
use plainly_authorization::{Answer, Binding, Endpoint, KnownClient, Misbehaviour, Proof, Rules};
use plainly_peer::within;
use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;

use super::support::{World, greet};

/// The prefix of all secrets in these tests.
const MARKER: &str = "planted";
const SECRET: &str = "planted-client-secret";

/// All output of the client. Clones share their text.
#[derive(Clone, Debug, Default)]
struct Said(Arc<Mutex<String>>);

impl Said {
    fn add(&self, text: &str) {
        let mut all = self.0.lock().unwrap();
        all.push_str(text);
        all.push('\n');
    }

    fn all(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    fn error(&self, error: &Error) {
        self.add(&format!("{error} {error:?} {error:#?}"));
        let mut cause: &dyn std::error::Error = error;
        while let Some(next) = cause.source() {
            cause = next;
            self.add(&format!("{cause} {cause:?}"));
        }
        if let Some(why) = error.authorization() {
            self.add(&format!("{why} {why:?} {:?}", why.advice()));
        }
    }
}

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Said {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Records all log lines of this thread.
fn listen(said: &Said) -> tracing::subscriber::DefaultGuard {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(said.clone())
        .finish();
    tracing::subscriber::set_default(subscriber)
}

/// Connects, and records the client's messages and errors.
async fn connect(url: &str, oauth: OAuth, said: &Said) -> Result<Client, Error> {
    said.add(&format!("{oauth:?} {oauth:#?}"));
    let tap = said.clone();
    let see = move |traffic: Traffic<'_>| {
        if let Traffic::Sent(json) | Traffic::Received(json) = traffic {
            tap.add(&String::from_utf8_lossy(json));
        }
        tap.add(&format!("{traffic:?}"));
    };
    let connecting = Client::http(url)
        .authorizer(oauth)
        .on_traffic(see)
        .connect();
    let connected = within(connecting).await;
    match &connected {
        Ok(client) => said.add(&format!("{client:?}")),
        Err(error) => said.error(error),
    }
    connected
}

fn rules(binding: Binding) -> Rules {
    Rules {
        binding,
        marker: MARKER,
        methods: vec!["client_secret_basic"],
        clients: vec![KnownClient {
            id: "batch-client",
            proof: Proof::Basic(SECRET.to_owned()),
        }],
        ..Rules::default()
    }
}

/// Returns the files below a directory, with their texts.
fn files(directory: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path.to_str().unwrap().to_owned(), text));
        }
    }
    files
}

/// Returns the secrets in the store, and checks that no other file contains any.
fn kept(directory: &Path) -> Vec<String> {
    let mut secrets = Vec::new();
    for (name, text) in files(directory) {
        assert!(!name.contains(MARKER), "{name}");
        if !name.ends_with("credentials.json") {
            assert!(!text.contains(MARKER), "{name}: {text}");
            continue;
        }
        let document: Value = serde_json::from_str(&text).unwrap();
        collect(&document, &mut secrets);
    }
    let is_there = secrets.iter().any(|it| it.contains("planted-refresh"));
    assert!(is_there, "{secrets:?}");
    secrets
}

/// Collects the values of secret members.
fn collect(value: &Value, secrets: &mut Vec<String>) {
    let secret = ["client_secret", "access_token", "refresh_token", "dpop_key"];
    for (name, value) in value.as_object().into_iter().flatten() {
        match value.as_str().filter(|_| secret.contains(&&**name)) {
            Some(secret) => secrets.push(secret.to_owned()),
            None => collect(value, secrets),
        }
    }
    for item in value.as_array().into_iter().flatten() {
        collect(item, secrets);
    }
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// Runs a login from its start to its end, and returns its secrets.
async fn live(binding: Binding, said: &Said) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(rules(binding)).await;
    let login = || world.person.login().store(FileStore::new(directory.path()));
    let client = connect(&world.server.url, login(), said).await.unwrap();
    greet(&client).await.unwrap();
    world.server.need_to_call("more");
    greet(&client).await.unwrap();
    world.issuer.expire();
    greet(&client).await.unwrap();
    let mut secrets = kept(directory.path());
    for answer in [
        Answer::refusal(400, "invalid_request"),
        Answer::new(500, "planted-in-an-answer"),
        Answer::json(
            200,
            &json!({ "access_token": "planted-x", "token_type": "mac" }),
        ),
        Answer::json(
            200,
            &json!({ "access_token": "planted x", "token_type": "Bearer" }),
        ),
        Answer::new(200, "access_token=planted-y"),
        Answer::redirect(307, "http://127.0.0.1:1/?planted-z"),
    ] {
        world.issuer.behave();
        world
            .issuer
            .set(Misbehaviour::Answers(Endpoint::Token, answer));
        world.issuer.expire();
        said.error(&greet(&client).await.unwrap_err());
    }
    world.issuer.behave();
    world.issuer.revoke();
    greet(&client).await.unwrap();
    let challenge = "Bearer error=\"invalid_token\"".to_owned();
    world
        .server
        .set(Misbehaviour::Refuses(401, vec![challenge]));
    said.error(&greet(&client).await.unwrap_err());
    secrets.extend(kept(directory.path()));
    let login = login();
    login.log_out(&world.server.url).await.unwrap();
    said.add(&format!("{login:?}"));
    client.close().await;
    for sent in world.issuer.record.at("/token") {
        secrets.extend(sent.parameter("code_verifier"));
        secrets.extend(sent.parameter("code"));
        secrets.extend(sent.header("authorization").map(str::to_owned));
        secrets.extend(sent.header("dpop").map(str::to_owned));
    }
    for sent in world.server.record.all() {
        secrets.extend(sent.header("dpop").map(str::to_owned));
    }
    secrets
}

/// Runs the grants that need no login, and returns their secrets.
async fn live_unattended(said: &Said) -> Vec<String> {
    let world = World::new(rules(Binding::Bearer)).await;
    let key = SigningKey::generate().unwrap();
    let secret = key.to_secret().expose().to_owned();
    said.add(&format!("{key:?}"));
    let client = || ClientId::new("batch-client").secret(SECRET);
    let planted = |text: &'static str| move || ready(Ok::<_, io::Error>(Secret::new(text)));
    let failing = || ready(Err::<Secret, _>(io::Error::other("the file is gone")));
    let at = format!("{}/token", world.issuer.url);
    let provider = || IdentityProvider::new(&*at, client());
    said.add(&format!("{:?} {:?}", client(), provider()));
    for (oauth, is_let_in) in [
        (OAuth::client_credentials(client()), true),
        (OAuth::client_credentials(client().key(key)), false),
        (
            OAuth::workload(client(), planted("planted-assertion")),
            true,
        ),
        (OAuth::workload(client(), failing), false),
        (
            OAuth::enterprise(client(), provider(), planted("planted-id-token")),
            false,
        ),
    ] {
        let connected = connect(&world.server.url, oauth, said).await;
        assert_eq!(connected.is_ok(), is_let_in, "{connected:?}");
    }
    assert!(world.issuer.record.has("planted-assertion"));
    assert!(world.issuer.record.has("planted-id-token"));
    vec![secret]
}

/// Row 30, and every other way in which a secret could leak.
#[tokio::test]
async fn a_secret_is_nowhere_but_where_it_is_kept_and_where_it_is_needed() {
    let said = Said::default();
    let listening = listen(&said);
    let mut secrets = vec![MARKER.to_owned(), base64(&format!("batch-client:{SECRET}"))];
    for binding in [Binding::Bearer, Binding::DpopWithNonce] {
        secrets.extend(live(binding, &said).await);
    }
    secrets.extend(live_unattended(&said).await);
    drop(listening);
    let said = said.all();
    assert!(said.contains("Sensitive"), "no header was seen");
    assert!(said.contains("tools/call"), "no message was seen");
    assert!(secrets.len() > 20, "{}", secrets.len());
    for secret in secrets {
        if let Some(at) = said.find(&secret) {
            let from = said.floor_char_boundary(at.saturating_sub(300));
            panic!("{secret} in {}", &said[from..at + secret.len()]);
        }
    }
}

/// A server that receives a secret may repeat it in texts for users.
#[tokio::test]
async fn what_an_authorization_server_repeats_is_not_told() {
    let said = Said::default();
    let repeat = Misbehaviour::Repeats;
    let mut requests = Vec::new();
    for binding in [Binding::Bearer, Binding::DpopWithNonce] {
        let directory = tempfile::tempdir().unwrap();
        let world = World::new(rules(binding)).await;
        let login = || world.person.login().store(FileStore::new(directory.path()));
        world.issuer.set(repeat(Endpoint::Token));
        connect(&world.server.url, login(), &said)
            .await
            .unwrap_err();
        world.issuer.behave();
        let client = connect(&world.server.url, login(), &said).await.unwrap();
        world.issuer.set(repeat(Endpoint::Token));
        world.issuer.set(repeat(Endpoint::Revocation));
        world.issuer.expire();
        said.error(&greet(&client).await.unwrap_err());
        let error = login().log_out(&world.server.url).await.unwrap_err();
        said.add(&format!("{error} {error:?}"));
        let batch = || ClientId::new("batch-client");
        let assertion = || ready(Ok::<_, io::Error>(Secret::new("planted-assertion")));
        let key = SigningKey::generate().unwrap();
        for oauth in [
            OAuth::client_credentials(batch().secret(SECRET)),
            OAuth::client_credentials(batch().key(key)),
            OAuth::workload(batch(), assertion),
        ] {
            connect(&world.server.url, oauth, &said).await.unwrap_err();
        }
        requests.extend(world.issuer.record.at("/token"));
        requests.extend(world.issuer.record.at("/revoke"));
    }
    let mut secrets = vec![MARKER.to_owned(), base64(&format!("batch-client:{SECRET}"))];
    for sent in requests {
        let names = ["code_verifier", "code", "client_assertion", "token"];
        secrets.extend(names.iter().filter_map(|name| sent.parameter(name)));
        secrets.extend(sent.header("dpop").map(str::to_owned));
    }
    let said = said.all();
    assert!(said.contains("***"), "nothing was repeated");
    for secret in secrets {
        assert!(!said.contains(&secret), "{secret} in {said}");
    }
}

/// Row 30.
#[tokio::test]
async fn what_is_secret_in_a_url_is_not_told_and_not_kept() {
    let said = Said::default();
    let listening = listen(&said);
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(rules(Binding::Bearer)).await;
    let url = world
        .server
        .url
        .replace("http://", "http://user:planted-password@");
    let url = format!("{url}?token=planted-query");
    let login = || world.person.login().store(FileStore::new(directory.path()));
    let connected = connect(&url, login(), &said).await;
    if let Ok(client) = connected {
        greet(&client).await.unwrap();
        client.close().await;
    }
    for switch in [
        Misbehaviour::Refuses(401, vec!["Bearer".to_owned()]),
        Misbehaviour::Metadata(json!({ "resource": "https://as.example" })),
        Misbehaviour::Answers(Endpoint::Metadata, Answer::new(500, "")),
        Misbehaviour::Answers(Endpoint::Metadata, Answer::new(404, "")),
    ] {
        world.server.behave();
        world.server.set(switch);
        drop(connect(&url, OAuth::new(), &said).await);
    }
    drop(listening);
    let said = said.all();
    for secret in ["planted-password", "planted-query"] {
        assert!(!said.contains(secret), "{secret}: {said}");
        assert!(!world.issuer.record.has(secret), "{secret}");
    }
    for (name, text) in files(directory.path()) {
        assert!(!text.contains("planted-password"), "{name}: {text}");
        assert!(!text.contains("planted-query"), "{name}: {text}");
    }
}
