//! A login for display, without its tokens.

use jiff::Timestamp;
use plainly::client::oauth::credentials::Grant;
use serde_json::{Value, json};

/// A login as JSON.
pub(crate) fn login_json(server: &str, grant: &Grant) -> Value {
    json!({
        "server": server,
        "issuer": grant.key.issuer,
        "account": grant.account,
        "resource": grant.key.resource,
        "clientId": grant.key.client_id,
        "scope": grant.granted_scope,
        "expiresAt": ends_at(grant).map(|at| at.to_string()),
        "isRenewable": grant.refresh_token.is_some(),
        "isBound": grant.dpop_key.is_some(),
    })
}

/// The scopes of a login, in a line.
pub(crate) fn scopes(grant: &Grant) -> String {
    match grant.granted_scope.is_empty() {
        true => "-".to_owned(),
        false => grant.granted_scope.join(" "),
    }
}

/// The end of a login, in words.
pub(crate) fn ends(grant: &Grant, now: Timestamp) -> String {
    let is_renewable = grant.refresh_token.is_some();
    let left = ends_at(grant).map(|at| at.as_second().saturating_sub(now.as_second()));
    let left = left.map(|seconds| u64::try_from(seconds).unwrap_or(0));
    match (left, is_renewable) {
        (None, _) => "not known".to_owned(),
        (Some(0), false) => "it has ended".to_owned(),
        (Some(0), true) => "it has ended, and is renewed when it is used".to_owned(),
        (Some(left), is_renewable) => {
            let left = in_words(left);
            let renewed = if is_renewable { ", and is renewed" } else { "" };
            format!("in {left}{renewed}")
        }
    }
}

/// A time in the largest unit that occurs at least twice in it.
fn in_words(seconds: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(24 * 60 * 60, "days"), (60 * 60, "hours"), (60, "minutes")];
    let unit = UNITS.iter().find(|(unit, _)| seconds >= 2 * unit);
    let (unit, name) = unit.unwrap_or(&(1, "seconds"));
    format!("{} {name}", seconds / unit)
}

fn ends_at(grant: &Grant) -> Option<Timestamp> {
    let seconds = i64::try_from(grant.expires_at?).ok()?;
    Timestamp::from_second(seconds).ok()
}

#[cfg(test)]
mod tests {
    use plainly::client::oauth::credentials::GrantKey;

    use super::*;

    #[test]
    fn the_end_of_a_login_is_told_in_words() {
        for (ends_at, is_renewable, expected) in [
            (None, true, "not known"),
            (Some(1_000), false, "it has ended"),
            (
                Some(5),
                true,
                "it has ended, and is renewed when it is used",
            ),
            (Some(1_119), false, "in 119 seconds"),
            (Some(1_120), true, "in 2 minutes, and is renewed"),
            (Some(1_000 + 3_600), false, "in 60 minutes"),
            (Some(1_000 + 3 * 86_400), false, "in 3 days"),
            (Some(u64::MAX), false, "not known"),
        ] {
            let key = GrantKey::new("https://i", "https://r", "c");
            let mut grant = Grant::new(key, "https://i/token", "s3cret".into());
            grant.expires_at = ends_at;
            grant.refresh_token = is_renewable.then(|| "s3cret".into());
            let now = Timestamp::from_second(1_000).unwrap();
            assert_eq!(ends(&grant, now), expected, "{ends_at:?}");
        }
    }
}
