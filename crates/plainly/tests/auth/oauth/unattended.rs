//! Tokens without a login: the values that each server receives, and the retries after a rejection.

use std::future::ready;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use plainly::client::oauth::{ClientId, IdentityProvider, OAuth, OAuthError, Secret, SigningKey};
use plainly_authorization::{
    Answer, AuthorizationServer, Binding, Endpoint, KnownClient, Misbehaviour, Proof, Rules, Seen,
};
use serde_json::{Value, json};

use super::support::assert_why;
use super::support::{Person, World, connect, greet, refused, why};

const ASSERTION: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

fn rules(binding: Binding) -> Rules {
    Rules {
        registers: false,
        clients: vec![KnownClient {
            id: "batch",
            proof: Proof::Basic("b4tch".to_owned()),
        }],
        methods: vec!["client_secret_basic"],
        binding,
        ..Rules::default()
    }
}

fn batch() -> ClientId {
    ClientId::new("batch").secret("b4tch")
}

/// Returns a source of assertions, and the number of its calls.
fn source(
    text: &'static str,
) -> (
    impl Fn() -> std::future::Ready<io::Result<Secret>> + Send + Sync + 'static,
    Arc<AtomicUsize>,
) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let source = move || {
        count.fetch_add(1, Ordering::Relaxed);
        ready(Ok(Secret::new(text)))
    };
    (source, asked)
}

/// Starts an organisation's authorization server, which issues an assertion to every client.
async fn organisation() -> AuthorizationServer {
    let provider = AuthorizationServer::start(Rules::default()).await;
    let given = json!({
        "access_token": "the-assertion", "token_type": "N_A",
        "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
    });
    let given = Answer::json(200, &given);
    provider.set(Misbehaviour::Answers(Endpoint::Token, given));
    provider
}

/// Returns a client of an organisation, where it has the identity `client`.
fn employed(provider: &AuthorizationServer, client: ClientId) -> OAuth {
    let provider = IdentityProvider::new(format!("{}/token", provider.url), client);
    OAuth::enterprise(batch(), provider, source("the-identity").0)
}

#[tokio::test]
async fn a_server_is_told_how_its_client_comes_by_tokens() {
    let world = World::new(rules(Binding::Bearer)).await;
    let provider = organisation().await;
    let all = [
        "io.modelcontextprotocol/oauth-client-credentials",
        "io.modelcontextprotocol/auth/wif",
        "io.modelcontextprotocol/enterprise-managed-authorization",
        "io.modelcontextprotocol/auth/dpop",
    ];
    let [credentials, workload, enterprise, dpop] = all;
    let login = || Person::default().login().client(batch());
    for (oauth, expected) in [
        (login(), &[][..]),
        (login().dpop(), &[dpop]),
        (OAuth::client_credentials(batch()), &[credentials]),
        (
            OAuth::client_credentials(batch()).dpop(),
            &[credentials, dpop],
        ),
        (OAuth::workload(batch(), source("jwt").0), &[workload]),
        (employed(&provider, ClientId::new("me")), &[enterprise]),
    ] {
        world.server.record.clear();
        // The server may reject the client, but receives its capabilities before.
        drop(connect(&world.server.url, oauth).await);
        let first = world.server.record.at("/mcp").remove(0);
        let told: Value = serde_json::from_str(&first.body).unwrap();
        let told = &told["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        let told = told["extensions"].as_object().cloned().unwrap_or_default();
        let told = told.keys().map(String::as_str);
        let mut told: Vec<_> = told.filter(|it| *it != "dev.plainly/resources").collect();
        told.sort_unstable_by_key(|it| all.iter().position(|known| known == it));
        assert_eq!(told, expected);
    }
}

/// Returns the claims of the assertion that authenticates a client.
fn claims(seen: &Seen) -> Value {
    let assertion = seen.parameter("client_assertion").unwrap();
    let claims = assertion.split('.').nth(1).unwrap();
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).unwrap();
    serde_json::from_slice(&claims).unwrap()
}

