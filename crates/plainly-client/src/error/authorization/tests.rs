//! The texts of errors of authorization, their advice, and the secrets that they never show.

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
fn of_login() -> [(AuthError, &'static str, &'static str); 15] {
    let (server, issuer) = (text(SERVER), text(ISSUER));
    [
        (
            AuthError::LoginRequired {
                server: server.clone(),
                scopes: texts(&["a", "b"]),
                has_login: false,
            },
            r#"https://mcp.example.com/mcp wants a login with the scope "a b", and nobody can be asked for it here"#,
            "log in with `plainly login https://mcp.example.com/mcp`, or give a token",
        ),
        (
            AuthError::LoginRequired {
                server: server.clone(),
                scopes: texts(&["a", "b"]),
                has_login: true,
            },
            r#"https://mcp.example.com/mcp wants a login with the scope "a b", and nobody can be asked for it here"#,
            "log in with `plainly login https://mcp.example.com/mcp` and a `--scope` for each of these, or give a token",
        ),
        (
            AuthError::NoAuthorizationServer {
                server: server.clone(),
                tried: vec![
                    (text("https://a.example/?s3cret"), 404),
                    (text("https://b.example/c"), 200),
                ],
            },
            "https://mcp.example.com/mcp wants credentials, but does not say where to log in: https://a.example/ answered 404, https://b.example/c answered 200",
            "ask whoever runs the server for a token, and give it to this client",
        ),
        (
            AuthError::Metadata {
                url: server.clone(),
                why: text("it is no JSON"),
                status: None,
            },
            "the metadata at https://mcp.example.com/mcp can't be used: it is no JSON",
            "tell whoever runs it: it is set up wrongly",
        ),
        (
            AuthError::Fenced {
                url: text("http://169.254.169.254/?s3cret"),
                why: text("it is of this network alone"),
            },
            "http://169.254.169.254/ is no address that the server may send this client to: it is of this network alone",
            "do not log in there: it is set up wrongly, or somebody attacks you; tell whoever runs it",
        ),
        (
            AuthError::ResourceMismatch {
                expected: server.clone(),
                got: text("https://evil.example/\u{1b}[2J"),
            },
            r#"the metadata of https://mcp.example.com/mcp are about the resource "https://evil.example/\u{1b}[2J""#,
            "do not log in there: it is set up wrongly, or somebody attacks you; tell whoever runs it",
        ),
        (
            AuthError::IssuerMismatch {
                expected: text("https://a.example"),
                got: text("https://a.example/"),
                at: IssuerPlace::Metadata,
            },
            r#"the metadata of the authorization server is of the issuer "https://a.example/", and should be of "https://a.example""#,
            "they differ by a slash alone: `--tolerate issuer-slash` allows that",
        ),
        (
            AuthError::IssuerMismatch {
                expected: text("https://a.example"),
                got: text("https://a.example/"),
                at: IssuerPlace::Callback,
            },
            r#"the answer to the login is of the issuer "https://a.example/", and should be of "https://a.example""#,
            "do not log in there: it is set up wrongly, or somebody attacks you; tell whoever runs it",
        ),
        (
            AuthError::PkceUnsupported {
                issuer: issuer.clone(),
            },
            "https://as.example.com does not say that it supports PKCE (`code_challenge_methods_supported` with `S256`)",
            r#"whoever runs it has to add `"code_challenge_methods_supported": ["S256"]` to its metadata"#,
        ),
        (
            AuthError::NoClientId {
                issuer: issuer.clone(),
                redirect_uri: text("http://127.0.0.1/callback"),
                scopes: texts(&["a"]),
            },
            "this client has no id at https://as.example.com, which does not give any to clients it does not know",
            r#"register a native application at https://as.example.com with the redirect URI "http://127.0.0.1/callback" and the scope "a", and give its id with `--client-id`"#,
        ),
        (
            AuthError::Denied {
                issuer: issuer.clone(),
                error: text("access_denied"),
                description: Some(text("No \"way\"\n")),
            },
            r#"the login at https://as.example.com was refused: "access_denied", "No \"way\"\n""#,
            "log in again and agree, or ask whoever runs it to let you in",
        ),
        (
            AuthError::Denied {
                issuer: issuer.clone(),
                error: text("invalid_scope"),
                description: None,
            },
            r#"the login at https://as.example.com was refused: "invalid_scope""#,
            "ask for other scopes",
        ),
        (
            AuthError::ConsentTimedOut {
                issuer,
                after: Duration::from_secs(300),
            },
            "nobody has logged in at https://as.example.com within 300 seconds",
            "log in again, and finish that in the browser",
        ),
        (
            AuthError::ScopeRefused {
                server: server.clone(),
                wanted: texts(&["a", "b"]),
                granted: texts(&["a"]),
            },
            r#"https://mcp.example.com/mcp refuses for want of rights; it wants the scope "a b"; the login gave the scope "a""#,
            "ask whoever runs the server for these rights",
        ),
        (
            AuthError::Plaintext { server },
            "credentials are not sent to https://mcp.example.com/mcp unencrypted: anybody on the way could read and use them",
            "use a URL that begins with https; where nobody else is on the way, `--allow-plaintext-token` allows it",
        ),
    ]
}

