//! `_meta` of a request: the keys that the protocol reserves, and their values. A modern request
//! identifies its sender here. Whether that makes a [`Peer`](crate::peer::Peer) is decided
//! elsewhere.

use std::borrow::Cow;

use crate::envelope::Object;
use crate::escape;
use crate::id::ProgressToken;
use crate::trace_context::TraceContext;
pub use crate::trace_context::{BAGGAGE, TRACE_PARENT, TRACE_STATE};
use crate::types::{ClientCapabilities, Implementation, LoggingLevel};

/// The protocol version of a request (2026-07-28).
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The name and version of the client (2026-07-28).
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The capabilities of the client (2026-07-28).
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The name and version of the server, on results (2026-07-28).
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The subscription that a notification belongs to or that a result ends: the id of the
/// `subscriptions/listen` request (2026-07-28).
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The least severe level of log messages that the sender wants for a request; without it, the
/// sender wants none (2026-07-28).
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The token for progress notifications, which the sender thereby requests.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The `_meta` of a request as it was received. All members except the version are parsed on
/// demand, so that a fault in one does not hide the others.
#[derive(Clone, Debug, Default)]
pub struct RequestMeta<'a> {
    /// The protocol version, if it is a string.
    version: Option<Cow<'a, str>>,
    capabilities: Option<&'a str>,
    client: Option<&'a str>,
    progress: Option<&'a str>,
    is_no_object: bool,
    log_level: Option<&'a str>,
    trace_parent: Option<&'a str>,
    trace_state: Option<&'a str>,
    baggage: Option<&'a str>,
}

/// The identification of a modern request's sender.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Introduction {
    /// The capabilities of the client.
    pub capabilities: ClientCapabilities,
    /// The name and version that the client declares.
    pub implementation: Option<Implementation>,
}

impl<'a> RequestMeta<'a> {
    /// The `_meta` of these parameters; a value that is not an object counts as absent.
    pub fn of(params: Option<&Object<'a>>) -> Self {
        let Some(params) = params else {
            return Self::default();
        };
        match params.meta() {
            Some(meta) => Self::read(&meta),
            None => Self {
                is_no_object: params.get("_meta").is_some_and(|value| value != "null"),
                ..Self::default()
            },
        }
    }

    fn read(meta: &Object<'a>) -> Self {
        let mut read = Self::default();
        // Read in one pass, because looking up a single key would also take a pass.
        for (key, value) in meta.members() {
            match key {
                PROTOCOL_VERSION => read.version = escape::text(value),
                CLIENT_CAPABILITIES => read.capabilities = Some(value),
                CLIENT_INFO => read.client = Some(value),
                PROGRESS_TOKEN => read.progress = Some(value),
                LOG_LEVEL => read.log_level = Some(value),
                TRACE_PARENT => read.trace_parent = Some(value),
                TRACE_STATE => read.trace_state = Some(value),
                BAGGAGE => read.baggage = Some(value),
                _ => {}
            }
        }
        read
    }

