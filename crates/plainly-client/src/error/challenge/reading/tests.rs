//! Tests the readable challenges, and the faults of the others.

use proptest::prelude::*;

use super::*;

/// The challenges of a response with these values, and the faults.
fn told(values: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(WWW_AUTHENTICATE, value.parse().unwrap());
    }
    let found = Challenges::of(StatusCode::UNAUTHORIZED, &headers);
    assert_eq!(found, Challenges::of(StatusCode::FORBIDDEN, &headers));
    let other = Challenges::of(StatusCode::NOT_FOUND, &headers);
    assert_eq!(other, Challenges::default());
    let readable = found.readable.iter().map(Challenge::to_string);
    (readable.collect(), found.malformed)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn all_challenges_of_all_headers_are_read_with_their_parameters() {
    let cases: [(&[&str], &[&str]); 17] = [
        (&[], &[]),
        (&["", ", ,\t,"], &[]),
        (&["Bearer"], &["Bearer credentials"]),
        (
            &["Bearer error=insufficient_scope, ,,"],
            &["Bearer credentials (insufficient_scope)"],
        ),
        (
            &[
                r#"Basic realm="a, b", bearer scope="a b", resource_metadata="https://a.example/\"x", x=1"#,
            ],
            &[
                "Basic credentials",
                r#"bearer credentials with the scope "a b" (see https://a.example/"x)"#,
            ],
        ),
        (
            &[
                "Basic realm=x",
                r#"Bearer error="invalid_token", error_description="It has expired""#,
            ],
            &["Basic credentials", "Bearer credentials (It has expired)"],
        ),
        // Text in quotation marks is no challenge, because another party may have written it.
        (
            &[r#"Basic realm="Bearer resource_metadata=https://evil.example", Bearer scope=a"#],
            &[
                "Basic credentials",
                r#"Bearer credentials with the scope "a""#,
            ],
        ),
        (
            &[r#"Basic realm="\", Bearer scope=\"evil", DPoP algs="ES256", scope=b"#],
            &[
                "Basic credentials",
                r#"DPoP credentials with the scope "b""#,
            ],
        ),
        (
            &["Negotiate YIIabc+/==, NTLM, Bearer scope=c"],
            &[
                "Negotiate credentials",
                "NTLM credentials",
                r#"Bearer credentials with the scope "c""#,
            ],
        ),
        (
            &["Negotiate a=, Bearer scope=c"],
            &[
                "Negotiate credentials",
                r#"Bearer credentials with the scope "c""#,
            ],
        ),
        (
            &["Bearer scope = d ,\trealm\t=\t\"\""],
            &[r#"Bearer credentials with the scope "d""#],
        ),
        (
            &["Bearer SCOPE=e"],
            &[r#"Bearer credentials with the scope "e""#],
        ),
        (
            &["Negotiate, Bearer resource_metadata=https://a.example/x?y=z"],
            &[
                "Negotiate credentials",
                "Bearer credentials (see https://a.example/x?y=z)",
            ],
        ),
        (&[r#"Bearer scope="  ""#], &["Bearer credentials"]),
        (&["Digest realm=x"], &["Digest credentials"]),
        (
            &[r#"Bearer error_description="é \é""#],
            &["Bearer credentials (é é)"],
        ),
        (
            &["Bearer scope=a, DPoP scope=a"],
            &[
                r#"Bearer credentials with the scope "a""#,
                r#"DPoP credentials with the scope "a""#,
            ],
        ),
    ];
    for (values, expected) in cases {
        let (readable, malformed) = told(values);
        assert_eq!(readable, expected, "{values:?}");
        assert_eq!(malformed, [""; 0], "{values:?}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn a_malformed_challenge_is_left_out_and_named() {
    let many = format!("Bearer {}", "a=b, ".repeat(10_000));
    let scopes = format!(r#"Bearer scope="{}", Basic realm=x"#, "a ".repeat(101));
    let cases: [(&[&str], &str, &str); 13] = [
        (
            &["=", "Bearer"],
            "Bearer credentials",
            "a challenge can't be read: a name is missing",
        ),
        (
            &["a=b", "Bearer"],
            "Bearer credentials",
            "a challenge can't be read: a parameter has no scheme",
        ),
        (
            &["Basic, Bearer scope=a, Scope=b, DPoP"],
            "Basic credentials, DPoP credentials",
            "a challenge for Bearer credentials can't be read: scope is there twice",
        ),
        (
            &["Basic, Bearer x=1, X=2"],
            "Basic credentials",
            "a challenge for Bearer credentials can't be read: x is there twice",
        ),
        (
            &[r#"Basic, Bearer realm="a, DPoP algs=ES256"#],
            "Basic credentials",
            "a challenge for Bearer credentials can't be read: a quotation mark is missing",
        ),
        (
            &[r#"Bearer realm="a\"#],
            "",
            "a challenge for Bearer credentials can't be read: a quotation mark is missing",
        ),
        (
            &[r#"Basic realm=a"b, Bearer realm="x, Bearer resource_metadata=evil, y=""#],
            "",
            "a challenge for Basic credentials can't be read: something stands where a comma should",
        ),
        (
            &["Bearer realm=a scope=b", "Basic"],
            "Basic credentials",
            "a challenge for Bearer credentials can't be read: something stands where a comma should",
        ),
        (
            &["Bearer realm=, DPoP"],
            "Bearer credentials, DPoP credentials",
            "",
        ),
        (
            &["Bearer a=b, realm=, DPoP"],
            "",
            "a challenge for Bearer credentials can't be read: a value is missing",
        ),
        (
            &["Bearer scope=\"a\tb\", DPoP"],
            "DPoP credentials",
            "a challenge for Bearer credentials can't be read: its scope has a character that no scope may have",
        ),
        (
            &[&scopes],
            "Basic credentials",
            "a challenge for Bearer credentials can't be read: it names more than 100 scopes",
        ),
        (
            &["Basic", &many, "DPoP"],
            "Basic credentials",
            "the challenges have more than 8192 bytes",
        ),
    ];
    for (values, readable, malformed) in cases {
        let (found, wrong) = told(values);
        assert_eq!(found.join(", "), readable, "{values:.99?}");
        assert_eq!(wrong.join(", "), malformed, "{values:.99?}");
    }
}

#[test]
fn challenges_are_read_up_to_so_many_bytes_and_scopes() {
    for (bytes, is_read) in [(MOST_BYTES, true), (MOST_BYTES + 1, false)] {
        let long = format!(
            "Bearer realm={}",
            "a".repeat(bytes - "BasicBearer realm=".len())
        );
        let read = Challenges::read(["Basic", &long]);
        assert_eq!(read.readable.len(), 1 + usize::from(is_read));
        assert_eq!(read.malformed.is_empty(), is_read);
    }
    for (scopes, is_read) in [(MOST_SCOPES, true), (MOST_SCOPES + 1, false)] {
        let all = format!("Bearer scope=\"{}\"", vec!["a"; scopes].join("  "));
        let read = Challenges::read([&*all]);
        assert_eq!(read.readable.len(), usize::from(is_read));
        assert_eq!(read.malformed.is_empty(), is_read);
    }
}

/// A challenge with these parameters, written in any way that the grammar allows.
fn written() -> impl Strategy<Value = (String, Vec<(String, String)>, String)> {
    let token = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}";
    let blank = "[ \t]{0,2}";
    let parameter = (token, blank, blank, ".{0,12}", any::<bool>());
    let all = prop::collection::vec(parameter, 0..4);
    (token, " {1,2}", all).prop_map(|(scheme, space, all)| {
        let mut parameters = Vec::new();
        let mut text = Vec::new();
        for (name, before, after, value, is_escaped) in all {
            let value: String = value.chars().filter(|it| !it.is_control()).collect();
            let escape = |it| match is_escaped || matches!(it, '"' | '\\') {
                true => format!("\\{it}"),
                false => it.to_string(),
            };
            let quoted: String = value.chars().map(escape).collect();
            text.push(format!("{name}{before}={after}\"{quoted}\""));
            parameters.push((name, value));
        }
        let text = format!("{scheme}{space}{}", text.join(" ,, "));
        (scheme, parameters, text)
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(all in prop::collection::vec(written(), 0..4)) {
        let text: Vec<_> = all.iter().map(|(_, _, text)| text.as_str()).collect();
        let text = text.join(",");
        let (found, broken) = grammar::read(&text);
        prop_assert_eq!(broken, None, "{}", text);
        let found: Vec<_> = found.into_iter().map(|it| {
            let parameters = it.parameters.into_iter();
            let parameters = parameters.map(|(name, value)| (name.to_owned(), value));
            (it.scheme.to_owned(), parameters.collect::<Vec<_>>())
        }).collect();
        let expected: Vec<_> = all.into_iter().map(|(scheme, parameters, _)| (scheme, parameters)).collect();
        prop_assert_eq!(found, expected, "{}", text);
    }

    #[test]
    fn whatever_a_server_writes_is_read_within_bounds(values in prop::collection::vec(r#"([A-Za-z ,=\\"!\t]|\PC){0,200}"#, 0..4)) {
        let found = Challenges::read(values.iter().map(String::as_str));
        for challenge in &found.readable {
            prop_assert!(!challenge.scheme.is_empty());
            prop_assert!(challenge.scopes().count() <= MOST_SCOPES);
            prop_assert!(challenge.scopes().all(|scope| scope.bytes().all(|byte| byte.is_ascii_graphic())));
        }
        prop_assert!(found.malformed.len() <= values.iter().map(String::len).sum());
    }
}
