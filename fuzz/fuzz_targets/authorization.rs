//! The two URLs of a login. The URL for the browser must keep the endpoint's query and add the
//! request's parameters. The redirect URL must yield a code only if a second parser of its query
//! agrees.

#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_encoding::percent_decode_str;
use plainly_oauth::authorization::{AuthorizationRequest, CallbackError, ExpectedCallback};
use plainly_oauth::{Pkce, Secret, check_page};
use url::Url;

/// The parameters that a request sets or may set.
const OURS: [&str; 10] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "resource",
    "dpop_jkt",
    "prompt",
];

// The input has lines: an endpoint, the state, the issuer, and the query of the redirect.
fuzz_target!(|text: &str| {
    let mut lines = text.splitn(4, '\n');
    let [endpoint, state, issuer, query] =
        std::array::from_fn(|_| lines.next().unwrap_or_default());
    send(endpoint, state, issuer);
    for sends_issuer in [false, true] {
        come_back(state, issuer, query, sends_issuer);
    }
});

fn send(endpoint: &str, state: &str, issuer: &str) {
    if check_page(endpoint).is_err() {
        return;
    }
    let before = Url::parse(endpoint).unwrap();
    let pkce = Pkce::new();
    let mut request = AuthorizationRequest::new(endpoint, issuer, "http://[::1]/", state, &pkce);
    request.resource = Some(issuer);
    let own = pairs(before.query().unwrap_or_default());
    let Ok(url) = request.url() else {
        assert!(own.iter().any(|(name, _)| OURS.contains(&name.as_str())));
        return;
    };
    assert_eq!(check_page(&url), Ok(()));
    let after = Url::parse(&url).unwrap();
    assert_eq!(
        (before.origin(), before.path()),
        (after.origin(), after.path())
    );
    let challenge = pkce.challenge();
    let ours = [
        ("response_type", "code"),
        ("client_id", issuer),
        ("redirect_uri", "http://[::1]/"),
        ("state", state),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("resource", issuer),
    ];
    let ours = ours.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(pairs(after.query().unwrap()), [own, ours.to_vec()].concat());
}

fn come_back(state: &str, issuer: &str, query: &str, sends_issuer: bool) {
    let found = ExpectedCallback::new(state, issuer, sends_issuer).code(query);
    let pairs = pairs(query);
    let all = |name: &str| -> Vec<&str> {
        let named = pairs.iter().filter(|(it, _)| it == name);
        named.map(|(_, value)| value.as_str()).collect()
    };
    let (codes, errors, issuers) = (all("code"), all("error"), all("iss"));
    let expected = if all("state") != [state] {
        Err(CallbackError::State)
    } else if issuers.is_empty() && sends_issuer {
        Err(CallbackError::NoIssuer)
    } else if !issuers.is_empty() && issuers != [issuer] {
        Err(CallbackError::OtherIssuer(issuers.join(", ")))
    } else if !errors.is_empty() {
        let Err(CallbackError::Denied { error, .. }) = &found else {
            panic!("{found:?}");
        };
        assert_eq!(error, errors[0]);
        return;
    } else if codes.len() == 1 && !codes[0].is_empty() {
        Ok(codes[0])
    } else {
        Err(CallbackError::NoCode)
    };
    assert_eq!(
        found.as_ref().map(Secret::expose),
        expected.as_ref().copied()
    );
}

/// The pairs of a query, according to a second parser.
fn pairs(query: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text).decode_utf8_lossy().into_owned()
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}
