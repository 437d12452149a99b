//! The JSON of a problem: the object of a tool result in the form of `mcp-error-codes`, the data of
//! a protocol error, and the body of an HTTP API (RFC 9457). None of them ever contains the context
//! or the source.

use std::borrow::Cow;

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use super::{Details, Problem};

/// `success`, `error`, `code`, and optionally `details` and `retry_after`, in this order.
#[derive(serde::Serialize)]
struct Object<'a> {
    success: bool,
    error: Cow<'a, str>,
    code: &'a str,
    #[serde(skip_serializing_if = "Details::is_empty")]
    details: &'a Details,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

/// The `data` of a protocol error. `suggestion` is an addition to `mcp-error-codes` and shows where
/// the message ends.
#[derive(serde::Serialize)]
struct Data<'a> {
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'a str>,
    #[serde(skip_serializing_if = "Details::is_empty")]
    details: &'a Details,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

/// The body by RFC 9457, with the data as extension members. It has no `type`, because the status
/// has the full meaning.
#[derive(serde::Serialize)]
pub(super) struct HttpBody<'a, T> {
    pub(super) title: &'a str,
    pub(super) status: u16,
    pub(super) detail: Cow<'a, str>,
    #[serde(flatten)]
    pub(super) extensions: T,
}

impl Problem {
    /// The media type of [`to_http_body`](Self::to_http_body).
    pub const MEDIA_TYPE: &str = "application/problem+json";

    /// The object of a tool result, as the problem serializes: `success` (false), `error` (message
    /// and suggestion), `code`, and optionally `details` and `retry_after` (whole seconds).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use plainly_errors::Problem;
    /// use serde_json::json;
    ///
    /// let problem = Problem::custom("BUSY", "Busy.").retry_in(Duration::from_millis(1));
    /// assert_eq!(
    ///     problem.to_object(),
    ///     json!({ "success": false, "error": "Busy.", "code": "BUSY", "retry_after": 1 }),
    /// );
    /// ```
    pub fn to_object(&self) -> Value {
        to_value(self)
    }

    /// The body of an HTTP API's response, with [this media type](Self::MEDIA_TYPE): `title`,
    /// `status` and `detail` of RFC 9457, and `code`, `suggestion`, `details` and `retry_after` as
    /// extensions. Send it with the status [`http_status`](Self::http_status) and, if there is one,
    /// the `Retry-After` of [`retry_after_seconds`](Self::retry_after_seconds).
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// assert_eq!(
    ///     Problem::missing_required("name").to_http_body(),
    ///     r#"{"title":"Bad Request","status":400,"detail":"Missing required field: 'name'.","code":"MISSING_REQUIRED","details":{"field":"name"}}"#,
    /// );
    /// ```
    pub fn to_http_body(&self) -> String {
        to_text(&HttpBody {
            title: self.code().http_phrase(),
            status: self.http_status(),
            detail: self.sentences(),
            extensions: self.as_data(),
        })
    }

    pub(crate) fn to_data(&self) -> Value {
        to_value(&self.as_data())
    }

    fn as_data(&self) -> Data<'_> {
        Data {
            code: self.code().as_str(),
            suggestion: self.suggestion(),
            details: self.details(),
            retry_after: self.retry_after_seconds(),
        }
    }
}

/// Writes the object of [`Problem::to_object`], with the members in that order.
impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = Object {
            success: false,
            error: self.sentences(),
            code: self.code().as_str(),
            details: self.details(),
            retry_after: self.retry_after_seconds(),
        };
        object.serialize(serializer)
    }
}

pub(super) fn to_value(rendering: &impl Serialize) -> Value {
    serde_json::to_value(rendering).expect("a rendering is JSON under names")
}

pub(super) fn to_text(rendering: &impl Serialize) -> String {
    serde_json::to_string(rendering).expect("a rendering is JSON under names")
}
