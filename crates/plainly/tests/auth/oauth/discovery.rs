//! The authorization server that a server names: rows 3, 5, 7, 8, 9, 17, 22, 23, 24 and 26.
//!
//! The tests of the fence check targets outside of this machine: row 4, and the rest of rows 3, 5
//! and 7.

use plainly::Client;
use plainly::client::oauth::OAuthError;
use plainly_authorization::{
    Answer, AnswerBody, AuthorizationServer, Endpoint, Misbehaviour, ProtectedServer, Rules,
};
use plainly_peer::within;
use serde_json::{Value, json};

use super::support::assert_why;
use super::support::{World, connect, greet, refused};

fn refuses(challenge: &str) -> Misbehaviour {
    Misbehaviour::Refuses(401, vec![challenge.to_owned()])
}

fn metadata(answer: Answer) -> Misbehaviour {
    Misbehaviour::Answers(Endpoint::Metadata, answer)
}

/// Row 3, for a server on this machine: only loopback addresses are requested.
#[tokio::test]
async fn metadata_of_a_cloud_or_a_neighbour_are_never_fetched() {
    for url in [
        "http://169.254.169.254/latest/meta-data/",
        "https://169.254.169.254/",
        "http://[fd00:ec2::254]/",
        "http://10.0.0.1/",
        "http://192.168.0.1/",
        "http://[fec0::1]/",
        "http://8.8.8.8/",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
    ] {
        let challenge = format!("Bearer resource_metadata=\"{url}\"");
        let world = World::behind(refuses(&challenge)).await;
        assert_why!(world.refused().await, url, OAuthError::Fenced { .. });
        world.assert_no_login(url);
        assert_eq!(world.requests(), 1, "{url}");

        let members = json!({ "authorization_servers": [url] });
        let world = World::behind(Misbehaviour::Metadata(members)).await;
        let error = world.refused().await;
        // A URL without a host names no authorization server, so no request is sent.
        let is_it = matches!(
            error,
            OAuthError::Fenced { .. } | OAuthError::NoAuthorizationServer { .. }
        );
        assert!(is_it, "{url}: {error:?}");
        world.assert_no_login(url);

        let members = json!({ "token_endpoint": url, "registration_endpoint": url });
        let world = World::hostile(Misbehaviour::Metadata(members)).await;
        let error = world.refused().await;
        assert_why!(
            &error,
            url,
            OAuthError::Fenced { .. } | OAuthError::Metadata { .. }
        );
        world.assert_no_login(url);
    }
}

/// Row 5.
#[tokio::test]
async fn metadata_are_followed_neither_in_circles_nor_further_inside() {
    for (to, most) in [
        ("http://169.254.169.254/", 1),
        ("http://10.0.0.1/", 1),
        ("http://8.8.8.8/", 1),
        ("file:///etc/passwd", 1),
        ("/.well-known/oauth-authorization-server", 4),
    ] {
        let world = World::hostile(metadata(Answer::redirect(302, to))).await;
        let error = world.refused().await;
        assert_why!(
            &error,
            to,
            OAuthError::Fenced { .. } | OAuthError::Metadata { .. }
        );
        assert!(world.issuer.record.total() <= most, "{to}");
        world.assert_no_login(to);

        let to = to.replace("authorization-server", "protected-resource/mcp");
        let world = World::behind(metadata(Answer::redirect(307, &to))).await;
        let error = world.refused().await;
        assert_why!(
            &error,
            to,
            OAuthError::Fenced { .. } | OAuthError::Metadata { .. }
        );
        assert!(world.server.record.total() <= 1 + most, "{to}");
    }
}

/// Row 7. The tests of the fence check that a public server may not do this.
#[tokio::test]
async fn a_server_of_this_machine_may_name_another_one_of_it() {
    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    greet(&client).await.unwrap();
    // `localhost` leads to the same server, but is another issuer.
    let named = world.issuer.url.replace("127.0.0.1", "localhost");
    let members = json!({ "authorization_servers": [named] });
    world.server.set(Misbehaviour::Metadata(members));
    let error = world.refused().await;
    assert_why!(&error, "localhost", OAuthError::IssuerMismatch { .. });
}

