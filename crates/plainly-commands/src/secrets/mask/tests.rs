//! Tests what is masked, case by case, and with arbitrary secrets.

use super::*;

#[test]
fn members_are_masked_by_their_names() {
    let mut mask = Mask::default();
    mask.learn_header("Authorization", "Bearer k7-known-value");
    let cases = [
        (
            r#" { "a" : 1e5 , "b":[ 1.0,-2 ,true, null ] } "#,
            r#"{"a":1e5,"b":[1.0,-2,true,null]}"#,
        ),
        (
            r#"{"token":"x","n":1,"z":{}}"#,
            r#"{"token":"***","n":1,"z":{}}"#,
        ),
        (
            r#"{"password":1234,"secret":null,"cookie":true}"#,
            r#"{"password":"***","secret":null,"cookie":true}"#,
        ),
        (
            r#"{"secret":{"user":"u","n":[1,{"a":"b"}]}}"#,
            r#"{"secret":{"user":"***","n":["***",{"a":"***"}]}}"#,
        ),
        (
            r#"{"properties":{"token":{"type":"string"},"secret":"s"},"required":["token"]}"#,
            r#"{"properties":{"token":{"type":"string"},"secret":"***"},"required":["token"]}"#,
        ),
        (
            r#"{"maxTokens":3,"tokens":["a"]}"#,
            r#"{"maxTokens":3,"tokens":["***"]}"#,
        ),
        (
            r#"{"_meta":{"progressToken":3}}"#,
            r#"{"_meta":{"progressToken":3}}"#,
        ),
        (
            r#"{"to\u006ben":"x","é":"\u00e9\/"}"#,
            r#"{"to\u006ben":"***","é":"\u00e9\/"}"#,
        ),
        (
            r#"["k7-known-value","\"Bearer k7-known-value\""]"#,
            r#"["***","\"***\""]"#,
        ),
        (r#"{"k7-known-value":1}"#, r#"{"k7-known-value":1}"#),
        (r#"["Bearer of news"]"#, r#"["Bearer of news"]"#),
        (
            r#"[{"text":"{\"api_key\":\"x\"}"}]"#,
            r#"[{"text":"{\"api_key\":\"***\"}"}]"#,
        ),
        ("[]", "[]"),
        (r#""\\""#, r#""\\""#),
    ];
    for (json, expected) in cases {
        assert_eq!(
            mask.json(json.as_bytes()).as_deref(),
            Some(expected),
            "{json}"
        );
    }
    for other in ["", "starting", "{", "[1,]", "\u{1b}[2J"] {
        assert_eq!(mask.json(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn what_is_learnt_is_a_secret() {
    let mut mask = Mask::default();
    mask.learn_header("X-Tenant", "search");
    mask.learn_header("X-Mode", "result and more");
    mask.learn_header("X-Own", "9f8e7d6c5b4a39281706");
    mask.learn_header("X-Login", "Token only-this");
    mask.learn_header("X-Key", "${VARIABLE}");
    mask.learn_variable("GITHUB_PAT", "patted");
    mask.learn_variable("PGHOST", "localhost");
    mask.learn_url("https://me:hidden@h/s/aBcDeFgHiJkLmNoPqRsT0123/mcp?key=queried&page=seventy");
    let text = "search result more 9f8e7d6c5b4a39281706 Token only-this ${VARIABLE} patted localhost hidden \
        aBcDeFgHiJkLmNoPqRsT0123 queried seventy";
    let expected = "search result more *** Token *** ${VARIABLE} *** localhost *** *** *** seventy";
    assert_eq!(mask.text(text), expected);
}

#[test]
fn users_are_masked_in_urls_and_a_text_without_secrets_stays_as_it_is() {
    for (json, expected) in [
        (
            r#"["db://me:x@h:1/a@b?c","see https://h/@me, //x@y and a://","mailto:me@h"]"#,
            r#"["db://***@h:1/a@b?c","see https://h/@me, //x@y and a://","mailto:me@h"]"#,
        ),
        (r#"["{ \"a\": \"***\" }"]"#, r#"["{ \"a\": \"***\" }"]"#),
    ] {
        let masked = Mask::default().json(json.as_bytes());
        assert_eq!(masked.as_deref(), Some(expected));
    }
}

/// Places of secrets, in which `SECRET` is replaced.
const PLACES: [&str; 9] = [
    r#"{"params":{"arguments":{"password":"SECRET"}}}"#,
    r#"{"accessToken":"SECRET"}"#,
    r#"{"client_secret":["SECRET",{"deep":"SECRET"}]}"#,
    r#"{"a":[{"X-Api-Key":"SECRET"}]}"#,
    r#"{"properties":{"token":"SECRET"}}"#,
    r#"{"uri":"postgres://me:SECRET@host/db"}"#,
    r#"{"text":"look at https://SECRET@host/?a=b"}"#,
    r#"{"text":"{\"secret\": \"SECRET\", \"n\": 1}"}"#,
    r#"{"text":"[{\"text\":\"{\\\"secret\\\":\\\"SECRET\\\"}\"}]"}"#,
];

/// The characters of secrets, none of which ends such a place.
const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+";

#[test]
fn no_secret_survives_wherever_it_stands() {
    // The sequence is always the same, so that a failure can be reproduced.
    let mut state = 17_u64;
    let mut below = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    for _ in 0..200 {
        let length = 8 + below(40);
        let secret: String = (0..length)
            .map(|_| char::from(SIGNS[below(SIGNS.len())]))
            .collect();
        for place in PLACES {
            let text = place.replace("SECRET", &secret);
            let mask = Mask::default();
            let masked = mask.json(text.as_bytes()).unwrap();
            assert!(!masked.contains(&secret), "{text}: {masked}");
            // Half of the secret must not be visible either.
            let half = &secret[secret.len() / 2..];
            assert!(!masked.contains(half), "{text}: {masked}");
        }
        let mut mask = Mask::default();
        mask.learn(&secret);
        let text = format!("{{\"anywhere\":\"x{secret}y\"}}");
        assert!(!mask.json(text.as_bytes()).unwrap().contains(&secret));
    }
}

#[test]
fn a_file_with_settings_is_shown_without_secrets() {
    let mut mask = Mask::default();
    mask.learn_settings(&serde_json::json!({ "env": { "PASSWORD": "z9", "A": "z9" } }));
    for (line, shown) in [
        ("+  PASSWORD = 'z9'\n", "+  PASSWORD = '***'\n"),
        ("+  \"PASSWORD\": \"z9\",\n", "+  \"PASSWORD\": \"***\",\n"),
        ("   // \"API_KEY\": \"old\",\n", "   // \"API_KEY\": ***\n"),
        (" # TOKEN = \"old\"\n", " # TOKEN : ***\n"),
        (" # as z9 says: nothing\n", " # as z9 says: nothing\n"),
    ] {
        assert_eq!(mask.comment(line), shown);
    }
}
