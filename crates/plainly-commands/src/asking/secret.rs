//! Detects fields that seem to ask for a secret. Servers must not ask for one with a form
//! (Elicitation, "Form Mode Security"), because every party between the user and the server can see
//! the answer.

/// Parts of words for secrets, in lower case.
const PARTS: [&str; 15] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "credential",
    "apikey",
    "passwort",
    "kennwort",
    "contrase",
    "wachtwoord",
    "пароль",
    "密码",
    "パスワード",
];
/// Words for secrets that consist of several words.
const PHRASES: [&str; 4] = ["creditcard", "cardnumber", "motdepasse", "securitycode"];
/// Letters of other scripts, with the Latin letters that they resemble.
const ALIKE: [(char, char); 10] = [
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('у', 'y'),
    ('х', 'x'),
    ('і', 'i'),
    ('ѕ', 's'),
    ('ԝ', 'w'),
];
/// Words that mark a secret only if they stand alone.
const WORDS: [&str; 11] = [
    "pwd", "pin", "cvv", "cvc", "cvn", "otp", "ssn", "key", "keys", "mfa", "totp",
];

/// Whether a field with this name or title seems to ask for a secret.
pub(super) fn looks_secret(text: &str) -> bool {
    let lower = text.to_lowercase();
    let latin: String = lower.chars().map(as_latin).collect();
    let has_part = |text: &str| PARTS.iter().any(|part| text.contains(part));
    let words: Vec<_> = words(&text.chars().map(as_latin).collect::<String>()).collect();
    let joined = words.concat();
    let is_spaced = words.iter().all(|word| word.chars().count() <= 1);
    has_part(&lower)
        || has_part(&latin)
        || is_spaced && has_part(&joined)
        || PHRASES.iter().any(|phrase| joined.contains(phrase))
        || words.iter().any(|word| WORDS.contains(&&**word))
}

fn as_latin(character: char) -> char {
    let known = ALIKE.iter().find(|(other, _)| *other == character);
    known.map_or(character, |(_, latin)| *latin)
}

/// The words of a name, which may also be written like `apiKey` or `API_KEY`.
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
            "credit_card",
            "mot_de_passe",
            "раssword",
            "p a s s w o r d",
            "Contraseña",
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
