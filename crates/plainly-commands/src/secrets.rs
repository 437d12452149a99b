//! Hides secrets in everything that is shown and stored: the values of some names, and the secrets
//! that this process has sent.

mod mask;
pub(crate) mod sent;
mod words;

pub(crate) use self::mask::Mask;

/// The replacement of a secret.
pub(crate) const MASK: &str = "***";

/// The ends of names whose values are secrets. A space stands for any way to join two words.
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
    // The id gives access to the session.
    "session id",
];

/// A name of the protocol that ends like a secret's name, but whose value is harmless.
const HARMLESS: &str = "progresstoken";

/// Parts of the names of headers, variables and options whose values are secrets. A server's
/// configuration has few other names with them.
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
/// The word for a personal access token, if it is a separate word.
const PAT: &str = "pat";

/// The schemes that precede a secret in a header.
const SCHEMES: [&str; 4] = ["bearer", "basic", "dpop", "token"];

/// The least length of a word with letters and digits that may be a secret.
const LONG: usize = 20;

/// The part of a value that is secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Secrecy {
    /// Nothing, unless this process has sent it.
    #[default]
    None,
    /// Every text in the value.
    Texts,
    /// Numbers, too.
    All,
}

/// The secret part of a value with this name.
fn secrecy(name: &str) -> Secrecy {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    let singular = name.trim_end_matches('s');
    let mut ends = NAMES.iter().map(|end| end.replace(' ', ""));
    if singular == HARMLESS || !ends.any(|end| singular.ends_with(&end)) {
        return Secrecy::None;
    }
    // A number under a plural name may be a count.
    match singular == name {
        true => Secrecy::All,
        false => Secrecy::Texts,
    }
}

/// Whether the value of a header, a variable or an option with this name is secret.
pub(crate) fn is_setting(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_in = |part: &&str| match *part {
        PAT => lower.split(['-', '_']).any(|word| word == PAT),
        part => lower.contains(part),
    };
    secrecy(name) != Secrecy::None || SETTINGS.iter().any(is_in)
}

/// The credentials after the scheme in the value of a header, if it has one.
fn credentials(value: &str) -> Option<&str> {
    let (scheme, secret) = value.split_once(' ')?;
    let is_scheme = SCHEMES.iter().any(|it| scheme.eq_ignore_ascii_case(it));
    (is_scheme && !secret.contains(' ') && !is_variable(secret)).then_some(secret)
}

/// The end of a word that is secret because of the name before it.
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
    // This covers `--api-key=KEY`, docker's `API_KEY=KEY`, and `Authorization: Bearer TOKEN`.
    let named = ['=', ':'].into_iter().find_map(|separator| {
        let (name, value) = word.split_once(separator)?;
        (is_setting(name) && !is_variable(value)).then_some(value)
    });
    credentials(word).or(named)
}

/// Whether a word looks random.
fn is_random(word: &str) -> bool {
    word.len() >= LONG
        && word.contains(|it: char| it.is_ascii_digit())
        && word.contains(|it: char| it.is_ascii_alphabetic())
        && !word.contains(char::is_whitespace)
        && !is_variable(word)
}

/// Whether the value is only a variable. A variable's name is not secret, but its default may be.
fn is_variable(value: &str) -> bool {
    let value = value.trim();
    let name = value.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
    name.is_some_and(|name| {
        let is_name = |it: char| it.is_ascii_alphanumeric() || "_:.-".contains(it);
        name.chars().all(is_name) && !name.contains(":-")
    })
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
            assert_ne!(secrecy(name), Secrecy::None, "{name}");
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
            assert_eq!(secrecy(name), Secrecy::None, "{name}");
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
}
