//! The table of errors: one row for each error code that JSON-RPC or any revision of MCP ever
//! defined, and one for each error that this implementation creates, with a column for each
//! revision if revisions differ. The numbers are defined only here.

use std::borrow::Cow;

use super::words::{
    list, missing_meta, must_declare, named, resource_too_large, too_large, with_mistakes,
    with_name,
};
use super::{Condition, Emit, Entry};
use crate::code::{ApplicationCode, Code};
use crate::kind::{ErrorKind, Internal, InvalidParams, InvalidRequest, Refusal, Unavailable};
use crate::mistake::{in_quotes, printable};
use crate::retry::Retry;
use crate::revision::Revisions;

pub(crate) const PARSE_ERROR: Code = Code::new(-32700);
pub(crate) const INVALID_REQUEST: Code = Code::new(-32600);
pub(crate) const METHOD_NOT_FOUND: Code = Code::new(-32601);
pub(crate) const INVALID_PARAMS: Code = Code::new(-32602);
pub(crate) const INTERNAL_ERROR: Code = Code::new(-32603);
pub(crate) const RESOURCE_NOT_FOUND: Code = Code::new(-32002);
pub(crate) const HEADER_MISMATCH: Code = Code::new(-32020);
pub(crate) const MISSING_CLIENT_CAPABILITY: Code = Code::new(-32021);
pub(crate) const UNSUPPORTED_VERSION: Code = Code::new(-32022);
pub(crate) const URL_ELICITATION_REQUIRED: Code = Code::new(-32042);

/// A code of this implementation and not of the protocol: the server can't accept more requests
/// now. It is an application code, like all codes that this implementation defines.
pub(crate) const UNAVAILABLE: ApplicationCode = ApplicationCode::of::<503>();

// Sets of revisions: one value for each revision, oldest first.
const URL_ERROR: Revisions = Revisions([false, false, false, true, false]);

const JSON_RPC: &str = "JSON-RPC 2.0, section 5.1";
const ERROR_CODES: &str = "MCP 2026-07-28, basic/index, Error Codes";
const RELEASE_CANDIDATE: &str =
    "MCP 2026-07-28 release candidate, renumbered by the error code allocation policy";
const ANY: &str = "assume its meaning, on every revision";
const NOTHING: &str = "assume nothing: implementations used it for different things";

/// A code that JSON-RPC defines. The rows of MCP's codes override the revisions.
const DEFINED: Entry = Entry {
    code: PARSE_ERROR,
    name: "",
    meaning: "",
    revisions: Revisions::ALL,
    emit: Emit::Defined,
    receive: ANY,
    data: "none",
    retry: Retry::AfterFix,
    advice: "",
    source: JSON_RPC,
    read: |_| None,
};
/// A code of a draft, which no released revision has.
const HISTORY: Entry = Entry {
    revisions: Revisions::NONE,
    emit: Emit::Never,
    receive: NOTHING,
    data: "any",
    retry: Retry::Never,
    source: RELEASE_CANDIDATE,
    ..DEFINED
};

