//! What counts as a secret, in all that is shown and kept: the values of some names, and texts that look like one. Knows text
//! alone, and what this process has sent.

mod mask;
pub(crate) mod sent;
mod words;

use std::sync::LazyLock;

use regex::{Captures, Regex};

pub(crate) use self::mask::Mask;

/// What stands in the place of a secret.
pub(crate) const MASK: &str = "***";

/// How the names end whose values are secrets. A blank stands for any way to write two words as one.
const NAMES: [&str; 18] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "credential",
    "authorization",
    "bearer",
    "assertion",
    "code verifier",
    "device code",
    "cookie",
    "api key",
    "access key",
    "private key",
    "secret key",
    // Whoever knows it can use the session.
    "session id",
];

/// Ends like one of them, and is none: the protocol's own name for what belongs to which call.
const HARMLESS: &str = "progresstoken";

/// What the names of headers, variables and options have in them whose values are secrets: whoever configures a server gives
/// it little else.
const SETTINGS: [&str; 10] = [
    "key",
    "token",
    "secret",
    "passw",
    "auth",
    "header",
    "credential",
    "cookie",
    "bearer",
    PAT,
];
/// A personal access token, where it is a word of its own.
const PAT: &str = "pat";

/// What stands before a secret in a header.
const SCHEMES: [&str; 4] = ["bearer", "basic", "dpop", "token"];

/// A word that is at least this long, and has letters and digits, may be a secret.
const LONG: usize = 20;

/// Where a secret may stand in text, and the fewest characters that it has. What the first group found stays, and so does the
/// second if there is one; `NAME` and `VALUE` stand for [`NAMES`] and for something in quotes.
const PLACES: [(&str, usize); 11] = [
    // JSON, also as a text within JSON.
    (
        r#"(?i)(\\*["']NAME\\*["'][ \t\r\n]*:[ \t\r\n]*)(?:VALUE|[A-Za-z0-9_.+-]+)"#,
        1,
    ),
    // Queries, settings, environments.
    (r#"(?i)(NAME=)(?:VALUE|[^ \t\r\n"'&;<>]+)"#, 1),
    // TOML.
    (
        r#"(?i)(NAME["']?[ \t]*=[ \t]*)(?:"""(?:[^"\\]|\\.|""?[^"])*|VALUE)"#,
        1,
    ),
    // Options of programs.
    (r#"(?i)(--?NAME[ \t\r\n]+)(?:VALUE|[^ \t\r\n"']+)"#, 1),
    // Headers, on a line of their own or in quotes.
    (r#"(?im)((?:^|["'])NAME:[ \t]*)[^"'\r\n]+"#, 1),
    (
        r"((?-u:\b)(?i:bearer|basic|dpop) +)(?:TEXT*[a-z0-9][A-Z0-9]TEXT*|TEXT{20,})",
        8,
    ),
    (r"(://)[^ \t\r\n/@\x22'?#<>\\]+(@)", 1),
    (
        r"()(?-u:\b)eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*",
        1,
    ),
    (
        r"()(?-u:\b)(?:sk|pk|rk|plk|gh[opsur]|github_pat|glpat|xox[abeprs]|npm|hf)[-_][A-Za-z0-9_-]{16,}",
        1,
    ),
    (
        r"()(?-u:\b)(?:A[KS]IA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,})",
        1,
    ),
    (r"(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]*", 1),
];

/// The places, ready to be looked for.
static LOOKED_FOR: LazyLock<Vec<(Regex, usize)>> = LazyLock::new(|| {
    let names = NAMES.map(|name| name.replace(' ', "[-_. ]?")).join("|");
    // Tokens in the plural are mostly counted.
    let name = format!(r"[A-Za-z0-9_.$-]*(?:{names}|(?:secret|password|credential|cookie|key)s)");
    // Up to the quote that ends it, in JSON and in JSON that is a text in JSON.
    let value = r#""(?:[^"\\]|\\.)*|\\+"(?:[^"\\]|\\+[^"\\])*|'[^']*"#;
    let place = |(pattern, least): (&str, usize)| {
        let pattern = pattern
            .replace("NAME", &name)
            .replace("VALUE", value)
            .replace("TEXT", "[A-Za-z0-9._~+/=-]");
        let place = Regex::new(&pattern).expect("the patterns are as constant as the table");
        (place, least)
    };
    PLACES.into_iter().map(place).collect()
});

/// The part of a value that is secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Secrecy {
    /// What looks like a secret.
    #[default]
    Looks,
    /// Every text in it.
    Texts,
    /// Numbers too.
    All,
}

/// What is secret of the value that has this name.
fn secrecy(name: &str) -> Secrecy {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    let singular = name.trim_end_matches('s');
    let mut ends = NAMES.iter().map(|end| end.replace(' ', ""));
    if singular == HARMLESS || !ends.any(|end| singular.ends_with(&end)) {
        return Secrecy::Looks;
    }
    // Several may also be how many there are.
    match singular == name {
        true => Secrecy::All,
        false => Secrecy::Texts,
    }
}

/// Whether the value of a header, a variable or an option of this name is secret.
fn is_setting(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_in = |part: &&str| match *part {
        PAT => lower.split(['-', '_']).any(|word| word == PAT),
        part => lower.contains(part),
    };
    secrecy(name) != Secrecy::Looks || SETTINGS.iter().any(is_in)
}

/// What follows a scheme in the value of a header, if it has one.
fn credentials(value: &str) -> Option<&str> {
    let (scheme, secret) = value.split_once(' ')?;
    let is_scheme = SCHEMES.iter().any(|it| scheme.eq_ignore_ascii_case(it));
    (is_scheme && !secret.contains(' ') && !is_variable(secret)).then_some(secret)
}

/// The end of a word that is secret by the name before it.
fn secret_in<'a>(before: &str, word: &'a str) -> Option<&'a str> {
    if is_variable(word) {
        return None;
    }
    if before.starts_with('-') && !before.contains('=') && is_setting(before) {
        return Some(word);
    }
    if word.contains("://") {
        return None;
    }
    // `--api-key=KEY`, and `API_KEY=KEY` as docker takes it; `Authorization: Bearer TOKEN`.
    let named = ['=', ':'].into_iter().find_map(|separator| {
        let (name, value) = word.split_once(separator)?;
        (is_setting(name) && !is_variable(value)).then_some(value)
    });
    credentials(word).or(named)
}

