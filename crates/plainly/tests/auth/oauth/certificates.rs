//! Authorization servers over HTTPS with certificates that only the program trusts, as within a
//! company.

use std::net::SocketAddr;
use std::sync::Arc;

use plainly::client::oauth::{ClientId, IdentityProvider, OAuth, OAuthError, Secret};
use plainly_authorization::{Answer, AuthorizationServer, Endpoint, Misbehaviour, Rules};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::crypto::ring;
use serde_json::json;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::support::assert_why;
use super::support::{World, connect, greet, refused};

/// An HTTPS endpoint in front of a server on this machine.
struct Secured {
    /// The URL of the endpoint.
    url: String,
    /// The certificate, in PEM.
    certificate: String,
}

impl Secured {
    async fn before(server: &AuthorizationServer) -> Self {
        let names = ["127.0.0.1".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        let key = signing_key.serialize_der().try_into().unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key);
        let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let behind: SocketAddr = server.url.strip_prefix("http://").unwrap().parse().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // A client that does not trust the certificate disconnects.
                    let Ok(mut stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    let mut behind = TcpStream::connect(behind).await.unwrap();
                    // Either side may end the connection.
                    let _ = copy_bidirectional(&mut stream, &mut behind).await;
                });
            }
        });
        Self {
            url: format!("https://{address}"),
            certificate: cert.pem(),
        }
    }
}

#[tokio::test]
async fn an_authorization_server_is_trusted_by_a_certificate_of_the_program() {
    let world = World::new(Rules::default()).await;
    let secured = Secured::before(&world.issuer).await;
    let url = &secured.url;
    world.server.set(Misbehaviour::Metadata(
        json!({ "authorization_servers": [url] }),
    ));
    world.issuer.set(Misbehaviour::Metadata(json!({
        "issuer": url, "token_endpoint": format!("{url}/token"),
        "registration_endpoint": format!("{url}/register"),
        "authorization_response_iss_parameter_supported": false,
    })));
    world
        .issuer
        .set(Misbehaviour::Callback("code={code}&state={state}"));
    let error = world.refused().await;
    assert_why!(&error, "a stranger", OAuthError::Unreachable { .. });
    world.assert_no_login("a stranger");

    let login = world.person.login().trust(&secured.certificate);
    let client = connect(&world.server.url, login).await.unwrap();
    greet(&client).await.unwrap();
    assert_eq!(world.person.last().issuer, *url);
}

#[tokio::test]
async fn an_organisation_is_trusted_by_a_certificate_of_the_program() {
    let world = World::new(Rules::default()).await;
    let provider = AuthorizationServer::start(Rules::default()).await;
    let given = json!({
        "access_token": "the-assertion", "token_type": "N_A",
        "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
    });
    let given = Answer::json(200, &given);
    provider.set(Misbehaviour::Answers(Endpoint::Token, given));
    let secured = Secured::before(&provider).await;
    let employed = || {
        let me = ClientId::new("me");
        let provider = IdentityProvider::new(format!("{}/token", secured.url), me);
        let identity = || std::future::ready(std::io::Result::Ok(Secret::new("the-identity")));
        OAuth::enterprise(ClientId::new("batch"), provider, identity)
    };
    let error = refused(&world.server.url, employed()).await;
    assert_why!(&error, "a stranger", OAuthError::Unreachable { .. });
    assert_eq!(provider.record.total(), 0);

    // The client may still be rejected by the MCP server, which does not matter here.
    drop(connect(&world.server.url, employed().trust(&secured.certificate)).await);
    assert_eq!(provider.record.count("/token"), 1);
    assert!(world.issuer.record.has("the-assertion"));
}
