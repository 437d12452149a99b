//! Tests the texts of login errors, their advice, and that they never show secrets.

use super::*;

const SERVER: &str = "https://user:s3cret@mcp.example.com/mcp?key=s3cret#s3cret";
const ISSUER: &str = "https://as.example.com";

fn text(text: &str) -> String {
    text.to_owned()
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn of_login() -> [(OAuthError, &'static str, &'static str); 14] {
    let (server, issuer) = (text(SERVER), text(ISSUER));
    [
        (
            OAuthError::LoginRequired {
                server: server.clone(),
                scopes: texts(&["a", "b"]),
                has_login: false,
            },
            r#"https://mcp.example.com/mcp requires a login with the scope "a b", and there is no user to ask"#,
            "log in with `plainly login https://mcp.example.com/mcp`, or give a token",
        ),
        (
            OAuthError::LoginRequired {
                server: server.clone(),
                scopes: texts(&["a", "b"]),
                has_login: true,
            },
            r#"https://mcp.example.com/mcp requires a login with the scope "a b", and there is no user to ask"#,
            "log in with `plainly login https://mcp.example.com/mcp` and a `--scope` for each of these, or give a token",
        ),
        (
            OAuthError::NoAuthorizationServer {
                server: server.clone(),
                tried: vec![
                    (text("https://a.example/?s3cret"), 404),
                    (text("https://b.example/c"), 200),
                ],
            },
            "https://mcp.example.com/mcp requires credentials, but names no authorization server: https://a.example/ answered 404, https://b.example/c answered 200",
            "ask the server's operator for a token, and give it to this client",
        ),
        (
            OAuthError::Metadata {
                url: server.clone(),
                why: text("it is no JSON"),
                status: None,
            },
            "the metadata at https://mcp.example.com/mcp is unusable: it is no JSON",
            "report it to its operator: it is misconfigured",
        ),
        (
            OAuthError::Fenced {
                url: text("http://169.254.169.254/?s3cret"),
                why: text("it is of this network alone"),
            },
            "the server names http://169.254.169.254/, which this client must not contact: it is of this network alone",
            "do not log in there: the server is misconfigured, or this is an attack; report it to its operator",
        ),
        (
            OAuthError::ResourceMismatch {
                expected: server.clone(),
                got: text("https://evil.example/\u{1b}[2J"),
            },
            r#"the metadata of https://mcp.example.com/mcp is for another resource: "https://evil.example/\u{1b}[2J""#,
            "do not log in there: the server is misconfigured, or this is an attack; report it to its operator",
        ),
        (
            OAuthError::IssuerMismatch {
                expected: text("https://a.example"),
                got: text("https://a.example/"),
                at: IssuerPlace::Metadata,
            },
            r#"the metadata of the authorization server has the issuer "https://a.example/", expected "https://a.example""#,
            "they differ only by a slash: `--tolerate issuer-slash` allows that",
        ),
        (
            OAuthError::IssuerMismatch {
                expected: text("https://a.example"),
                got: text("https://a.example/"),
                at: IssuerPlace::Callback,
            },
            r#"the login response has the issuer "https://a.example/", expected "https://a.example""#,
            "do not log in there: the server is misconfigured, or this is an attack; report it to its operator",
        ),
        (
            OAuthError::PkceUnsupported {
                issuer: issuer.clone(),
            },
            "https://as.example.com does not announce PKCE (`code_challenge_methods_supported` with `S256`)",
            r#"ask its operator to add `"code_challenge_methods_supported": ["S256"]` to its metadata"#,
        ),
        (
            OAuthError::NoClientId {
                issuer: issuer.clone(),
                redirect_uri: text("http://127.0.0.1/callback"),
                scopes: texts(&["a"]),
            },
            "this client has no id at https://as.example.com, which does not register clients",
            r#"register a native application at https://as.example.com with the redirect URI "http://127.0.0.1/callback" and the scope "a", and give its id with `--client-id`"#,
        ),
        (
            OAuthError::Denied {
                issuer: issuer.clone(),
                error: text("access_denied"),
                description: Some(text("No \"way\"\n")),
            },
            r#"the login at https://as.example.com was denied: "access_denied", "No \"way\"\n""#,
            "log in again and agree, or ask its operator for access",
        ),
        (
            OAuthError::Denied {
                issuer: issuer.clone(),
                error: text("invalid_scope"),
                description: None,
            },
            r#"the login at https://as.example.com was denied: "invalid_scope""#,
            "request other scopes",
        ),
        (
            OAuthError::ConsentTimedOut {
                issuer,
                after: Duration::from_secs(300),
            },
            "the login at https://as.example.com was not finished within 300 seconds",
            "log in again, and finish the login in the browser",
        ),
        (
            OAuthError::ScopeRefused {
                server,
                wanted: texts(&["a", "b"]),
                granted: texts(&["a"]),
            },
            r#"access denied by https://mcp.example.com/mcp: it requires the scope "a b", the token has "a""#,
            "ask the server's operator for these scopes",
        ),
    ]
}

#[test]
fn an_error_says_who_what_and_why_and_what_to_do() {
    for (error, said, advice) in of_login() {
        assert_eq!(error.to_string(), said);
        assert_eq!(error.advice(), advice);
        let shown = format!("{:?}", AuthError::from(error));
        assert!(shown.starts_with(said), "{shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn what_passes_is_retryable_and_what_stays_is_not() {
    let metadata = |status| OAuthError::Metadata {
        url: text(ISSUER),
        why: text("no"),
        status,
    };
    let refused = |status| OAuthError::TokenRefused {
        issuer: text(ISSUER),
        grant: text("refresh_token"),
        status,
        error: None,
        description: None,
    };
    let source = Arc::from(Box::<dyn StdError + Send + Sync>::from("refused"));
    let unreachable = OAuthError::Unreachable {
        url: text(ISSUER),
        source,
    };
    for (error, expected) in [
        (unreachable, true),
        (metadata(None), false),
        (metadata(Some(404)), false),
        (metadata(Some(503)), true),
        (refused(400), false),
        (refused(429), true),
        (refused(500), true),
    ] {
        assert_eq!(error.is_retryable(), expected, "{error}");
        assert_eq!(error.advice() == "try again later", expected, "{error}");
        assert_eq!(AuthError::from(error).is_retryable(), expected);
    }
    for (error, ..) in of_login() {
        assert!(!error.is_retryable(), "{error}");
    }
}

#[test]
fn what_others_say_is_shown_as_theirs_and_cut() {
    let long = format!("a{}z", "\u{202e}é".repeat(10_000));
    let error = OAuthError::Denied {
        issuer: format!("https://{long}.example/"),
        error: long.clone(),
        description: Some(long),
    };
    let shown = error.to_string();
    assert!(
        shown.len() < 5_000 && !shown.contains('\u{202e}'),
        "{shown}"
    );
    assert_eq!(shown.matches('…').count(), 3);
}
