//! `_meta` of a request: the keys that the protocol reserves, and what they hold. A modern request introduces its sender
//! here, so it is read at once; whether that makes a [`Peer`](crate::peer::Peer) is decided elsewhere.

use std::borrow::Cow;

use serde::Deserialize;

use crate::envelope::Object;
use crate::id::ProgressToken;
use crate::types::{ClientCapabilities, Implementation};

/// The protocol version of a request (2026-07-28).
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Who the client is (2026-07-28).
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do (2026-07-28).
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Who the server is, on results (2026-07-28).
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Asks for progress notifications.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The `_meta` of a request as received.
#[derive(Clone, Debug)]
pub struct RequestMeta<'a>(Option<Object<'a>>);

/// How a modern request introduces its sender.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Introduction {
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// Who it says it is.
    pub implementation: Option<Implementation>,
}

impl<'a> RequestMeta<'a> {
    /// The `_meta` of these parameters; one that is no object counts as absent.
    pub fn of(params: Option<&Object<'a>>) -> Self {
        Self(params.and_then(|params| params.get_object("_meta")))
    }

    /// The protocol version, if there is one and it is a string.
    pub fn protocol_version(&self) -> Option<Cow<'a, str>> {
        let raw = self.0.as_ref()?.get(PROTOCOL_VERSION)?;
        serde_json::from_str::<Text<'a>>(raw)
            .ok()
            .map(|text| text.0)
    }

    /// The introduction, or every key of it that is missing or wrong.
    pub fn introduction(&self) -> Result<Introduction, Vec<String>> {
        let mut wrong = Vec::new();
        if self.protocol_version().is_none() {
            wrong.push(PROTOCOL_VERSION.to_owned());
        }
        let capabilities = self.read(CLIENT_CAPABILITIES, &mut wrong);
        if self.get(CLIENT_CAPABILITIES).is_none() {
            wrong.push(CLIENT_CAPABILITIES.to_owned());
        }
        let implementation = self.read(CLIENT_INFO, &mut wrong);
        match capabilities {
            Some(capabilities) if wrong.is_empty() => Ok(Introduction {
                capabilities,
                implementation,
            }),
            _ => Err(wrong),
        }
    }

    /// The token under which the sender wants progress, if it is a valid one.
    pub fn progress_token(&self) -> Option<ProgressToken> {
        serde_json::from_str(self.get(PROGRESS_TOKEN)?).ok()
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.0.as_ref()?.get(key)
    }

    fn read<T: Deserialize<'a>>(&self, key: &str, wrong: &mut Vec<String>) -> Option<T> {
        let value = serde_json::from_str(self.get(key)?).ok();
        if value.is_none() {
            wrong.push(key.to_owned());
        }
        value
    }
}

/// A string that is borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::{Limits, parse_object};

    fn introduction(params: &str) -> Result<Introduction, Vec<String>> {
        RequestMeta::of(Some(&parse_object(params, &Limits::default()).unwrap())).introduction()
    }

    #[test]
    fn complete_meta_introduces_the_client() {
        let introduced = introduction(
            r#"{"_meta":{
                "io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
                "io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}"#,
        )
        .unwrap();
        assert!(introduced.capabilities.sampling.is_some());
        assert_eq!(introduced.implementation.unwrap().name, "c");
    }

    #[test]
    fn all_that_is_missing_or_wrong_is_named_at_once() {
        for (params, keys) in [
            ("{}", vec![PROTOCOL_VERSION, CLIENT_CAPABILITIES]),
            (
                r#"{"_meta":[]}"#,
                vec![PROTOCOL_VERSION, CLIENT_CAPABILITIES],
            ),
            (
                r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
                vec![CLIENT_CAPABILITIES],
            ),
            (
                r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":1,
                    "io.modelcontextprotocol/clientCapabilities":[],
                    "io.modelcontextprotocol/clientInfo":"me"}}"#,
                vec![PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO],
            ),
        ] {
            assert_eq!(introduction(params).unwrap_err(), keys, "{params}");
        }
    }

    #[test]
    fn a_version_with_escapes_is_decoded() {
        let params = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026\u002d07-28"}}"#;
        let meta = RequestMeta::of(Some(&parse_object(params, &Limits::default()).unwrap()));
        assert_eq!(meta.protocol_version().unwrap(), "2026-07-28");
    }
}
