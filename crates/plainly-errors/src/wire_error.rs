//! The error object of a JSON-RPC response as read or written, and the HTTP status that goes beside it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::code::Code;

/// `{code, message, data}`: what [`Dialect::encode`](crate::Dialect::encode) writes and [`recognise`](Self::recognise) reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WireError {
    /// The number.
    pub code: Code,
    /// One sentence for a person.
    pub message: Cow<'static, str>,
    /// Details that a program needs in order to act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The status of the HTTP response that carries it; not part of the object. 200 where an error was read.
    #[serde(skip, default = "ok")]
    pub http_status: u16,
}

impl WireError {
    /// An error object as received, for [`recognise`](Self::recognise). `null` as data is no data.
    pub fn received(
        code: Code,
        message: impl Into<Cow<'static, str>>,
        data: Option<Value>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            data: data.filter(|data| !data.is_null()),
            http_status: ok(),
        }
    }
}

fn ok() -> u16 {
    200
}