    /// The protocol version, if there is one and it is a string.
    pub fn protocol_version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The JSON of the client's capabilities, valid or not.
    pub fn raw_capabilities(&self) -> Option<&'a str> {
        self.capabilities
    }

    /// The JSON of the client's implementation, valid or not.
    pub fn raw_client(&self) -> Option<&'a str> {
        self.client
    }

    /// The identification of the sender, unless one of its keys is
    /// [missing or wrong](Self::wrong_keys).
    pub fn introduction(&self) -> Option<Introduction> {
        // Read as a whole; wrong keys are searched for only after a failure.
        match (self.version.is_some(), self.capabilities(), self.client()) {
            (true, Some(capabilities), Ok(implementation)) => Some(Introduction {
                capabilities,
                implementation,
            }),
            _ => None,
        }
    }

    /// The keys of the identification that are missing or wrong.
    pub fn wrong_keys(&self) -> Vec<String> {
        let wrong = [
            (PROTOCOL_VERSION, self.version.is_none()),
            (CLIENT_CAPABILITIES, self.capabilities().is_none()),
            (CLIENT_INFO, self.client().is_err()),
        ];
        let wrong = wrong.into_iter().filter(|(_, is_wrong)| *is_wrong);
        wrong.map(|(key, _)| key.to_owned()).collect()
    }

    /// The capabilities of the client; `None` if they are missing or wrong.
    fn capabilities(&self) -> Option<ClientCapabilities> {
        let read: ClientCapabilities = serde_json::from_str(self.capabilities?).ok()?;
        // The type accepts other settings, because older revisions do not define extensions.
        let mut settings = read.extensions.iter().flat_map(|all| all.values());
        let are_objects = settings.all(|it| it.is_object() || it.is_null());
        are_objects.then_some(read)
    }

    /// The name and version of the client; `None` if they are absent.
    fn client(&self) -> serde_json::Result<Option<Implementation>> {
        self.client.map_or(Ok(None), serde_json::from_str)
    }

    /// Whether `_meta` is not an object, or its progress token is neither a string nor an integer.
    /// In both places `null` counts as absent, because some clients write it for members that they
    /// leave out.
    pub fn is_malformed(&self) -> bool {
        self.is_no_object || self.progress.is_some_and(|token| !may_be_token(token))
    }

    /// The token under which the sender wants progress notifications, if it is valid.
    pub fn progress_token(&self) -> Option<ProgressToken> {
        serde_json::from_str(self.progress?).ok()
    }

    /// The trace that the request is part of. Malformed parts count as absent.
    pub fn trace_context(&self) -> Option<TraceContext> {
        let mut trace = TraceContext::new(escape::text(self.trace_parent?)?)?;
        if let Some(state) = self.trace_state.and_then(escape::text) {
            trace = trace.state(state);
        }
        if let Some(baggage) = self.baggage.and_then(escape::text) {
            trace = trace.baggage(baggage);
        }
        Some(trace)
    }

    /// The least severe level of log messages that the sender wants for this request (2026-07-28;
    /// the key has no meaning before). The error lists the valid levels.
    pub fn log_level(&self) -> serde_json::Result<Option<LoggingLevel>> {
        let level = self.log_level.map(serde_json::from_str::<Option<_>>);
        level.transpose().map(Option::flatten)
    }
}

/// Whether this JSON is allowed by the schema of a progress token: any integer, even one that is
/// too large to store.
fn may_be_token(json: &str) -> bool {
    let is_integer = |json: &str| json.parse().is_ok_and(|number: f64| number.fract() == 0.0);
    json.starts_with('"') || json == "null" || is_integer(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::{Limits, parse_object};

    fn introduction(params: &str) -> Result<Introduction, Vec<String>> {
        let params = parse_object(params, &Limits::default()).unwrap();
        let meta = RequestMeta::of(Some(&params));
        meta.introduction().ok_or_else(|| meta.wrong_keys())
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
    fn malformed_parts_of_a_trace_are_absent() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
        let trace = || TraceContext::new(parent);
        for (meta, expected) in [
            (format!(r#""traceparent":"{parent}""#), trace()),
            (
                format!(r#""traceparent":"{parent}","tracestate":"a\u003db","baggage":"c=d""#),
                trace().map(|trace| trace.state("a=b").baggage("c=d")),
            ),
            (
                format!(r#""traceparent":"{parent}","tracestate":5,"baggage":"c""#),
                trace(),
            ),
            (
                r#""traceparent":"00-0af7-00f0-01","baggage":"c=d""#.to_owned(),
                None,
            ),
            (r#""traceparent":5"#.to_owned(), None),
            (r#""tracestate":"a=b""#.to_owned(), None),
        ] {
            let params = format!(r#"{{"_meta":{{{meta}}}}}"#);
            let params = parse_object(&params, &Limits::default()).unwrap();
            let found = RequestMeta::of(Some(&params)).trace_context();
            assert_eq!(found, expected, "{meta}");
        }
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

    /// The progress token of a `_meta`, and its log level or an error.
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
                r#"{"io.modelcontextprotocol/logLevel":null}"#,
                (None, Ok(None)),
            ),
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
    fn what_is_no_meta_is_told_from_what_is_left_out() {
        for (meta, is_malformed) in [
            ("null", false),
            ("{}", false),
            (r#"{"progressToken":null}"#, false),
            (r#"{"progressToken":1.0}"#, false),
            (r#"{"progressToken":18446744073709551615}"#, false),
            (r#"{"progressToken":""}"#, false),
            (r#"{"progressToken":1.5}"#, true),
            (r#"{"progressToken":true}"#, true),
            (r#"{"progressToken":[]}"#, true),
            (r#"{"progressToken":{}}"#, true),
            ("[]", true),
            ("5", true),
        ] {
            let params = format!(r#"{{"_meta":{meta}}}"#);
            let params = parse_object(&params, &Limits::default()).unwrap();
            let meta = RequestMeta::of(Some(&params));
            assert_eq!(meta.is_malformed(), is_malformed, "{params:?}");
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
