//! Simple predicates of an error, whichever code the peer's revision has for it.

use plainly_errors::{
    Certainty, ErrorKind, InvalidParams, Problem, Problems, ProtocolError, UrlElicitation,
};
use serde_json::{Map, Value};

use super::{AuthError, Challenge, Error, LocalError};

/// Questions about the error. All are false for a local error, unless documented otherwise.
/// A meaning that is only [likely](Self::certainty) counts too, unless the client was built
/// [to be strict](crate::Builder::recognise).
impl Error {
    /// Whether the resource does not exist.
    pub fn is_resource_not_found(&self) -> bool {
        self.protocol()
            .is_some_and(ProtocolError::is_resource_not_found)
    }

    /// Whether the tool does not exist.
    pub fn is_tool_not_found(&self) -> bool {
        matches!(
            self.kind(),
            Some(ErrorKind::InvalidParams(InvalidParams::UnknownTool { .. }))
        )
    }

    /// Whether the prompt does not exist.
    pub fn is_prompt_not_found(&self) -> bool {
        matches!(
            self.kind(),
            Some(ErrorKind::InvalidParams(
                InvalidParams::UnknownPrompt { .. }
            ))
        )
    }

    /// Whether the server lacks the method: by its error, or because it did not declare the
    /// capability ([`LocalError::NotDeclared`]).
    pub fn is_method_not_found(&self) -> bool {
        let is_undeclared = matches!(self.local(), Some(LocalError::NotDeclared { .. }));
        is_undeclared || matches!(self.kind(), Some(ErrorKind::MethodNotFound { .. }))
    }

    /// Whether the parameters are invalid. A resource that does not exist is [a different
    /// error](Self::is_resource_not_found).
    pub fn is_invalid_params(&self) -> bool {
        matches!(self.kind(), Some(ErrorKind::InvalidParams(_)))
    }

    /// Whether the server considers the request invalid, whatever its method.
    pub fn is_invalid_request(&self) -> bool {
        matches!(
            self.kind(),
            Some(ErrorKind::InvalidRequest(_) | ErrorKind::Parse)
        )
    }

    /// Whether something failed inside the server.
    pub fn is_internal(&self) -> bool {
        matches!(self.kind(), Some(ErrorKind::Internal(_)))
    }

    /// Whether the server can't accept more requests right now.
    pub fn is_unavailable(&self) -> bool {
        matches!(self.kind(), Some(ErrorKind::Unavailable(_)))
    }

    /// Whether the server reports that the headers contradict the body.
    pub fn is_header_mismatch(&self) -> bool {
        matches!(self.kind(), Some(ErrorKind::HeaderMismatch))
    }

    /// Whether the two sides have no version in common: the server refused this client's, or this
    /// client refused the server's.
    pub fn is_unsupported_version(&self) -> bool {
        self.offered_versions().is_some()
    }

    /// The versions that the server offers, if it has [none in
    /// common](Self::is_unsupported_version) with this client.
    pub fn offered_versions(&self) -> Option<&[String]> {
        match (self.kind(), self.local()) {
            (Some(ErrorKind::UnsupportedProtocolVersion { supported, .. }), _) => Some(supported),
            (_, Some(LocalError::UnsupportedVersion { offered, .. })) => Some(offered),
            _ => None,
        }
    }

    /// Whether the server requires capabilities that this client did not declare.
    pub fn is_missing_capability(&self) -> bool {
        self.required_capabilities().is_some()
    }

    /// The [missing capabilities](Self::is_missing_capability), in the form of
    /// `ClientCapabilities`.
    pub fn required_capabilities(&self) -> Option<&Map<String, Value>> {
        match self.kind() {
            Some(ErrorKind::MissingRequiredClientCapability { required }) => Some(required),
            _ => None,
        }
    }

    /// Whether the user must visit URLs first (2025-11-25).
    pub fn is_url_elicitation_required(&self) -> bool {
        self.url_elicitations().is_some()
    }

    /// The URLs that the user must [visit first](Self::is_url_elicitation_required).
    pub fn url_elicitations(&self) -> Option<&[UrlElicitation]> {
        match self.kind() {
            Some(ErrorKind::UrlElicitationRequired { elicitations }) => Some(elicitations),
            _ => None,
        }
    }