/// Whether a word looks as if nobody had thought of it.
fn is_random(word: &str) -> bool {
    word.len() >= LONG
        && word.contains(|it: char| it.is_ascii_digit())
        && word.contains(|it: char| it.is_ascii_alphabetic())
        && !word.contains(char::is_whitespace)
        && !is_variable(word)
}

/// Whether this is one variable and nothing else: its name is no secret, a default may be.
fn is_variable(value: &str) -> bool {
    let value = value.trim();
    let name = value.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
    name.is_some_and(|name| {
        let is_name = |it: char| it.is_ascii_alphanumeric() || "_:.-".contains(it);
        name.chars().all(is_name) && !name.contains(":-")
    })
}

/// The text with what looks like a secret masked; `None` if nothing does.
fn masked(text: &str) -> Option<String> {
    let mut masked = None;
    for (place, least) in LOOKED_FOR.iter() {
        let before = masked.as_deref().unwrap_or(text);
        let after = place.replace_all(before, |found: &Captures<'_>| mask(found, *least));
        if after != before {
            masked = Some(after.into_owned());
        }
    }
    masked
}

fn mask(found: &Captures<'_>, least: usize) -> String {
    let all = &found[0];
    let kept = &found[1];
    let rest = all.len() - kept.len();
    let value = all.get(kept.len()..).unwrap_or_default();
    let is_harmless = kept.to_ascii_lowercase().contains(HARMLESS) || is_variable(value);
    match rest < least || is_harmless {
        true => all.to_owned(),
        false => {
            let end = found.get(2).map_or("", |end| end.as_str());
            let quote = opening_quote(value);
            format!("{kept}{quote}{MASK}{end}")
        }
    }
}

/// What a value in quotes begins with: it is kept, as its end is.
fn opening_quote(value: &str) -> &str {
    let slashes = value.len() - value.trim_start_matches('\\').len();
    let end = slashes + 1;
    match value.get(slashes..end) {
        Some("\"" | "'") => value.get(..end).unwrap_or_default(),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_secrets() {
        for name in [
            "token",
            "accessToken",
            "access_token",
            "ID_TOKEN",
            "client-secret",
            "Authorization",
            "Proxy-Authorization",
            "set-cookie",
            "Cookies",
            "x-api-key",
            "apikey",
            "API_KEY",
            "api key",
            "passwords",
            "privateKey",
            "AWS_SECRET_ACCESS_KEY",
            "Mcp-Session-Id",
            "sessionId",
            "session_id",
            "credentials",
            "db.password",
            "maxTokens",
        ] {
            assert_ne!(secrecy(name), Secrecy::Looks, "{name}");
        }
        for name in [
            "progressToken",
            "tokenizer",
            "maxTokensPerCall",
            "name",
            "key",
            "cursor",
            "requestState",
            "secretary",
            "passwordless",
            "id",
            "",
        ] {
            assert_eq!(secrecy(name), Secrecy::Looks, "{name}");
        }
    }

    #[test]
    fn a_variable_is_nothing_else() {
        for value in ["${TOKEN}", "${env:API_KEY}", " ${input:api-key}"] {
            assert!(is_variable(value), "{value}");
        }
        for value in [
            "${A}:secret@${B}",
            "${A:-secret}",
            "${A",
            "$A",
            "",
            "${a b}",
        ] {
            assert!(!is_variable(value), "{value}");
        }
    }

    #[test]
    fn toml_loses_its_secrets() {
        for (text, shown) in [
            ("API_KEY =\"x1\"", "API_KEY =\"***\""),
            ("\"token\"= 'x1' # mine", "\"token\"= '***' # mine"),
            ("pwd = \"\"\"x \"1\" y\"\"\"", "pwd = \"***\"\"\""),
        ] {
            assert_eq!(Mask::default().text(text), shown);
        }
    }

    #[test]
    fn texts_lose_their_secrets_and_nothing_else() {
        const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
        let cases = [
            (
                "https://h/p?a=1&token=abc&b=2#c",
                "https://h/p?a=1&token=***&b=2#c",
            ),
            (
                "https://user:pass@h/p and ssh://git@h",
                "https://***@h/p and ssh://***@h",
            ),
            ("Authorization: Bearer abc.def", "Authorization: ***"),
            (
                "curl -H \"X-Api-Key: abc d\" http://h",
                "curl -H \"X-Api-Key: ***\" http://h",
            ),
            ("a\nCookie: a=b; c=d\nb", "a\nCookie: ***\nb"),
            ("use bearer 4Gh5pQ2x9z now", "use bearer *** now"),
            (
                "a bearer certificate of basic quality",
                "a bearer certificate of basic quality",
            ),
            (
                r#"{"password": "a b\"c", "user": "x"}"#,
                r#"{"password": "***", "user": "x"}"#,
            ),
            (
                r#"{\"token\":\"a b\",\"n\":1}"#,
                r#"{\"token\":\"***\",\"n\":1}"#,
            ),
            (r#"{"max_tokens": 9}"#, r#"{"max_tokens": 9}"#),
            (
                r#"{"pin": 1, "api_key": 17}"#,
                r#"{"pin": 1, "api_key": ***}"#,
            ),
            ("DB_PASSWORD=x;HOST=h", "DB_PASSWORD=***;HOST=h"),
            (
                "PASSWORD='a b' run --token abc -v",
                "PASSWORD='***' run --token *** -v",
            ),
            (r#"{"progressToken":"7"}"#, r#"{"progressToken":"7"}"#),
            ("key sk-abcdefghijklmnop1234 end", "key *** end"),
            ("/messages?sessionId=5f0c", "/messages?sessionId=***"),
            ("AKIAABCDEFGHIJKLMNOP", "***"),
            (
                "fn f(token: String) -> Token::Kind { token == \"x\" }",
                "fn f(token: String) -> Token::Kind { token == \"x\" }",
            ),
            (
                "the token is set, see tokens.md",
                "the token is set, see tokens.md",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(masked(text).as_deref().unwrap_or(text), expected);
        }
        assert_eq!(masked(JWT).unwrap(), MASK);
        let key = "-----BEGIN PRIVATE KEY-----\nMIIB\nabc=\n-----END PRIVATE KEY-----";
        let shown = "-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----";
        assert_eq!(masked(key).unwrap(), shown);
    }
}