/// Row 8.
#[tokio::test]
async fn metadata_about_another_resource_are_refused() {
    let world = World::new(Rules::default()).await;
    let url = &world.server.url;
    let origin = url.strip_suffix("/mcp").unwrap();
    let host = origin.strip_prefix("http://").unwrap();
    for resource in [
        "https://evil.example/mcp".to_owned(),
        format!("{origin}/other"),
        format!("{origin}/mcpevil"),
        format!("{origin}/mc"),
        format!("{origin}/mcp/deeper"),
        format!("https://{host}/mcp"),
        "http://127.0.0.1:1/mcp".to_owned(),
        format!("http://user@{host}/mcp"),
        format!("http://{host}@evil.example/mcp"),
        format!("{url}#x"),
        format!("{url}?x"),
        "urn:mcp".to_owned(),
    ] {
        world.server.behave();
        world
            .server
            .set(Misbehaviour::Metadata(json!({ "resource": resource })));
        let error = world.refused().await;
        assert_why!(&error, resource, OAuthError::ResourceMismatch { got, .. } if *got == resource);
        world.assert_no_login(&resource);
        assert_eq!(world.issuer.record.total(), 0, "{resource}");
    }
}

/// The server shares its host with others, and its challenge names metadata of its own.
#[tokio::test]
async fn a_tenant_can_not_ask_for_tokens_of_the_whole_site() {
    let world = World::new(Rules::default()).await;
    let origin = world.server.url.strip_suffix("/mcp").unwrap().to_owned();
    world
        .server
        .set(Misbehaviour::Metadata(json!({ "resource": origin })));
    // The metadata for `/mcp` can't name the whole site as the resource.
    let error = world.refused().await;
    assert_why!(&error, origin, OAuthError::ResourceMismatch { .. });
    world.assert_no_login(&origin);
}

/// A server that has the document of its site at each path.
#[tokio::test]
async fn the_document_of_a_site_counts_where_the_site_has_it() {
    let world = World::new(Rules::default()).await;
    let origin = world.server.url.strip_suffix("/mcp").unwrap();
    for resource in [origin.to_owned(), format!("{origin}/")] {
        let document = json!({
            "resource": resource, "authorization_servers": [world.issuer.url],
        });
        world.server.behave();
        world.server.set(metadata(Answer::json(200, &document)));
        world.server.set(refuses("Bearer"));
        let error = world.refused().await;
        assert_why!(&error, resource, OAuthError::StillUnauthorized { .. });
        let asked = world.issuer.record.at("/authorize").pop().unwrap();
        assert_eq!(asked.parameter("resource"), Some(resource));
    }
}

/// Row 9.
#[tokio::test]
async fn a_token_for_an_attackers_server_says_so_and_is_of_no_use_elsewhere() {
    let victim = World::new(Rules::default()).await;
    let attacker = ProtectedServer::start(&victim.issuer).await;
    let client = connect(&attacker.url, victim.person.login()).await.unwrap();
    greet(&client).await.unwrap();
    let page = victim.person.last();
    assert_eq!(
        (page.server, page.issuer),
        (attacker.url.clone(), victim.issuer.url.clone())
    );
    for asked in ["/authorize", "/token"] {
        let asked = victim.issuer.record.at(asked).remove(0);
        assert_eq!(asked.parameter("resource"), Some(attacker.url.clone()));
    }
    let stolen = attacker.record.all().pop().unwrap();
    let stolen = stolen
        .header("authorization")
        .unwrap()
        .strip_prefix("Bearer ");
    let used = Client::http(&victim.server.url).bearer(stolen.unwrap());
    assert!(within(used.connect()).await.unwrap_err().is_unauthorized());
}

/// Row 17.
#[tokio::test]
async fn metadata_that_are_blocked_lead_nowhere_else() {
    for status in [500, 502, 503, 204, 302] {
        let answer = Answer::new(status, "");
        let world = World::behind(metadata(answer.clone())).await;
        world.server.set(refuses("Bearer"));
        let error = world.refused().await;
        assert_why!(&error, status, OAuthError::Metadata { .. });
        world.assert_no_login("the server's");
        assert!(!world.server.record.has("/token"), "{status}");

        let world = World::hostile(metadata(answer)).await;
        let error = world.refused().await;
        assert_why!(&error, status, OAuthError::Metadata { .. });
        world.assert_no_login("the issuer's");
        assert_eq!(world.issuer.record.total(), 1, "{status}");
    }
}

