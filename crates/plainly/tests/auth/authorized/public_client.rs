//! Authorization servers without registration, and the one client that this server announces
//! instead.

use plainly::server::auth::{AuthSetupError, ResourceServer, ResourceServerBuilder};
use plainly_peer::Response;
use serde_json::{Value, json};

use super::issuer::{Answer, Issuer, changed};
use super::support::{Guarded, RESOURCE, call, challenge};

/// Returns an issuer whose metadata resembles Entra's, without registration and PKCE, with these
/// changes.
async fn issuer(changes: Value) -> Issuer {
    let issuer = Issuer::start().await;
    let metadata = json!({
        "issuer": issuer.url, "jwks_uri": format!("{}/keys", issuer.url),
        "authorization_endpoint": format!("{}/authorize", issuer.url),
        "token_endpoint": format!("{}/token", issuer.url), "scopes_supported": ["openid"],
    });
    let metadata = changed(metadata, changes);
    issuer.behaviour.answer_metadata(Answer::new(200, metadata));
    issuer
}

fn naming(issuer: &Issuer) -> ResourceServerBuilder {
    let auth = ResourceServer::new(RESOURCE).issuer(&issuer.url);
    auth.public_client("app").require(["read"])
}

async fn json(mut response: Response) -> Value {
    serde_json::from_str(&response.body().await).unwrap()
}

#[tokio::test]
async fn clients_find_a_server_that_names_the_client_and_sends_users_to_the_real_one() {
    let issuer = issuer(json!({})).await;
    let asking = naming(&issuer).ask_for(["api://files/read"]);
    let guarded = Guarded::ready(asking).await.unwrap();
    let bare = guarded.post("", &call("who")).await;
    assert!(
        challenge(&bare).contains(r#"scope="api://files/read""#),
        "{}",
        challenge(&bare)
    );
    let resource = "GET /.well-known/oauth-protected-resource/mcp";
    let resource = json(guarded.site.bare(resource, "", "").await).await;
    assert_eq!(resource["authorization_servers"], json!([RESOURCE]));
    assert_eq!(resource["scopes_supported"], json!(["api://files/read"]));
    for path in ["/mcp", ""] {
        let line = format!("GET /.well-known/oauth-authorization-server{path}");
        let page = "Origin: https://app.example\r\n";
        let found = guarded.site.bare(&line, page, "").await;
        assert_eq!(found.header("access-control-allow-origin"), Some("*"));
        let expected = json!({
            "issuer": RESOURCE,
            "authorization_endpoint": format!("{}/authorize", issuer.url),
            "token_endpoint": format!("{}/token", issuer.url),
            "registration_endpoint": format!("{RESOURCE}/register"),
            "scopes_supported": ["openid"],
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "token_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
        });
        assert_eq!(json(found).await, expected);
    }
    // Only the real issuer's tokens are accepted.
    guarded.who(&issuer.token(json!({}))).await.unwrap();
    let of_another = issuer.token(json!({"iss": RESOURCE}));
    assert_eq!(guarded.who(&of_another).await.unwrap_err().0, 401);
}

#[tokio::test]
async fn who_registers_is_the_one_client() {
    let issuer = issuer(json!({})).await;
    let guarded = Guarded::ready(naming(&issuer)).await.unwrap();
    let post = "POST /mcp/register";
    let body = json!({
        "redirect_uris": ["http://127.0.0.1:1/a", "b:/c"], "client_name": "x", "token_endpoint_auth_method": "client_secret_basic",
    });
    let page = "Origin: https://app.example\r\n";
    let registered = guarded.site.bare(post, page, &body).await;
    assert_eq!(registered.status, 201);
    assert_eq!(registered.header("cache-control"), Some("no-store"));
    assert_eq!(registered.header("access-control-allow-origin"), Some("*"));
    let expected = json!({
        "client_id": "app", "redirect_uris": ["http://127.0.0.1:1/a", "b:/c"], "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
    });
    assert_eq!(json(registered).await, expected);
    for body in [
        "",
        "{}",
        "[]",
        r#"{"redirect_uris": 5}"#,
        r#"{"redirect_uris": [5]}"#,
    ] {
        let refused = guarded.site.bare(post, "", body).await;
        assert_eq!(refused.status, 400, "{body}");
        assert_eq!(json(refused).await["error"], "invalid_client_metadata");
    }
    for (line, headers, status) in [
        ("GET /mcp/register", "", 405),
        ("OPTIONS /mcp/register", page, 204),
        (post, "Host: evil.example\r\n", 403),
        ("POST /register", "", 404),
    ] {
        let answered = guarded.site.bare(line, headers, "").await;
        assert_eq!(answered.status, status, "{line}");
    }
}

/// Without a client to announce, the server has neither of these endpoints.
#[tokio::test]
async fn elsewhere_nobody_registers() {
    let issuer = issuer(json!({})).await;
    let guarded = Guarded::by(&issuer).await;
    for (line, status) in [
        ("POST /mcp/register", 404),
        ("GET /.well-known/oauth-authorization-server/mcp", 404),
    ] {
        assert_eq!(guarded.site.bare(line, "", "{}").await.status, status);
    }
}

#[tokio::test]
async fn what_can_not_work_is_known_at_the_start() {
    for (changes, expected) in [
        (
            json!({"authorization_response_iss_parameter_supported": true}),
            "sends its issuer along with codes (RFC 9207)",
        ),
        (json!({"token_endpoint": null}), "has no token_endpoint"),
        (
            json!({"authorization_endpoint": null}),
            "has no authorization_endpoint",
        ),
    ] {
        let issuer = issuer(changes).await;
        let why = Guarded::ready(naming(&issuer)).await.unwrap_err();
        assert!(why.to_string().contains(expected), "{why}");
    }
    let [one, other] = [issuer(json!({})).await, issuer(json!({})).await];
    for (auth, count) in [
        (naming(&one).issuer(&other.url), 2),
        (ResourceServer::new(RESOURCE).public_client("app"), 0),
    ] {
        let why = auth.build().unwrap_err();
        let is_expected = matches!(
            why,
            AuthSetupError::ClientWithoutIssuer(found) if found == count
        ) || count == 0 && matches!(why, AuthSetupError::NoVerifier);
        assert!(is_expected, "{why}");
    }
}
