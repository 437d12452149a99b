//! The login on another device: a terminal without a browser shows a code, and the user enters it
//! elsewhere (RFC 8628).

use crate::Secret;
use crate::client_proof::Form;
use crate::endpoint;
use crate::token::{TokenError, answer, secret};

/// The longest code for a user.
const LONGEST: usize = 64;
/// The longest time that a login may take, in seconds.
const MOST: u64 = 30 * 60;
/// The seconds between two polls, if the server names none.
const INTERVAL: u64 = 5;

/// A login that was started on another device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceAuthorization {
    /// The code that the client polls with.
    pub device_code: Secret,
    /// The code that the user enters.
    pub user_code: String,
    /// The page where the user enters the code.
    pub verification_uri: String,
    /// The page's URL that includes the code, if the server provides one.
    pub verification_uri_complete: Option<String>,
    /// The seconds in which the user can do so: at most half an hour.
    pub expires_in: u64,
    /// The seconds between two polls: at least one.
    pub interval: u64,
}

impl DeviceAuthorization {
    /// The form that starts a login, without the client's authentication.
    pub fn form(resource: Option<&str>, scope: &[String]) -> Form {
        let mut form = Form::default();
        form.set_some("resource", resource);
        let scope = scope.join(" ");
        form.set_some("scope", Some(scope).filter(|it| !it.is_empty()));
        form
    }

    /// Reads the answer of a device authorization endpoint.
    pub fn read(status: u16, body: &[u8]) -> Result<Self, TokenError> {
        let object = answer(status, body)?;
        let text = |name| {
            let text = object.required_text(name);
            text.map_err(|why| TokenError::Unusable(why.to_string()))
        };
        let page = |name: &'static str, url: String| match endpoint::check_page(&url) {
            Ok(()) => Ok(url),
            Err(why) => Err(TokenError::Unusable(format!(
                "has a member `{name}` that {why}"
            ))),
        };
        let user_code = text("user_code")?;
        if user_code.len() > LONGEST || !user_code.bytes().all(|it| matches!(it, 0x20..=0x7e)) {
            let why = "has a member `user_code` that is too long, or not plain text";
            return Err(TokenError::Unusable(why.to_owned()));
        }
        let complete = object.text("verification_uri_complete").ok().flatten();
        let complete = complete.map(|url| page("verification_uri_complete", url));
        Ok(Self {
            device_code: secret(&object, "device_code")?,
            user_code,
            verification_uri: page("verification_uri", text("verification_uri")?)?,
            verification_uri_complete: complete.transpose()?,
            expires_in: object.seconds("expires_in").unwrap_or(MOST).min(MOST),
            interval: object.seconds("interval").unwrap_or(INTERVAL).max(1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(members: &str) -> Result<DeviceAuthorization, TokenError> {
        let body = format!(
            r#"{{"device_code": "d", "user_code": "WDJB-MJHT", "verification_uri": "https://as.example/device"{members}}}"#
        );
        DeviceAuthorization::read(200, body.as_bytes())
    }

    #[test]
    fn a_login_begins_with_what_it_is_for() {
        let body = |resource, scope: &str| {
            let form = DeviceAuthorization::form(resource, &crate::scope::read(scope));
            form.body().to_string()
        };
        assert_eq!(body(Some("r"), "a b"), "resource=r&scope=a+b");
        assert_eq!(body(None, ""), "");
    }

    #[test]
    fn a_code_is_short_enough_to_be_typed() {
        for (length, is_shown) in [(LONGEST, true), (LONGEST + 1, false)] {
            let code = "x".repeat(length);
            let body = format!(
                r#"{{"device_code": "d", "user_code": "{code}", "verification_uri": "https://as.example"}}"#
            );
            let read = DeviceAuthorization::read(200, body.as_bytes());
            assert_eq!(read.is_ok(), is_shown, "{length}");
        }
    }

    #[test]
    fn times_are_bounded_and_have_defaults() {
        for (members, expires_in, interval) in [
            ("", MOST, INTERVAL),
            (r#", "expires_in": 1e9, "interval": 0"#, MOST, 1),
            (r#", "expires_in": 600, "interval": 3"#, 600, 3),
            (r#", "expires_in": -5, "interval": -5"#, 0, 1),
        ] {
            let read = read(members).unwrap();
            assert_eq!(
                (read.expires_in, read.interval),
                (expires_in, interval),
                "{members}"
            );
        }
    }

    #[test]
    fn a_page_that_hides_something_is_not_shown() {
        let why = |members: &str| read(members).unwrap_err().to_string();
        assert_eq!(
            why(r#", "verification_uri_complete": "javascript:alert(1)""#),
            "it has a member `verification_uri_complete` that is not an https URL"
        );
        let body = r#"{"device_code": "d", "user_code": "\u001b[2J", "verification_uri": "https://as.example"}"#;
        let refused = DeviceAuthorization::read(200, body.as_bytes()).unwrap_err();
        let expected = "it has a member `user_code` that is too long, or not plain text";
        assert_eq!(refused.to_string(), expected);
    }
}