/// Row 17, with a stored token: it is renewed at the server that issued it, or not at all.
#[tokio::test]
async fn no_refresh_token_goes_to_a_server_whose_metadata_are_blocked() {
    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    for status in [500, 404] {
        world.server.behave();
        world.server.set(metadata(Answer::new(status, "")));
        world.issuer.expire();
        world.server.record.clear();
        greet(&client).await.unwrap();
        assert!(!world.server.record.has("refresh"), "{status}");
        assert_eq!(world.server.record.count("/token"), 0, "{status}");
    }
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 2);
    assert_eq!(world.person.visits(), 1);
    assert_eq!(world.issuer.reused(), 0);
}

/// Row 22.
#[tokio::test]
async fn a_challenge_without_measure_is_bounded() {
    let many: Vec<_> = (0..10_000).map(|it| format!("a{it}=\"x\"")).collect();
    let scopes: Vec<_> = (0..1000).map(|it| format!("s{it}")).collect();
    let scopes = format!("Bearer scope=\"{}\"", scopes.join(" "));
    let cases: [(&str, String, usize); 5] = [
        (
            "10,000 parameters",
            format!("Bearer {}", many.join(", ")),
            0,
        ),
        (
            "a long one",
            format!("Bearer scope=\"{}\"", "a".repeat(64 << 10)),
            0,
        ),
        ("1000 scopes", scopes, 0),
        (
            "control characters",
            "Bearer scope=\"a\tb \\\\ c\"".to_owned(),
            0,
        ),
        ("no scope", "Bearer scope=\"\"".to_owned(), 0),
    ];
    for (name, challenge, expected) in cases {
        let world = World::behind(refuses(&challenge)).await;
        let error = world.refused().await;
        assert_why!(&error, name, OAuthError::StillUnauthorized { .. });
        assert!(world.requests() <= 10, "{name}: {}", world.requests());
        let scope = world.person.last().scope;
        assert_eq!(scope.len(), expected, "{name}: {scope:?}");
    }
    // HTTP clients reject a response head of this size.
    let challenge = format!("Bearer scope=\"{}\"", "a".repeat(1 << 20));
    let world = World::behind(refuses(&challenge)).await;
    connect(&world.server.url, world.person.login())
        .await
        .unwrap_err();
    world.assert_no_login("1 MiB");
}

/// Row 23.
#[tokio::test]
async fn a_challenge_is_what_the_grammar_says() {
    let trap = AuthorizationServer::start(Rules::default()).await;
    let trapped = format!("{}/.well-known/oauth-protected-resource/mcp", trap.url);
    let in_quotes = format!("Basic realm=\"x, Bearer resource_metadata={trapped}\"");
    let escaped = format!("Basic realm=\"\\\", Bearer resource_metadata=\\\"{trapped}\\\"\"");
    let twice = format!("Bearer resource_metadata=\"{trapped}\", resource_metadata=\"{trapped}\"");
    let broken = format!("Bearer resource_metadata=\"{trapped}");
    for challenge in [in_quotes, escaped, twice, broken] {
        let world = World::behind(refuses(&challenge)).await;
        let connected = connect(&world.server.url, world.person.login()).await;
        assert!(connected.is_err(), "{challenge}");
        assert!(world.person.visits() <= 1, "{challenge}");
    }
    for challenges in [
        &["Basic realm=\"x\"", "Bearer scope=\"right\""][..],
        &["Negotiate, Basic realm=\"x\", Bearer scope=\"right\""],
        &["Bearer scope=\"right\", Basic realm=\"Bearer scope=wrong\""],
    ] {
        let all = challenges.iter().map(|&it| it.to_owned()).collect();
        let world = World::behind(Misbehaviour::Refuses(401, all)).await;
        let error = world.refused().await;
        let case = format!("{challenges:?}");
        assert_why!(&error, case, OAuthError::StillUnauthorized { .. });
        assert_eq!(world.person.last().scope, ["right"], "{case}");
    }
    assert_eq!(trap.record.total(), 0);
}