pub(super) static CODES: [Entry; 14] = [
    Entry {
        code: PARSE_ERROR,
        name: "ParseError",
        meaning: "the message is not valid JSON in UTF-8",
        advice: "fix the sender: messages must be valid JSON in UTF-8",
        read: |_| Some(ErrorKind::Parse),
        ..DEFINED
    },
    Entry {
        code: INVALID_REQUEST,
        name: "InvalidRequest",
        meaning: "the JSON is not a request, or not one that can be served here",
        data: "none, or an object with kind",
        advice: "data.kind says what is wrong; if a session is missing or unknown, send initialize again",
        read: ErrorKind::read_invalid_request,
        ..DEFINED
    },
    Entry {
        code: METHOD_NOT_FOUND,
        name: "MethodNotFound",
        meaning: "the method does not exist",
        data: "{ method }",
        retry: Retry::Never,
        advice: "call only methods that the server's declared capabilities cover",
        read: ErrorKind::read_method_not_found,
        ..DEFINED
    },
    Entry {
        code: INVALID_PARAMS,
        name: "InvalidParams",
        meaning: "the parameters are invalid; with data exactly { uri }: the resource does not exist",
        data: "{ uri } for a missing resource; { requiredCapabilities } or { supported, requested } before 2026-07-28; \
               otherwise none, an object with kind, or a problem with code",
        advice: "with data exactly { uri }: list the resources again; otherwise correct the parameters as the message says",
        source: "JSON-RPC 2.0, section 5.1; SEP-2164",
        read: ErrorKind::read_invalid_params,
        ..DEFINED
    },
    Entry {
        code: INTERNAL_ERROR,
        name: "InternalError",
        meaning: "something failed inside the server",
        data: "none; { elicitations } on the revisions without -32042; otherwise an object with kind, or a problem with code",
        retry: Retry::AfterDelay,
        advice: "try again after a pause if the request is safe to repeat; then ask the server's operator, whose log has the cause",
        read: ErrorKind::read_internal,
        ..DEFINED
    },
    Entry {
        code: HEADER_MISMATCH,
        name: "HeaderMismatch",
        meaning: "HTTP headers that mirror the body are missing, malformed or contradict it",
        revisions: Revisions::MODERN,
        advice: "list the tools again, derive the headers from the body, and send the request again",
        source: "MCP 2026-07-28, basic/transports/streamable-http, Server Validation",
        read: |_| Some(ErrorKind::HeaderMismatch),
        ..DEFINED
    },
    Entry {
        code: MISSING_CLIENT_CAPABILITY,
        name: "MissingRequiredClientCapability",
        meaning: "the request requires a capability that the client did not declare",
        revisions: Revisions::MODERN,
        data: "{ requiredCapabilities }",
        advice: "declare the capabilities in data.requiredCapabilities if the client has them, and send the request again",
        source: ERROR_CODES,
        read: ErrorKind::read_missing_capability,
        ..DEFINED
    },
    Entry {
        code: UNSUPPORTED_VERSION,
        name: "UnsupportedProtocolVersion",
        meaning: "the server does not support the requested protocol version",
        revisions: Revisions::MODERN,
        data: "{ supported, requested }",
        advice: "choose one of data.supported, and send the request again",
        source: ERROR_CODES,
        read: ErrorKind::read_unsupported_version,
        ..DEFINED
    },
    Entry {
        code: RESOURCE_NOT_FOUND,
        name: "ResourceNotFound",
        meaning: "the resource does not exist; replaced by -32602 in SEP-2164",
        revisions: Revisions::LEGACY,
        emit: Emit::PerRevision,
        receive: "treat it as resource not found, on every revision",
        data: "{ uri }",
        retry: Retry::Never,
        advice: "list the resources again; servers should send -32602 with data exactly { uri } instead",
        source: "MCP 2024-11-05 to 2025-11-25, server/resources, Error Handling",
        read: ErrorKind::read_resource_not_found,
        ..DEFINED
    },
    Entry {
        code: URL_ELICITATION_REQUIRED,
        name: "UrlElicitationRequired",
        meaning: "the user must visit URLs before the request can be served",
        revisions: URL_ERROR,
        receive: "assume its meaning from a server of 2025-11-25",
        data: "{ elicitations }",
        advice: "let the user visit the URLs in data.elicitations, and send the request again",
        source: "MCP 2025-11-25, client/elicitation, URL Mode With Elicitation Required Error",
        read: ErrorKind::read_url_elicitation,
        ..DEFINED
    },
    Entry {
        code: Code::new(-32001),
        name: "HeaderMismatch (release candidate)",
        meaning: "same as -32020; elsewhere request timeout or session not found",
        advice: "go by the message: the code alone has no fixed meaning",
        ..HISTORY
    },
    Entry {
        code: Code::new(-32003),
        name: "MissingRequiredClientCapability (release candidate)",
        meaning: "same as -32021",
        advice: "show the message; servers should send -32021 instead",
        ..HISTORY
    },
    Entry {
        code: Code::new(-32004),
        name: "UnsupportedProtocolVersion (release candidate)",
        meaning: "same as -32022",
        advice: "show the message; servers should send -32022 instead",
        ..HISTORY
    },
    Entry {
        code: Code::new(-1),
        name: "UserRejected",
        meaning: "the user declined a sampling request; an example of the specification, sent by clients",
        revisions: Revisions::LEGACY,
        receive: "assume its meaning in answer to sampling/createMessage",
        data: "any",
        retry: Retry::Never,
        advice: "do without the sample, or ask the user again later",
        source: "MCP 2024-11-05 to 2025-11-25, client/sampling, Error Handling",
        ..DEFINED
    },
];

