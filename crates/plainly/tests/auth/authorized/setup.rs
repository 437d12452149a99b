//! The configuration that a server requires before it accepts requests.

use plainly::server::auth::{AuthSetupError, Introspection, ResourceServer};
use plainly_oauth::Secret;
use serde_json::json;

use super::issuer::{Answer, Issuer};
use super::support::{Guarded, RESOURCE};

const ISSUER: &str = "https://as.example";

/// URLs of a server or an issuer, and the error for each invalid one.
const URLS: &[(&str, Option<&str>)] = &[
    ("https://a.example/mcp", None),
    ("https://a.example:8443", None),
    ("http://127.0.0.1:1/mcp", None),
    ("http://[::1]/mcp", None),
    ("http://localhost/mcp", None),
    ("", Some("expected a URL such as https:")),
    ("a.example", Some("expected a URL such as https:")),
    ("urn:mcp", Some("expected a URL such as https:")),
    (
        "https://a.example/a b",
        Some("expected a URL such as https:"),
    ),
    (
        "https://a.example/\"",
        Some("expected a URL such as https:"),
    ),
    (
        "https://a.example\\mcp",
        Some("expected a URL such as https:"),
    ),
    ("https://ä.example", Some("expected a URL such as https:")),
    ("ftp://a.example", Some("expected an https URL")),
    ("http://a.example/mcp", Some("plain HTTP")),
    ("http://10.0.0.1/mcp", Some("plain HTTP")),
    ("http://localhost.example", Some("plain HTTP")),
    (
        "https://user@a.example",
        Some("it contains a user name or a password"),
    ),
    (
        "https://:pw@a.example",
        Some("it contains a user name or a password"),
    ),
];

#[test]
fn servers_and_issuers_are_at_urls_that_mean_one_place() {
    for (url, expected) in URLS {
        let server = ResourceServer::new(*url).issuer(ISSUER).build();
        let why = match server {
            Ok(_) => None,
            Err(AuthSetupError::PublicUrl { why, .. }) => Some(why),
            Err(other) => panic!("{url}: {other:?}"),
        };
        let is_expected = |why: Option<&str>| match (why, expected) {
            (Some(why), Some(expected)) => why.starts_with(expected),
            (why, expected) => why.is_none() && expected.is_none(),
        };
        assert!(is_expected(why), "{url}: {why:?}");

        let asked = Introspection::new(*url, "me", Secret::new("s"));
        for server in [
            ResourceServer::new(RESOURCE).issuer(*url).build(),
            ResourceServer::new(RESOURCE).introspect(asked).build(),
        ] {
            let why = match server {
                Ok(_) => None,
                Err(AuthSetupError::Issuer { why, .. }) => Some(why),
                Err(other) => panic!("{url}: {other:?}"),
            };
            assert!(is_expected(why), "{url}: {why:?}");
        }
    }
    let server = ResourceServer::new(RESOURCE).issuer("login.example.com");
    let expected =
        r#"invalid issuer "login.example.com": expected a URL such as https://login.example.com"#;
    assert_eq!(server.build().unwrap_err().to_string(), expected);
    for url in ["https://a.example/mcp?x=1", "https://a.example/mcp#x"] {
        let server = ResourceServer::new(url).issuer(ISSUER).build();
        let refused = server.unwrap_err().to_string();
        assert!(refused.contains("a query or a fragment"), "{refused}");
    }
}

#[test]
fn scopes_are_words() {
    for (scope, is_one) in [
        ("files:read", true),
        ("a b", false),
        ("", false),
        ("\"", false),
        ("ü", false),
    ] {
        let builder = || ResourceServer::new(RESOURCE).issuer(ISSUER);
        for built in [
            builder().require([scope]).build(),
            builder().tool("delete", [scope]).build(),
        ] {
            let is_good = match built {
                Ok(_) => true,
                Err(AuthSetupError::Scope(found)) => found != scope,
                Err(other) => panic!("{scope}: {other:?}"),
            };
            assert_eq!(is_good, is_one, "{scope}");
        }
    }
    let nobody = ResourceServer::new(RESOURCE).build();
    assert!(matches!(nobody, Err(AuthSetupError::NoVerifier)));
}

#[tokio::test]
async fn whether_issuers_can_be_asked_is_known_at_the_start() {
    let issuer = Issuer::start().await;
    let asked = || Introspection::new(&issuer.url, "me", Secret::new("s"));
    let jwt = || ResourceServer::new(RESOURCE).issuer(&issuer.url).build();
    let opaque = || ResourceServer::new(RESOURCE).introspect(asked()).build();
    for server in [jwt(), opaque()] {
        server.unwrap().ready().await.unwrap();
    }
    issuer.behaviour.answer_metadata(Answer::new(500, ""));
    for server in [jwt(), opaque()] {
        let unready = server.unwrap().ready().await.unwrap_err();
        assert!(matches!(unready, AuthSetupError::Unready(_)), "{unready}");
    }
}

#[tokio::test]
async fn an_issuer_is_named_once_however_its_tokens_are_judged() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::with(|auth| {
        let asked = Introspection::new(&issuer.url, "me", Secret::new("s"));
        auth.introspect(asked).issuer(&issuer.url)
    })
    .await;
    let metadata = "GET /.well-known/oauth-protected-resource/mcp";
    let mut response = guarded.site.bare(metadata, "", "").await;
    let named = response.json().await["authorization_servers"].clone();
    assert_eq!(named, json!([issuer.url]));

    let guarded = Guarded::with(|auth| {
        auth.introspect(Introspection::new(&issuer.url, "me", Secret::new("s")))
    })
    .await;
    let mut response = guarded.site.bare(metadata, "", "").await;
    let named = response.json().await["authorization_servers"].clone();
    assert_eq!(named, json!([issuer.url]));
}
