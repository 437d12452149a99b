//! The error object of a JSON-RPC response as read or written, and the HTTP status of that
//! response.

use std::borrow::Cow;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::code::Code;
use crate::number::integer;

/// The object `{code, message, data}`, which [`Dialect::encode`](crate::Dialect::encode) writes and
/// [`recognise`](Self::recognise) reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WireError {
    /// The code.
    pub code: Code,
    /// One sentence for the user.
    pub message: Cow<'static, str>,
    /// Details that a program needs in order to act.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The status of the HTTP response with the error; not part of the object. 200 for an error
    /// that was read.
    #[serde(skip)]
    pub http_status: u16,
    /// The waiting time in the HTTP response with the error (`Retry-After`); not part of the
    /// object.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
}

impl WireError {
    /// An error object as received, for [`recognise`](Self::recognise). `null` counts as no data.
    pub fn received(
        code: Code,
        message: impl Into<Cow<'static, str>>,
        data: Option<Value>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            data: data.filter(|data| !data.is_null()),
            http_status: OK,
            retry_after: None,
        }
    }
}

/// Reads objects only. Numbers are integers by their value, as in JSON Schema: `-32603.0` is one.
impl<'de> Deserialize<'de> for WireError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = Map::deserialize(deserializer)?;
        let code = members.get("code").and_then(integer);
        let code = code.ok_or_else(|| D::Error::custom("its code is not an integer"))?;
        let Some(Value::String(message)) = members.remove("message") else {
            return Err(D::Error::custom("its message is not a string"));
        };
        Ok(Self::received(
            Code::new(code),
            message,
            members.remove("data"),
        ))
    }
}

const OK: u16 = 200;
