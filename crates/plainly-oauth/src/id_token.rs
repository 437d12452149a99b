//! The user's account according to an ID token (OpenID Connect Core, 2): for display only, never
//! for decisions.
//!
//! A client can't read access tokens. An ID token comes with one if the scope `openid` was granted.
//! It is only read if it came from the token endpoint itself, because then TLS has already proved
//! what its signature would (3.1.3.7).

use crate::credentials::GrantKey;
use crate::json::Object;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// The longest ID token that is read.
const LONGEST: usize = 16 << 10;
/// The longest name of an account, in characters.
const LONGEST_NAME: usize = 100;
/// The claims that may name an account, best first.
const NAMES: [&str; 4] = ["preferred_username", "email", "name", "sub"];
/// The tolerated difference of clocks, in seconds.
const LEEWAY: u64 = 60;

/// The account's name, if the token is from this issuer for this client, and has not expired at
/// `now`.
pub(crate) fn account(token: &str, of: &GrantKey, now: u64) -> Option<String> {
    if token.len() > LONGEST {
        return None;
    }
    let mut parts = token.split('.');
    let (_header, claims, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    let claims = Object::read(&claims).ok()?;
    let text = |name| claims.text(name).ok().flatten();
    let audience = claims.get("aud")?;
    let mut all = audience.as_array().into_iter().flatten();
    let is_for_us = *audience == *of.client_id || all.any(|it| *it == *of.client_id);
    let was_asked_by_us = text("azp").is_none_or(|it| it == of.client_id);
    let is_of_issuer = text("iss").as_ref() == Some(&of.issuer);
    let ends = claims.seconds_since_1970("exp")?;
    if !is_for_us || !was_asked_by_us || !is_of_issuer || ends.saturating_add(LEEWAY) <= now {
        return None;
    }
    let is_name = |it: &String| {
        let length = it.chars().count();
        (1..=LONGEST_NAME).contains(&length) && !it.chars().any(char::is_control)
    };
    NAMES.iter().find_map(|name| text(name).filter(is_name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const NOW: u64 = 1_000_000;

    fn token(claims: &str) -> String {
        format!("e30.{}.c2ln", BASE64_URL_SAFE_NO_PAD.encode(claims))
    }

    #[test]
    fn an_account_is_named_by_a_token_of_its_issuer_for_this_client() {
        let long = "a".repeat(LONGEST_NAME + 1);
        let good = json!({ "iss": "https://as.example", "aud": "me", "exp": NOW, "sub": "1234" });
        let with = |changes: Value| {
            let mut claims = good.clone();
            for (name, value) in changes.as_object().unwrap() {
                claims[name] = value.clone();
            }
            claims.to_string()
        };
        for (claims, expected) in [
            (with(json!({})), Some("1234")),
            (
                with(json!({ "email": "ada@example.com" })),
                Some("ada@example.com"),
            ),
            (
                with(json!({ "preferred_username": "ada", "email": "e" })),
                Some("ada"),
            ),
            (
                with(json!({ "preferred_username": "", "name": "Ada" })),
                Some("Ada"),
            ),
            (with(json!({ "email": 1, "name": "Ada" })), Some("Ada")),
            (with(json!({ "name": "A\u{1b}[2J", "sub": "s" })), Some("s")),
            (with(json!({ "name": long, "sub": "s" })), Some("s")),
            (with(json!({ "sub": null })), None),
            (
                with(json!({ "aud": ["other", "me"], "azp": "me" })),
                Some("1234"),
            ),
            (
                with(json!({ "aud": ["other", "me"], "azp": "other" })),
                None,
            ),
            (with(json!({ "aud": ["other"] })), None),
            (with(json!({ "aud": "me2" })), None),
            (with(json!({ "aud": null })), None),
            (with(json!({ "iss": "https://as.example/" })), None),
            (with(json!({ "iss": null })), None),
            (with(json!({ "exp": NOW - LEEWAY })), None),
            (with(json!({ "exp": NOW - LEEWAY + 1 })), Some("1234")),
            (with(json!({ "exp": "later" })), None),
            (
                with(json!({ "sub": "a" })).replace("}", ",\"sub\":\"b\"}"),
                None,
            ),
            ("[]".to_owned(), None),
        ] {
            let key = GrantKey::new("https://as.example", "https://mcp.example", "me");
            let named = account(&token(&claims), &key, NOW);
            assert_eq!(named.as_deref(), expected, "{claims}");
        }
    }

    #[test]
    fn what_is_no_token_names_nobody() {
        let key = GrantKey::new("https://as.example", "", "me");
        let long = token(&" ".repeat(LONGEST));
        for text in ["", "a", "a.b", "..", "a.%.c", "a.e30.c.d", &long] {
            assert_eq!(account(text, &key, NOW), None, "{text}");
        }
    }
}