/// Row 24.
#[tokio::test]
async fn what_a_server_wants_is_shown_and_can_be_limited() {
    let wants = || refuses("Bearer scope=\"offline_access admin:*\"");
    let world = World::behind(wants()).await;
    world.refused().await;
    assert_eq!(world.person.last().scope, ["offline_access", "admin:*"]);
    let asked = world.issuer.record.at("/authorize").remove(0);
    assert_eq!(asked.parameter("scope").unwrap(), "offline_access admin:*");

    let world = World::behind(wants()).await;
    let limited = world.person.login().scope(["read"]);
    refused(&world.server.url, limited).await;
    assert_eq!(world.person.last().scope, ["read"]);
    for asked in world.issuer.record.all() {
        assert!(!asked.text().contains("admin"), "{asked:?}");
    }
}

/// Row 26.
#[tokio::test]
async fn metadata_without_measure_or_form_are_refused() {
    let deep = format!("{{\"issuer\":{}", "[".repeat(10_000));
    let bomb = Answer::new(200, "\u{1f}").with("content-encoding", "gzip");
    for (name, answer) in [
        (
            "too long",
            Answer::new(200, format!("{{{}", " ".repeat(1 << 20))),
        ),
        ("endless", Answer::new(200, "").body(AnswerBody::Endless)),
        ("deep", Answer::new(200, deep)),
        (
            "twice",
            Answer::new(200, r#"{"issuer": "a", "issuer": "b"}"#),
        ),
        ("cut", Answer::new(200, "{\"issuer\": ")),
        ("nothing", Answer::new(200, "{}")),
        (
            "a number",
            Answer::new(200, r#"{"issuer": 1, "resource": 1}"#),
        ),
    ] {
        let world = World::hostile(metadata(answer.clone())).await;
        assert_why!(world.refused().await, name, OAuthError::Metadata { .. });
        world.assert_no_login(name);
        assert_eq!(world.issuer.record.total(), 1, "{name}");

        let world = World::behind(metadata(answer)).await;
        assert_why!(world.refused().await, name, OAuthError::Metadata { .. });
        assert!(world.requests() <= 2, "{name}");
    }
    // A document that is no object may be a page of a site without metadata.
    for (name, answer) in [
        ("compressed", bomb),
        ("a list", Answer::new(200, "[]")),
        ("a page", Answer::new(200, "<!doctype html>")),
    ] {
        let world = World::hostile(metadata(answer)).await;
        assert_why!(
            world.refused().await,
            name,
            OAuthError::NoAuthorizationServer { .. }
        );
        world.assert_no_login(name);
        assert_eq!(world.issuer.record.total(), 2, "{name}");
    }
}

/// Row 26: members of the wrong type.
#[tokio::test]
async fn metadata_with_members_of_another_type_are_refused() {
    let cases: [Value; 6] = [
        json!({ "token_endpoint": 7 }),
        json!({ "authorization_endpoint": ["https://as.example"] }),
        json!({ "registration_endpoint": {} }),
        json!({ "code_challenge_methods_supported": "S256" }),
        json!({ "scopes_supported": [1] }),
        json!({ "authorization_response_iss_parameter_supported": "false" }),
    ];
    for members in cases {
        let world = World::hostile(Misbehaviour::Metadata(members.clone())).await;
        assert_why!(world.refused().await, members, OAuthError::Metadata { .. });
        world.assert_no_login(&members.to_string());
    }
}

/// Row 26. Time is simulated, and only these servers delay the client.
#[tokio::test(start_paused = true)]
async fn metadata_that_take_for_ever_are_given_up() {
    for body in [AnswerBody::Never, AnswerBody::Dripping] {
        let answer = Answer::new(200, "").body(body);
        let world = World::hostile(metadata(answer)).await;
        let error = world.refused().await;
        assert_why!(&error, "slow", OAuthError::Unreachable { .. });
        world.assert_no_login("slow");
    }
}