/// Each server receives only its part: the organisation receives the user's identity, and the
/// authorization server receives the assertion.
#[tokio::test]
async fn an_organisation_and_an_authorization_server_are_told_their_own_part() {
    for binding in [Binding::Bearer, Binding::Dpop] {
        let world = World::new(rules(binding)).await;
        let provider = organisation().await;
        let client = ClientId::new("me").secret("s3cret");
        let oauth = employed(&provider, client).scope(["a"]);
        let client = connect(&world.server.url, oauth).await.unwrap();
        greet(&client).await.unwrap();

        let asked = provider.record.all();
        let [asked] = &asked[..] else {
            panic!("{asked:?}");
        };
        let parameter = |name| asked.parameter(name);
        assert_eq!(parameter("grant_type").as_deref(), Some(EXCHANGE));
        assert_eq!(parameter("subject_token").as_deref(), Some("the-identity"));
        assert_eq!(parameter("audience").as_ref(), Some(&world.issuer.url));
        assert_eq!(parameter("resource").as_ref(), Some(&world.server.url));
        assert_eq!(parameter("scope").as_deref(), Some("a"));
        // This is `me:s3cret` in Base64.
        let proof = asked.header("authorization");
        assert_eq!(proof, Some("Basic bWU6czNjcmV0"));
        assert_eq!(asked.header("dpop"), None);

        let asked = world.issuer.tokens_for(ASSERTION).remove(0);
        let assertion = asked.parameter("assertion");
        assert_eq!(assertion.as_deref(), Some("the-assertion"));
        // This is `batch:b4tch` in Base64.
        let proof = asked.header("authorization");
        assert_eq!(proof, Some("Basic YmF0Y2g6YjR0Y2g="));
        assert_eq!(asked.header("dpop").is_some(), binding == Binding::Dpop);
        assert!(!world.issuer.record.has("the-identity"));
        assert!(!world.issuer.record.has("s3cret"));
    }
}

/// The audience of a signature for an organisation is its configured issuer, or else its endpoint.
#[tokio::test]
async fn a_key_proves_who_a_client_is_to_its_organisation_alone() {
    let world = World::new(rules(Binding::Bearer)).await;
    for is_named in [true, false] {
        let provider = organisation().await;
        let client = ClientId::new("me").key(SigningKey::generate().unwrap());
        let (client, audience) = match is_named {
            true => (client.issuer(&*provider.url), provider.url.clone()),
            false => (client, format!("{}/token", provider.url)),
        };
        connect(&world.server.url, employed(&provider, client))
            .await
            .unwrap();
        let asked = provider.record.at("/token").remove(0);
        let claims = claims(&asked);
        assert_eq!(claims["aud"], audience);
        assert_eq!(
            (&claims["iss"], &claims["sub"]),
            (&json!("me"), &json!("me"))
        );
        assert_eq!(asked.header("authorization"), None);
    }
}

#[tokio::test]
async fn an_error_names_who_has_refused() {
    let world = World::new(rules(Binding::Bearer)).await;
    let no = || Misbehaviour::AnswersOnce(Endpoint::Token, Answer::refusal(400, "invalid_grant"));
    let provider = organisation().await;
    provider.set(no());
    let client = ClientId::new("me").issuer(&*provider.url);
    let error = refused(&world.server.url, employed(&provider, client)).await;
    assert_why!(&error, "organisation", OAuthError::TokenRefused { issuer, grant, .. }
        if *issuer == provider.url && grant == EXCHANGE);
    assert_eq!(world.issuer.record.count("/token"), 0);

    world.issuer.set(no());
    let (platform, _) = source("jwt");
    let error = refused(&world.server.url, OAuth::workload(batch(), platform)).await;
    assert_why!(&error, "issuer", OAuthError::TokenRefused { issuer, grant, .. }
        if *issuer == world.issuer.url && grant == ASSERTION);

    let gone = || ready(Err::<Secret, _>(io::Error::other("the file is gone")));
    let error = refused(&world.server.url, OAuth::workload(batch(), gone)).await;
    assert_why!(&error, "platform", OAuthError::Assertion { source, .. }
        if source.to_string() == "the file is gone");
}