#[test]
fn an_error_says_who_what_and_why_and_what_to_do() {
    for (error, said, advice) in of_login() {
        assert_eq!(error.to_string(), said);
        assert_eq!(error.advice(), advice);
        let shown = format!("{:?}", Error::from(error));
        assert!(shown.starts_with(said), "{shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn the_cause_is_apart_and_kept() {
    let error = AuthError::of_program("the file is gone");
    assert_eq!(error.to_string(), "no token could be had from this program");
    assert_eq!(error.source().unwrap().to_string(), "the file is gone");
    assert!(format!("{error:?}").contains("the file is gone"));
}

#[test]
fn what_passes_is_retryable_and_what_stays_is_not() {
    let metadata = |status| AuthError::Metadata {
        url: text(ISSUER),
        why: text("no"),
        status,
    };
    let refused = |status| AuthError::TokenRefused {
        issuer: text(ISSUER),
        grant: text("refresh_token"),
        status,
        error: None,
        description: None,
    };
    let source = Arc::from(Box::<dyn StdError + Send + Sync>::from("refused"));
    let unreachable = AuthError::Unreachable {
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
        // A whole call is another matter: nobody makes it again by itself.
        assert_eq!(Error::from(error).is_retryable(), expected);
    }
    for (error, ..) in of_login() {
        assert!(!error.is_retryable(), "{error}");
    }
}

#[test]
fn simple_questions_have_simple_answers() {
    let asked = of_login().map(|(error, ..)| {
        [
            error.is_login_required(),
            error.is_denied(),
            error.is_insufficient_scope(),
        ]
    });
    let yes = |question: usize| asked.iter().position(|answers| answers[question]);
    assert_eq!([yes(0), yes(1), yes(2)], [Some(0), Some(10), Some(13)]);
    assert_eq!(asked.as_flattened().iter().filter(|it| **it).count(), 5);
}

#[test]
fn what_others_say_is_shown_as_theirs_and_cut() {
    let long = format!("a{}z", "\u{202e}é".repeat(10_000));
    let error = AuthError::Denied {
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

#[test]
fn of_a_url_only_what_is_not_secret_is_shown_and_that_as_it_is_spelled() {
    for (url, shown) in [
        ("https://A.example:443", "https://A.example:443"),
        ("https://a.example/", "https://a.example/"),
        ("https://u:p@a.example/b@c", "https://a.example/b@c"),
        ("https://u@v@a.example?u@q", "https://a.example"),
        ("https://a.example#f", "https://a.example"),
        ("https://a.example\\@b", "https://a.example\\@b"),
        ("u:p@a.example/b", "a.example/b"),
        ("", ""),
    ] {
        assert_eq!(AuthError::shown_url(url), shown);
    }
}