    /// The certainty of the server's error's meaning. A local error is always certain.
    pub fn certainty(&self) -> Certainty {
        self.protocol()
            .map_or(Certainty::Certain, ProtocolError::certainty)
    }

    /// The problem that the server's error states, even if the HTTP status means more than that
    /// error. If there are several [problems](Self::problems), their summary.
    pub fn problem(&self) -> Option<&Problem> {
        match self.local() {
            Some(LocalError::HttpStatus { source, .. }) => source.as_ref()?.problem(),
            _ => self.protocol()?.problem(),
        }
    }

    /// The problems that the server's error states, if they are several.
    pub fn problems(&self) -> Option<Problems> {
        match self.local() {
            Some(LocalError::HttpStatus { source, .. }) => source.as_ref()?.problems(),
            _ => self.protocol()?.problems(),
        }
    }

    fn kind(&self) -> Option<&ErrorKind> {
        self.protocol().map(ProtocolError::kind)
    }
}

/// Questions about the HTTP response.
impl Error {
    /// The HTTP status, if the server's answer over HTTP has one other than success.
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::Local(error) => error.http().map(|(status, ..)| status),
            Self::Protocol(error) => {
                let status = error.received()?.http_status;
                Some(status).filter(|status| !(200..300).contains(status))
            }
        }
    }

    /// Whether the server wants credentials: none were sent, or they are not valid (HTTP status
    /// 401).
    pub fn is_unauthorized(&self) -> bool {
        self.http_status() == Some(401)
    }

    /// Whether the caller may not do this, according to HTTP status 403 or to the error's problem.
    pub fn is_forbidden(&self) -> bool {
        self.http_status() == Some(403)
            || self
                .problem()
                .is_some_and(|problem| problem.http_status() == 403)
    }

    /// The reason why there are no credentials that the server accepts, if the call failed because
    /// of that.
    pub fn authorization(&self) -> Option<&AuthError> {
        let LocalError::Authorization(error) = self.local()? else {
            return None;
        };
        Some(error)
    }

    /// The credentials that the server requires with status 401 or 403. If there are several, the
    /// bearer token, which is what MCP uses.
    pub fn challenge(&self) -> Option<&Challenge> {
        Challenge::main(self.challenges())
    }

    /// All credentials that the server wants, any one of which suffices.
    pub fn challenges(&self) -> &[Challenge] {
        let http = self.local().and_then(LocalError::http);
        http.map_or(&[], |(_, challenges, _)| challenges)
    }

    /// The URL that the server redirects to, if it answered with such a status. This client does
    /// not follow it.
    pub fn location(&self) -> Option<&str> {
        self.local()?.http()?.2
    }
}

impl LocalError {
    /// The status of an HTTP response, the credentials that it wants, and the URL that it redirects
    /// to.
    fn http(&self) -> Option<(u16, &[Challenge], Option<&str>)> {
        let Self::HttpStatus {
            status,
            challenges,
            location,
            ..
        } = self
        else {
            return None;
        };
        Some((*status, challenges, location.as_deref()))
    }
}

/// Questions about failures of the connection.
impl Error {
    /// Whether the server could not be reached: no server listens at the URL, or its program could
    /// not be started.
    pub fn is_unreachable(&self) -> bool {
        matches!(
            self.local(),
            Some(LocalError::Unreachable { .. } | LocalError::Spawn { .. })
        )
    }