/// Declares the list of conditions and the functions from an error to its row and its message from
/// the same rows, so that none can have a row that the others lack.
macro_rules! conditions {
    ($($error:pat => $condition:expr, $words:expr;)+) => {
        pub(super) static CONDITIONS: &[Condition] = &[$($condition),+];

        /// The row of an error; `None` for errors that have their own code.
        #[expect(unused_variables, reason = "what an error names stands in its words alone")]
        pub(crate) fn condition(error: &ErrorKind) -> Option<&'static Condition> {
            match error {
                $($error => Some(const { &$condition }),)+
                ErrorKind::Application { .. } | ErrorKind::Unrecognised { .. } => None,
            }
        }

        /// The default message of an error, for users.
        pub(crate) fn words(error: &ErrorKind) -> Cow<'static, str> {
            match error {
                $($error => $words.into(),)+
                ErrorKind::Application { code, .. } => format!("Application error {code}").into(),
                ErrorKind::Unrecognised { code, .. } => format!("Error {code}").into(),
            }
        }
    };
}

/// A message that is rejected as a whole.
const fn invalid(name: &'static str, http_status: u16) -> Condition {
    Condition::new(name, INVALID_REQUEST, http_status).by_server()
}

/// A parameter that is wrong.
const fn wrong(name: &'static str) -> Condition {
    Condition::new(name, INVALID_PARAMS, 200)
}

/// A failure in the server.
const fn failed(name: &'static str) -> Condition {
    Condition::new(name, INTERNAL_ERROR, 200)
}

/// A server that can't accept more requests now.
const fn unavailable(name: &'static str) -> Condition {
    Condition {
        retry: Some(Retry::AfterDelay),
        ..Condition::new(name, Code::new(UNAVAILABLE.get()), 503).by_server()
    }
}

