//! Every kind of client at every kind of authorization server, in every revision with
//! authorization.

use futures_util::future::join_all;
use plainly::Client;
use plainly::client::oauth::{ClientId, SigningKey};
use plainly::errors::Revision;
use plainly_authorization::{Binding, KnownClient, Proof, Rules, TokenForm};
use plainly_peer::within;

use super::support::{World, greet};

/// The way in which an authorization server knows a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Registered,
    RegisteredWithSecret,
    Basic,
    Post,
    Public,
    Key,
    Document,
}

const KNOWN: [Known; 7] = [
    Known::Registered,
    Known::RegisteredWithSecret,
    Known::Basic,
    Known::Post,
    Known::Public,
    Known::Key,
    Known::Document,
];

/// A secret with characters that need encoding in a form and in a header.
const SECRET: &str = "s:e c+r%e&t";

impl Known {
    fn rules(self, key: &SigningKey) -> Rules {
        let proof = match self {
            Self::Registered | Self::RegisteredWithSecret | Self::Document => None,
            Self::Basic => Some(Proof::Basic(SECRET.to_owned())),
            Self::Post => Some(Proof::Post(SECRET.to_owned())),
            Self::Public => Some(Proof::Nothing),
            Self::Key => Some(Proof::Key(key.public().clone())),
        };
        let method = match self {
            Self::Basic | Self::RegisteredWithSecret => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::Key => "private_key_jwt",
            Self::Registered | Self::Public | Self::Document => "none",
        };
        Rules {
            methods: vec![method],
            registers: matches!(self, Self::Registered | Self::RegisteredWithSecret),
            reads_client_documents: self == Self::Document,
            clients: proof
                .map(|proof| KnownClient {
                    id: "a client",
                    proof,
                })
                .into_iter()
                .collect(),
            ..Rules::default()
        }
    }

    async fn connect(self, world: &World, key: SigningKey, revision: Revision) -> Client {
        let client = ClientId::new("a client");
        let login = world.person.login();
        let login = match self {
            Self::Registered | Self::RegisteredWithSecret => login,
            Self::Basic | Self::Post => login.client(client.secret(SECRET)),
            Self::Public => login.client(client),
            Self::Key => login.client(client.key(key)),
            Self::Document => login.client_document("https://client.example/metadata.json"),
        };
        let client = Client::http(&world.server.url)
            .revision(revision)
            .authorizer(login);
        within(client.connect()).await.unwrap()
    }
}

/// One combination of all variants.
#[derive(Clone, Copy, Debug)]
struct Way {
    known: Known,
    form: TokenForm,
    binding: Binding,
    rotates: bool,
    revision: Revision,
}

fn ways(known: Known) -> Vec<Way> {
    let mut ways = Vec::new();
    for form in [TokenForm::Opaque, TokenForm::Jwt] {
        for binding in [Binding::Bearer, Binding::Dpop, Binding::DpopWithNonce] {
            for rotates in [true, false] {
                // The first revision has no authorization.
                for revision in Revision::ALL.into_iter().skip(1) {
                    ways.push(Way {
                        known,
                        form,
                        binding,
                        rotates,
                        revision,
                    });
                }
            }
        }
    }
    ways
}

/// Calls a tool, renews the token, and calls the tool again.
async fn go(way: Way) {
    let key = SigningKey::generate().unwrap();
    let rules = Rules {
        form: way.form,
        binding: way.binding,
        rotates: way.rotates,
        ..way.known.rules(&key)
    };
    let world = World::new(rules).await;
    let client = way.known.connect(&world, key, way.revision).await;
    for round in 0..3 {
        greet(&client)
            .await
            .unwrap_or_else(|error| panic!("{way:?}, {round}: {error}"));
        world.issuer.expire();
        if way.binding == Binding::DpopWithNonce {
            world.issuer.change_nonce();
        }
    }
    client.close().await;
    assert_eq!(
        world.issuer.tokens_for("authorization_code").len(),
        tries(way, 1),
        "{way:?}"
    );
    let renewed = world.issuer.tokens_for("refresh_token").len();
    let at_the_end = renewed - tries(way, 2);
    assert!(at_the_end <= tries(way, 1), "{way:?}: {renewed}");
    assert_eq!(
        (world.person.visits(), world.issuer.reused()),
        (1, 0),
        "{way:?}"
    );
    let registered = usize::from(world.issuer.registers());
    assert_eq!(
        world.issuer.record.count("/register"),
        registered,
        "{way:?}"
    );
    assert!(world.requests() <= 50, "{way:?}: {}", world.requests());
}

/// Returns the number of token requests, including those that fetch a nonce.
fn tries(way: Way, count: usize) -> usize {
    match way.binding {
        Binding::Bearer | Binding::Dpop => count,
        Binding::DpopWithNonce => 2 * count,
    }
}

#[tokio::test]
async fn every_client_logs_in_calls_renews_and_calls_again_everywhere() {
    let mut count = 0;
    for known in KNOWN {
        let ways = ways(known);
        count += ways.len();
        join_all(ways.into_iter().map(go)).await;
    }
    assert_eq!(count, 7 * 2 * 3 * 2 * 4);
}