    /// Whether no reply came in time.
    pub fn is_timeout(&self) -> bool {
        matches!(self.local(), Some(LocalError::Timeout { .. }))
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        matches!(self.local(), Some(LocalError::Closed(_)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use plainly_errors::{Code, Unavailable, WireError};
    use serde_json::json;

    use super::*;
    use crate::error::{CloseReason, ConnectionEnd};

    type Predicate = fn(&Error) -> bool;

    const PREDICATES: [(&str, Predicate); 13] = [
        ("resource not found", Error::is_resource_not_found),
        ("method not found", Error::is_method_not_found),
        ("invalid params", Error::is_invalid_params),
        ("invalid request", Error::is_invalid_request),
        ("internal", Error::is_internal),
        ("unavailable", Error::is_unavailable),
        ("header mismatch", Error::is_header_mismatch),
        ("unsupported version", Error::is_unsupported_version),
        ("missing capability", Error::is_missing_capability),
        ("url elicitation", Error::is_url_elicitation_required),
        ("unreachable", Error::is_unreachable),
        ("timeout", Error::is_timeout),
        ("closed", Error::is_closed),
    ];

    fn check(error: &Error, expected: &str) {
        let holds =
            |(name, predicate): &(&'static str, Predicate)| predicate(error).then_some(*name);
        let found: Vec<_> = PREDICATES.iter().filter_map(holds).collect();
        let expected: Vec<_> = (!expected.is_empty())
            .then_some(expected)
            .into_iter()
            .collect();
        assert_eq!(found, expected, "{error:?}");
    }

    #[test]
    fn what_a_server_sends_is_one_thing() {
        let required = json!({"requiredCapabilities": {"roots": {}}});
        let versions = json!({"supported": ["1"], "requested": "2"});
        let url = json!({"mode": "url", "elicitationId": "1", "url": "https://a.example/", "message": "m"});
        let urls = json!({"elicitations": [url]});
        for (code, data, expected) in [
            (-32700, json!(null), "invalid request"),
            (-32600, json!(null), "invalid request"),
            (-32601, json!(null), "method not found"),
            (-32602, json!(null), "invalid params"),
            (-32602, json!({"uri": "a:b"}), "resource not found"),
            (-32002, json!(null), "resource not found"),
            (-32602, required.clone(), "missing capability"),
            (-32021, required, "missing capability"),
            (-32021, json!(null), ""),
            (-32602, versions.clone(), "unsupported version"),
            (-32022, versions, "unsupported version"),
            (-32042, urls.clone(), "url elicitation"),
            (-32603, urls, "url elicitation"),
            (-32603, json!(null), "internal"),
            (-32020, json!(null), "header mismatch"),
            (-32000, json!(null), ""),
            (7, json!(null), ""),
        ] {
            let data = Some(data).filter(|data| !data.is_null());
            let error = WireError::received(Code::new(code), "m", data).recognise();
            check(&error.into(), expected);
        }
        let overloaded = ProtocolError::from(Unavailable::Overloaded);
        check(&overloaded.into(), "unavailable");
    }

    #[test]
    fn what_fails_here_is_one_thing_too() {
        let (method, after) = ("ping", Duration::ZERO);
        let closed = ConnectionEnd::without_words(CloseReason::Peer);
        let source = "refused".into();
        let url = String::new();
        let (offered, wanted) = (vec![], vec![]);
        for (error, expected) in [
            (
                LocalError::Timeout {
                    method,
                    after,
                    instead: None,
                },
                "timeout",
            ),
            (LocalError::Closed(Arc::new(closed)), "closed"),
            (LocalError::Unreachable { url, source }, "unreachable"),
            (
                LocalError::UnsupportedVersion { offered, wanted },
                "unsupported version",
            ),
            (LocalError::SessionLost, ""),
        ] {
            check(&error.into(), expected);
        }
    }

    #[test]
    fn what_an_error_asks_for_is_in_it() {
        let required: Map<_, _> = [("roots".to_owned(), json!({}))].into_iter().collect();
        let missing = Error::from(ProtocolError::missing_client_capability(required.clone()));
        assert_eq!(missing.required_capabilities(), Some(&required));
        let url = UrlElicitation::new("1", "https://a.example/", "Sign in");
        let visit = Error::from(ProtocolError::url_elicitation_required([url.clone()]));
        assert_eq!(visit.url_elicitations(), Some([url].as_slice()));
        let version = Error::from(ProtocolError::unsupported_version(["1"], "2"));
        assert_eq!(
            version.offered_versions(),
            Some(["1".to_owned()].as_slice())
        );
        assert_eq!(version.required_capabilities(), None);
        assert_eq!(version.url_elicitations(), None);
    }
}