/// An assertion expires sooner than a token, and may be accepted only once.
#[tokio::test]
async fn an_assertion_is_asked_for_anew_for_each_token() {
    let world = World::new(rules(Binding::Bearer)).await;
    let (platform, asked) = source("jwt");
    let oauth = OAuth::workload(batch(), platform);
    let client = connect(&world.server.url, oauth).await.unwrap();
    for count in 1..=3 {
        greet(&client).await.unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), count);
        assert_eq!(world.issuer.tokens_for(ASSERTION).len(), count);
        world.issuer.expire();
    }
}

#[tokio::test]
async fn a_login_gets_a_token_even_if_there_is_one() {
    let world = World::new(rules(Binding::Bearer)).await;
    let oauth = OAuth::client_credentials(batch());
    for count in 1..=2 {
        oauth.log_in(&world.server.url).await.unwrap();
        assert_eq!(world.issuer.record.count("/token"), count);
    }
}

/// Row 21, without a user.
#[tokio::test]
async fn a_refusal_without_an_end_costs_a_token_or_two() {
    let refuses = || Misbehaviour::Refuses(401, vec!["Bearer error=\"invalid_token\"".to_owned()]);
    let credentials = || OAuth::client_credentials(batch());
    let world = World::new(rules(Binding::Bearer)).await;
    world.server.set(refuses());
    let error = refused(&world.server.url, credentials()).await;
    assert_why!(&error, "at once", OAuthError::StillUnauthorized { .. });
    assert_eq!(world.issuer.record.count("/token"), 1);

    let world = World::new(rules(Binding::Bearer)).await;
    let client = connect(&world.server.url, credentials()).await.unwrap();
    world.server.set(refuses());
    for _ in 0..3 {
        let error = why(&greet(&client).await.unwrap_err());
        assert_why!(&error, "later", OAuthError::StillUnauthorized { .. });
    }
    assert_eq!(world.issuer.record.count("/token"), 2);

    let world = World::new(rules(Binding::Bearer)).await;
    let client = connect(&world.server.url, credentials()).await.unwrap();
    world.server.set(Misbehaviour::WantsMoreForEver);
    for _ in 0..3 {
        let error = why(&greet(&client).await.unwrap_err());
        assert_why!(&error, "more", OAuthError::ScopeRefused { .. });
    }
    assert_eq!(world.issuer.record.count("/token"), 2);

    let world = World::new(rules(Binding::Bearer)).await;
    let client = connect(&world.server.url, credentials()).await.unwrap();
    let challenge = "Bearer error=\"insufficient_scope\"".to_owned();
    let names = json!({ "scopes_supported": ["a"] });
    world.server.set(Misbehaviour::Metadata(names));
    world
        .server
        .set(Misbehaviour::Refuses(403, vec![challenge]));
    for _ in 0..3 {
        let error = why(&greet(&client).await.unwrap_err());
        assert_why!(&error, "unnamed", OAuthError::ScopeRefused { wanted, .. } if wanted == &["a"]);
    }
    assert_eq!(world.issuer.record.count("/token"), 2);
}

#[tokio::test]
async fn a_token_for_more_is_good_for_what_the_one_before_was() {
    let world = World::new(rules(Binding::Bearer)).await;
    world.server.need(&["a"]);
    let oauth = OAuth::client_credentials(batch());
    let client = connect(&world.server.url, oauth).await.unwrap();
    // The challenge names only the missing scope.
    world.server.need(&[]);
    world.server.need_to_call("b");
    greet(&client).await.unwrap();
    let asked = world.issuer.record.at("/token");
    let scopes: Vec<_> = asked.iter().map(|it| it.parameter("scope")).collect();
    let expected = [None, Some("a"), Some("a b")].map(|it| it.map(str::to_owned));
    assert_eq!(scopes, expected);
}
