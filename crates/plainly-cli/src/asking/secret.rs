//! Fields that look as if they were for a secret. Servers must not ask for one by form (Elicitation, "Form Mode Security"):
//! whatever is filled in is seen by everything between the person and the server.

/// What is part of a word for a secret.
const PARTS: [&str; 8] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "credential",
    "apikey",
];
/// What is one as a whole word.
const WORDS: [&str; 11] = [
    "pwd", "pin", "cvv", "cvc", "cvn", "otp", "ssn", "key", "keys", "mfa", "totp",
];

/// Whether a field of this name or title looks like one for a secret.
pub(super) fn looks_secret(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_part = PARTS.iter().any(|part| lower.contains(part));
    has_part || words(text).any(|word| WORDS.contains(&&*word))
}

/// The words of a name, also of one such as `apiKey` or `API_KEY`.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut apart = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        if character.is_uppercase() && before.is_lowercase() {
            apart.push(' ');
        }
        apart.push(character);
        before = character;
    }
    let words: Vec<_> = apart
        .split(|it: char| !it.is_alphanumeric())
        .map(str::to_lowercase)
        .collect();
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::looks_secret;

    #[test]
    fn what_looks_like_a_secret() {
        for text in [
            "password",
            "Your Password:",
            "apiKey",
            "API_KEY",
            "access_token",
            "PIN",
            "card cvv",
            "clientSecret",
            "db.pwd",
            "Schlüssel (key)",
        ] {
            assert!(looks_secret(text), "{text}");
        }
        for text in [
            "name", "opinion", "keyboard", "spinning", "monkey", "delete", "",
        ] {
            assert!(!looks_secret(text), "{text}");
        }
    }
}