conditions! {
    ErrorKind::Parse =>
        Condition::new("the bytes are not JSON", PARSE_ERROR, 400).by_server(),
        "Parse error";

    ErrorKind::InvalidRequest(InvalidRequest::Malformed) =>
        invalid("the JSON is not a message", 400),
        "Invalid request";
    ErrorKind::InvalidRequest(InvalidRequest::DuplicateId) =>
        invalid("the id is in use", 400),
        "Invalid request: another request with this id is still being served";
    ErrorKind::InvalidRequest(InvalidRequest::SessionRequired) =>
        invalid("the session id is missing", 400).on(Revisions::LEGACY),
        "Invalid request: no session. Send initialize first, then the Mcp-Session-Id from its response; \
         or use the headers and _meta of revision 2026-07-28";
    ErrorKind::InvalidRequest(InvalidRequest::SessionNotFound) =>
        invalid("the session is unknown", 404).on(Revisions::LEGACY),
        "Invalid request: unknown or expired session. Send initialize again";

    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::BadRequest }) =>
        invalid("the HTTP request is malformed", 400),
        "Bad request: the HTTP request is contradictory or malformed";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::Unauthorized }) =>
        invalid("the access token is missing or rejected", 401),
        "Unauthorized: this server needs an access token";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::InsufficientScope }) =>
        invalid("the access token lacks a scope", 403),
        "Forbidden: the access token lacks a scope that this request needs";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::ForbiddenHost }) =>
        invalid("the host is not the server's", 403),
        "Forbidden: this server does not accept that Host";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::ForbiddenOrigin }) =>
        invalid("the origin is not allowed", 403),
        "Forbidden: requests from that Origin are not allowed";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::UnknownPath }) =>
        invalid("the path is not the endpoint", 404),
        "Not found: this path is not the MCP endpoint";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::MethodNotAllowed }) =>
        invalid("the HTTP method is not allowed", 405),
        "Method not allowed: send messages by POST";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::NotAcceptable }) =>
        invalid("the client accepts too few media types", 406),
        "Not acceptable: accept both application/json and text/event-stream";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::RequestTimeout }) =>
        invalid("the body did not arrive in time", 408),
        "Request timeout: the body did not arrive in time";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::StreamTaken }) =>
        invalid("the session's stream is already open", 409).on(Revisions::LEGACY),
        "Conflict: the stream of this session is already open";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::TooLarge { limit } }) =>
        invalid("the message is too large", 413),
        too_large(*limit);
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::UnsupportedMediaType }) =>
        invalid("the body is not declared as JSON", 415),
        "Unsupported media type: send the message as application/json";
    ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal: Refusal::TooManyFailures }) =>
        invalid("too many bad access tokens came from one address", 429),
        "Too many requests: too many access tokens from this address were rejected";

    ErrorKind::HeaderMismatch =>
        Condition::new("headers contradict the body", HEADER_MISMATCH, 400).by_server().on(Revisions::MODERN).written_as([
            (INVALID_REQUEST, 400),
            (INVALID_REQUEST, 400),
            (INVALID_REQUEST, 400),
            (INVALID_REQUEST, 400),
            (HEADER_MISMATCH, 400),
        ]),
        "Header mismatch";
    ErrorKind::MethodNotFound { method } =>
        Condition::new("the method does not exist", METHOD_NOT_FOUND, 200).by_server().written_as([
            (METHOD_NOT_FOUND, 200),
            (METHOD_NOT_FOUND, 200),
            (METHOD_NOT_FOUND, 200),
            (METHOD_NOT_FOUND, 200),
            (METHOD_NOT_FOUND, 404),
        ]),
        with_name("Method not found", method.as_deref());

    // 400 if the message itself is rejected, before its method is read.
    ErrorKind::InvalidParams(InvalidParams::NotAnObject) =>
        Condition::new("params is not an object", INVALID_PARAMS, 400).by_server(),
        "Invalid params: not an object";
    ErrorKind::InvalidParams(InvalidParams::MissingMeta { keys, problems }) =>
        Condition::new("required _meta is missing", INVALID_PARAMS, 400).by_server().on(Revisions::MODERN),
        missing_meta(keys, problems);
    ErrorKind::InvalidParams(InvalidParams::Malformed { problems }) =>
        wrong("a parameter is invalid"),
        with_mistakes("Invalid params", problems);
    ErrorKind::InvalidParams(InvalidParams::UnknownTool { name }) =>
        wrong("the tool does not exist"),
        with_name("Unknown tool", Some(name));
    ErrorKind::InvalidParams(InvalidParams::UnknownPrompt { name }) =>
        wrong("the prompt does not exist"),
        with_name("Unknown prompt", Some(name));
    ErrorKind::InvalidParams(InvalidParams::UnknownSkill { uri }) =>
        wrong("the skill does not exist"),
        with_name("Unknown skill", Some(uri));
    ErrorKind::InvalidParams(InvalidParams::InvalidCursor) =>
        wrong("the cursor is not valid"),
        "Invalid cursor: start again without one";
    ErrorKind::InvalidParams(InvalidParams::InvalidRequestState) =>
        wrong("the requestState is not valid").on(Revisions::MODERN),
        "Invalid requestState: start again without one";
    ErrorKind::InvalidParams(InvalidParams::InvalidInputResponse { key, problems: _ }) =>
        wrong("an answer does not match its question").on(Revisions::MODERN),
        with_name("Invalid input response", Some(key));
    ErrorKind::InvalidParams(InvalidParams::UnknownTask) =>
        wrong("the task does not exist").on(Revisions::MODERN),
        "Unknown task: it does not exist or has expired";
    ErrorKind::InvalidParams(InvalidParams::InvalidUri { uri, problems }) =>
        wrong("the URI is not valid"),
        with_mistakes(format!("Invalid URI: {}", named(uri)), problems);
    ErrorKind::ResourceNotFound { uri } =>
        Condition {
            pinned: Some(RESOURCE_NOT_FOUND),
            retry: Some(Retry::Never),
            ..wrong("the resource does not exist")
        },
        with_name("Resource not found", uri.as_deref());
    ErrorKind::InvalidParams(InvalidParams::NotACollection { uri }) =>
        wrong("the resource is not a collection"),
        with_name("Not a collection", Some(uri));
    ErrorKind::InvalidParams(InvalidParams::ResourceTooLarge { uri, size, limit, parts }) =>
        wrong("the resource is too large"),
        resource_too_large(uri, (*size, *limit), parts);
    ErrorKind::InvalidParams(InvalidParams::NoSuchPart { uri, size }) =>
        wrong("the part does not exist"),
        format!("No such part: {} begins after the end, at {size}", printable(uri));

    ErrorKind::UnsupportedProtocolVersion { supported, requested } =>
        Condition::new("the version is not supported", UNSUPPORTED_VERSION, 400).by_server().written_as([
            (INVALID_PARAMS, 400),
            (INVALID_PARAMS, 400),
            (INVALID_PARAMS, 400),
            (INVALID_PARAMS, 400),
            (UNSUPPORTED_VERSION, 400),
        ]),
        format!("Unsupported protocol version {}: use {}", in_quotes(requested), supported.join(" or "));
    ErrorKind::MissingRequiredClientCapability { required } =>
        Condition::new("the client lacks a capability", MISSING_CLIENT_CAPABILITY, 400).written_as([
            (INVALID_PARAMS, 200),
            (INVALID_PARAMS, 200),
            (INVALID_PARAMS, 200),
            (INVALID_PARAMS, 200),
            (MISSING_CLIENT_CAPABILITY, 400),
        ]),
        must_declare(required);
    // Used if the channel has no better form (a tool error, `input_required`). The other revisions
    // get an internal error that also contains the URLs.
    ErrorKind::UrlElicitationRequired { elicitations } =>
        Condition {
            written: [
                (INTERNAL_ERROR, 200),
                (INTERNAL_ERROR, 200),
                (INTERNAL_ERROR, 200),
                (URL_ELICITATION_REQUIRED, 200),
                (INTERNAL_ERROR, 200),
            ],
            retry: Some(Retry::AfterFix),
            ..failed("the user must visit a URL, and no result can request it")
        },
        format!(
            "The user must visit {} first",
            list(elicitations.iter().map(|one| one.url.as_str())),
        );

    ErrorKind::Internal(Internal::Failed) =>
        failed("something failed internally"),
        "Internal error";
    ErrorKind::Internal(Internal::Incident { incident }) =>
        failed("something failed that only the server's log describes"),
        format!("Internal error. See the server's log for incident {incident}");
    ErrorKind::Internal(Internal::DeadlineExceeded { limit_ms }) =>
        failed("the request took too long"),
        format!("Internal error: not finished within {limit_ms} ms");
    // A repeated request would give a response of the same size.
    ErrorKind::Internal(Internal::ReplyTooLarge { limit }) =>
        Condition { retry: Some(Retry::Never), ..failed("the reply is too large") },
        format!("Internal error: the reply is larger than {limit} bytes");
    ErrorKind::Unavailable(Unavailable::Overloaded) =>
        unavailable("the server is overloaded"),
        "Too many requests in flight: try again later";
    ErrorKind::Unavailable(Unavailable::ShuttingDown) =>
        unavailable("the server is shutting down"),
        "The server is shutting down";
    ErrorKind::Unavailable(Unavailable::CannotVerify) =>
        unavailable("access tokens can't be verified at the moment"),
        "Access tokens can't be verified at the moment: try again later";
}
