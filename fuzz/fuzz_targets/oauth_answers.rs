//! A status and a body as the response of each endpoint of an authorization server. Accepted values
//! must be sendable, must expire and must be in the body; a rejection must be an error; and errors
//! must not quote the body.

#![no_main]

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use libfuzzer_sys::fuzz_target;
use percent_encoding::percent_decode_str;
use plainly_fuzz::NOW;
use plainly_oauth::credentials::{ClientAuthMethod, Credentials, Grant, GrantKey, Registration};
use plainly_oauth::device::DeviceAuthorization;
use plainly_oauth::metadata::ServerMetadata;
use plainly_oauth::registration::RegistrationRequest;
use plainly_oauth::token::{TokenError, Tokens, read_assertion, read_revocation};
use plainly_oauth::{Form, Secret, check_page, prove};
use serde_json::Value;

const ISSUER: &str = "https://as.example";
const REDIRECT: &str = "http://127.0.0.1:1/callback";

// The input has lines: the status, and the body.
fuzz_target!(|text: &str| {
    let (status, body) = text.split_once('\n').unwrap_or(("", text));
    let status = status.parse().unwrap_or(200);
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let body = body.as_bytes();
    let is_success = (200..300).contains(&status);

    let tokens = Tokens::read(status, body);
    judge(&tokens, is_success, &value);
    if let Ok(tokens) = tokens {
        keep(tokens, &value);
    }
    let assertion = read_assertion(status, body);
    judge(&assertion, is_success, &value);
    if let Ok(assertion) = assertion {
        send(&assertion, &value["access_token"]);
    }
    let begun = DeviceAuthorization::read(status, body);
    judge(&begun, is_success, &value);
    if let Ok(begun) = begun {
        show(&begun, &value);
    }
    register(status, body, &value);
    let given_back = read_revocation(status, body);
    if is_success {
        assert_eq!(given_back, Ok(()));
    }
});

/// Checks that only a valid response is accepted, and that errors don't quote the response.
fn judge<T>(read: &Result<T, TokenError>, is_success: bool, value: &Value) {
    match read {
        Ok(_) => {
            let has_error = value["error"].as_str().is_some_and(|it| !it.is_empty());
            assert!(is_success && value.is_object() && !has_error);
        }
        Err(TokenError::Refused { error, .. }) => {
            // A body with a duplicate member is not read at all.
            assert!(!is_success || error.is_some());
            assert!(error.is_none() || error.as_deref() == value["error"].as_str());
        }
        Err(TokenError::Unusable(why)) => {
            assert!(is_success && why.len() < 128 && !why.contains(char::is_control));
        }
    }
}

/// Checks that stored tokens can be read again.
fn keep(tokens: Tokens, value: &Value) {
    send(&tokens.access_token, &value["access_token"]);
    if let Some(token) = &tokens.refresh_token {
        send(token, &value["refresh_token"]);
    }
    let shown = format!("{tokens:?}");
    assert!(shown.contains("Secret(…)"), "{shown}");
    let key = GrantKey::new(ISSUER, "https://mcp.example", "me");
    let mut grant = Grant::new(key, "https://as.example/token", Secret::new("old"));
    grant.refresh_token = Some(Secret::new("kept"));
    let grant = tokens.renew(&grant, NOW);
    assert!(grant.refresh_token.is_some() && grant.granted_scope.len() <= 100);
    if let (Some(renew_at), Some(expires_at)) = (grant.renew_at, grant.expires_at) {
        assert!((NOW..=expires_at).contains(&renew_at) && expires_at - renew_at <= 60);
    }
    let mut kept = Credentials::default();
    kept.keep_grant("https://mcp.example", grant);
    let text = serde_json::to_string(&kept).unwrap();
    assert_eq!(serde_json::from_str::<Credentials>(&text).unwrap(), kept);
}

/// Checks that a token is the one in the body, and fits into a header.
fn send(token: &Secret, value: &Value) {
    assert_eq!(Some(token.expose()), value.as_str());
    let header = HeaderValue::from_str(&format!("Bearer {}", token.expose())).unwrap();
    assert!(!token.expose().is_empty() && header.to_str().is_ok());
}

fn show(begun: &DeviceAuthorization, value: &Value) {
    send(&begun.device_code, &value["device_code"]);
    let pages = [
        Some(&begun.verification_uri),
        begun.verification_uri_complete.as_ref(),
    ];
    assert!(
        pages
            .into_iter()
            .flatten()
            .all(|page| check_page(page).is_ok())
    );
    assert!(
        !begun
            .user_code
            .contains(|it: char| it.is_control() || !it.is_ascii())
    );
    assert!(begun.expires_in <= 1800 && begun.interval >= 1);
}

/// Checks that a registered client can authenticate with the values in the body.
fn register(status: u16, body: &[u8], value: &Value) {
    for methods in [
        &[][..],
        &["none"],
        &["client_secret_basic"],
        &["client_secret_post"],
    ] {
        let mut server = ServerMetadata::expected_at(ISSUER);
        let methods = methods.iter().map(|it| (*it).to_owned()).collect();
        server.client_auth_methods = Some(methods);
        let method = ClientAuthMethod::preferred(&server);
        let request = RegistrationRequest::new("fuzz", Some(REDIRECT), method);
        let client = request.read(&server, status, body, NOW);
        judge(&client, (200..300).contains(&status), value);
        if let Ok(client) = client {
            identify(&client, value);
        }
    }
}

fn identify(client: &Registration, value: &Value) {
    assert_eq!(client.issuer, ISSUER);
    assert_eq!(Some(client.client_id.as_str()), value["client_id"].as_str());
    assert!(client.secret_expires_at.is_none_or(|at| at > NOW));
    let mut form = Form::default();
    let header = prove(client, None, &mut form).unwrap();
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text)
            .decode_utf8()
            .unwrap()
            .into_owned()
    };
    let secret = || value["client_secret"].as_str().unwrap().to_owned();
    let expected = match client.method {
        ClientAuthMethod::Basic => {
            let header = header.unwrap();
            let pair = header.expose().strip_prefix("Basic ").unwrap();
            let pair = String::from_utf8(BASE64_STANDARD.decode(pair).unwrap()).unwrap();
            let (id, given) = pair.split_once(':').unwrap();
            assert_eq!(decoded(id), client.client_id);
            assert_eq!(decoded(given), secret());
            return;
        }
        ClientAuthMethod::Post => Some(secret()),
        _ => None,
    };
    let given = |name| form.get(name).map(|it| it.expose().to_owned());
    assert_eq!(given("client_id").as_ref(), Some(&client.client_id));
    assert_eq!(given("client_secret"), expected);
}
