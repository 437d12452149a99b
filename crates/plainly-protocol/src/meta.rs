//! `_meta` of a request: the keys that the protocol reserves, and what they hold. A modern request introduces its sender
//! here, so it is read at once; whether that makes a [`Peer`](crate::peer::Peer) is decided elsewhere.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::envelope::{Limits, Object, parse_object};
use crate::id::ProgressToken;
use crate::types::{ClientCapabilities, Implementation, LoggingLevel};

/// The protocol version of a request (2026-07-28).
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Who the client is (2026-07-28).
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do (2026-07-28).
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Who the server is, on results (2026-07-28).
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Which subscription a notification is sent on, and which one a result ends: the id of the `subscriptions/listen` request
/// (2026-07-28).
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The least severe log messages that the sender wants for a request; absent, it wants none (2026-07-28).
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Asks for progress notifications.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The `_meta` of a request as received.
#[derive(Clone, Debug, Default)]
pub struct RequestMeta<'a> {
    raw: Option<&'a str>,
    known: Known<'a>,
}

/// The members that mean something; one that is wrong leaves all empty, to be looked at one by one.
#[derive(Clone, Debug, Default, Deserialize)]
struct Known<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<Cow<'a, str>>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<ClientCapabilities>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    client: Option<Implementation>,
    /// Unread, as the next: what is wrong in a wish is no reason to know less of who sends it.
    #[serde(borrow, rename = "progressToken")]
    progress: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<&'a RawValue>,
}

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
        let raw = params.and_then(|params| params.get("_meta"));
        let known = raw.and_then(|raw| serde_json::from_str(raw).ok());
        let known = known.or_else(|| raw.map(Known::without_introduction));
        Self {
            raw,
            known: known.unwrap_or_default(),
        }
    }

    /// The protocol version, if there is one and it is a string.
    pub fn protocol_version(&self) -> Option<&str> {
        self.known.version.as_deref()
    }

    /// The introduction, or every key of it that is missing or wrong.
    pub fn introduction(self) -> Result<Introduction, Vec<String>> {
        match self.known {
            Known {
                version: Some(_),
                capabilities: Some(capabilities),
                client,
                ..
            } => Ok(Introduction {
                capabilities,
                implementation: client,
            }),
            _ => Err(self.wrong_keys()),
        }
    }

    /// The keys of the introduction that are missing or wrong.
    pub fn wrong_keys(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if !self.holds::<Text<'_>>(PROTOCOL_VERSION).unwrap_or(false) {
            wrong.push(PROTOCOL_VERSION.to_owned());
        }
        if !self
            .holds::<ClientCapabilities>(CLIENT_CAPABILITIES)
            .unwrap_or(false)
        {
            wrong.push(CLIENT_CAPABILITIES.to_owned());
        }
        if !self
            .holds::<Option<Implementation>>(CLIENT_INFO)
            .unwrap_or(true)
        {
            wrong.push(CLIENT_INFO.to_owned());
        }
        wrong
    }

    /// The token under which the sender wants progress, if it is a valid one.
    pub fn progress_token(&self) -> Option<ProgressToken> {
        serde_json::from_str(self.known.progress?.get()).ok()
    }

    /// The least severe log messages that the sender wants for this request (2026-07-28; before, the key means nothing).
    /// The error says which levels there are.
    pub fn log_level(&self) -> serde_json::Result<Option<LoggingLevel>> {
        let level = self.known.log_level.map(RawValue::get);
        level.map(serde_json::from_str).transpose()
    }

    /// Whether the member `key` is a `T`; nothing if there is none.
    fn holds<T: Deserialize<'a>>(&self, key: &str) -> Option<bool> {
        let meta = parse_object(self.raw?, &Limits::default()).ok()?;
        Some(serde_json::from_str::<T>(meta.get(key)?).is_ok())
    }
}

impl<'a> Known<'a> {
    /// Enough to tell the era, and what is wished for, where something else in `raw` is wrong.
    fn without_introduction(raw: &'a str) -> Self {
        let Ok(meta) = parse_object(raw, &Limits::default()) else {
            return Self::default();
        };
        let wish = |key| serde_json::from_str(meta.get(key)?).ok();
        let version = meta.get(PROTOCOL_VERSION);
        let version = version.and_then(|version| serde_json::from_str::<Text<'a>>(version).ok());
        Self {
            version: version.map(|text| text.0),
            progress: wish(PROGRESS_TOKEN),
            log_level: wish(LOG_LEVEL),
            ..Self::default()
        }
    }
}

/// A string that is borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_client_that_introduces_itself_by_null_does_not_at_all() {
        let rest = r#""io.modelcontextprotocol/clientInfo":null,"io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
        let whole =
            format!(r#"{{"_meta":{{{rest},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}"#);
        assert_eq!(introduction(&whole).unwrap().implementation, None);
        let part = format!(r#"{{"_meta":{{{rest}}}}}"#);
        assert_eq!(introduction(&part).unwrap_err(), [CLIENT_CAPABILITIES]);
    }

    /// The progress token, and the level or that it is wrong, of a `_meta`.
    fn wishes(meta: &str) -> (Option<ProgressToken>, Result<Option<LoggingLevel>, ()>) {
        let params = format!(r#"{{"_meta":{meta}}}"#);
        let params = parse_object(&params, &Limits::default()).unwrap();
        let meta = RequestMeta::of(Some(&params));
        (meta.progress_token(), meta.log_level().map_err(drop))
    }

    #[test]
    fn what_is_wished_for_is_read_whatever_else_is_there() {
        let token = |token| Some(ProgressToken::from(token));
        let info = Ok(Some(LoggingLevel::Info));
        for (meta, expected) in [
            ("{}", (None, Ok(None))),
            ("[]", (None, Ok(None))),
            (r#"{"progressToken":"t"}"#, (token("t"), Ok(None))),
            (r#"{"progressToken":null}"#, (None, Ok(None))),
            (r#"{"progressToken":1.5}"#, (None, Ok(None))),
            (
                r#"{"io.modelcontextprotocol/logLevel":"info"}"#,
                (None, info),
            ),
            (
                r#"{"io.modelcontextprotocol/logLevel":"loud","progressToken":"t"}"#,
                (token("t"), Err(())),
            ),
            (
                r#"{"io.modelcontextprotocol/logLevel":"info","progressToken":"t",
                    "io.modelcontextprotocol/clientInfo":7}"#,
                (token("t"), info),
            ),
        ] {
            assert_eq!(wishes(meta), expected, "{meta}");
        }
    }

    #[test]
    fn a_wrong_wish_does_not_hide_who_sends_it() {
        let introduced = introduction(
            r#"{"_meta":{"progressToken":{},"io.modelcontextprotocol/logLevel":0,
                "io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientCapabilities":{}}}"#,
        );
        assert_eq!(introduced.unwrap().implementation, None);
    }

    #[test]
    fn a_version_with_escapes_is_decoded() {
        let params = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026\u002d07-28"}}"#;
        let meta = RequestMeta::of(Some(&parse_object(params, &Limits::default()).unwrap()));
        assert_eq!(meta.protocol_version().unwrap(), "2026-07-28");
    }
}
