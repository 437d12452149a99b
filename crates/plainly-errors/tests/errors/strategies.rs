//! Arbitrary errors, codes and JSON, with a bias towards the edges of the rules.

use std::time::Duration;

use plainly_errors::problem::ProblemCode;
use plainly_errors::{
    ApplicationCode, Code, ErrorKind, Internal, InvalidParams, InvalidRequest, Mistake, Problem,
    ProtocolError, Refusal, Unavailable, UrlElicitation, WireError,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any integer; two in three are in the reserved range or around its edges.
pub(crate) fn code() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        -32800..=-31980_i64,
        proptest::sample::select(vec![
            -32769, -32768, -32701, -32700, -32699, -32604, -32603, -32602, -32601, -32600, -32599,
            -32100, -32099, -32042, -32023, -32022, -32021, -32020, -32019, -32004, -32003, -32002,
            -32001, -32000, -31999, -1, 0, 1, 503,
        ]),
    ]
}

/// Any JSON; half of it has, or almost has, the shape of some error's data.
pub(crate) fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i16>().prop_map(|n| json!(f64::from(n) / 4.0)),
        any::<String>().prop_map(Value::from),
    ];
    let any_json = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop_oneof![any_json.clone(), shape(any_json)]
}

/// Data of a known shape, in which one member may be replaced, removed or added.
fn shape(any_json: impl Strategy<Value = Value> + Clone + 'static) -> impl Strategy<Value = Value> {
    let known = vec![
        json!({ "uri": "file:///a" }),
        json!({ "method": "tools/call" }),
        json!({ "requiredCapabilities": { "sampling": {} } }),
        json!({ "supported": ["2026-07-28"], "requested": "1900-01-01" }),
        json!({ "elicitations": [{ "mode": "url", "elicitationId": "1", "url": "u", "message": "m" }] }),
        json!({ "kind": "overloaded" }),
        json!({ "kind": "duplicate_id" }),
        json!({ "kind": "refused", "refusal": "too_large", "limit": 1 }),
        json!({ "kind": "invalid_cursor" }),
        json!({ "kind": "unknown_tool", "name": "t" }),
        json!({ "kind": "unknown_prompt", "name": "p" }),
        json!({ "kind": "unknown_skill", "uri": "skill://s/SKILL.md" }),
        json!({ "kind": "resource_too_large", "uri": "file:///a", "size": 2, "limit": 1 }),
        json!({ "kind": "no_such_part", "uri": "file:///a#line=9,", "size": 2 }),
        json!({ "kind": "deadline_exceeded", "limitMs": 1 }),
        json!({ "code": "TIMEOUT", "suggestion": "s", "details": { "a": 1 }, "retry_after": 1 }),
        json!({ "code": "NOT_FOUND", "uri": "file:///a" }),
        json!({ "success": false, "error": "m", "code": "TEAPOT" }),
    ];
    let change = (0..3_usize, any_json, any::<proptest::sample::Index>());
    (proptest::sample::select(known), option::of(change)).prop_map(|(mut data, change)| {
        let members = data.as_object_mut().expect("each is an object");
        if let Some((how, other, index)) = change {
            let keys: Vec<_> = members.keys().cloned().collect();
            let key = index.get(&keys).clone();
            match how {
                0 => members.insert(key, other),
                1 => members.remove(&key),
                _ => members.insert("extra".to_owned(), other),
            };
        }
        data
    })
}

pub(crate) fn application_code() -> impl Strategy<Value = ApplicationCode> {
    code().prop_filter_map("reserved", |code| ApplicationCode::try_from(code).ok())
}

fn refusal() -> impl Strategy<Value = Refusal> {
    proptest::sample::select(vec![
        Refusal::BadRequest,
        Refusal::Unauthorized,
        Refusal::InsufficientScope,
        Refusal::ForbiddenHost,
        Refusal::ForbiddenOrigin,
        Refusal::UnknownPath,
        Refusal::MethodNotAllowed,
        Refusal::NotAcceptable,
        Refusal::RequestTimeout,
        Refusal::StreamTaken,
        Refusal::TooLarge { limit: None },
        Refusal::TooLarge {
            limit: Some(4 << 20),
        },
        Refusal::UnsupportedMediaType,
        Refusal::TooManyFailures,
    ])
}

fn invalid_request() -> impl Strategy<Value = InvalidRequest> {
    prop_oneof![
        Just(InvalidRequest::Malformed),
        Just(InvalidRequest::DuplicateId),
        Just(InvalidRequest::SessionRequired),
        Just(InvalidRequest::SessionNotFound),
        refusal().prop_map(|refusal| InvalidRequest::Refused { refusal }),
    ]
}

fn invalid_params() -> impl Strategy<Value = InvalidParams> {
    prop_oneof![
        problems().prop_map(|problems| InvalidParams::Malformed { problems }),
        Just(InvalidParams::NotAnObject),
        (vec(any::<String>(), 0..3), problems())
            .prop_map(|(keys, problems)| InvalidParams::MissingMeta { keys, problems }),
        any::<String>().prop_map(|name| InvalidParams::UnknownTool { name }),
        any::<String>().prop_map(|name| InvalidParams::UnknownPrompt { name }),
        any::<String>().prop_map(|uri| InvalidParams::UnknownSkill { uri }),
        Just(InvalidParams::InvalidCursor),
        Just(InvalidParams::InvalidRequestState),
        (any::<String>(), problems())
            .prop_map(|(key, problems)| InvalidParams::InvalidInputResponse { key, problems }),
        Just(InvalidParams::UnknownTask),
        (any::<String>(), problems())
            .prop_map(|(uri, problems)| InvalidParams::InvalidUri { uri, problems }),
        any::<String>().prop_map(|uri| InvalidParams::NotACollection { uri }),
        (
            any::<String>(),
            any::<u64>(),
            any::<u64>(),
            any::<Vec<String>>()
        )
            .prop_map(
                |(uri, size, limit, parts)| InvalidParams::ResourceTooLarge {
                    uri,
                    size,
                    limit,
                    parts
                }
            ),
        (any::<String>(), any::<u64>())
            .prop_map(|(uri, size)| InvalidParams::NoSuchPart { uri, size }),
    ]
}

fn problems() -> impl Strategy<Value = Vec<Mistake>> {
    let mistake = any::<(String, String)>().prop_map(|(path, why)| Mistake::new(path, why));
    vec(mistake, 0..3)
}

fn internal() -> impl Strategy<Value = Internal> {
    prop_oneof![
        Just(Internal::Failed),
        any::<String>().prop_map(|incident| Internal::Incident { incident }),
        any::<u64>().prop_map(|limit_ms| Internal::DeadlineExceeded { limit_ms }),
        any::<u64>().prop_map(|limit| Internal::ReplyTooLarge { limit }),
    ]
}

fn members() -> impl Strategy<Value = Map<String, Value>> {
    btree_map(any::<String>(), json_value(), 0..3).prop_map(|members| members.into_iter().collect())
}

fn elicitation() -> impl Strategy<Value = UrlElicitation> {
    any::<[String; 3]>().prop_map(|[id, url, message]| UrlElicitation::new(id, url, message))
}

/// Every kind, with every detail.
pub(crate) fn kind() -> impl Strategy<Value = ErrorKind> {
    let plain = prop_oneof![
        Just(ErrorKind::Parse),
        Just(ErrorKind::HeaderMismatch),
        invalid_request().prop_map(ErrorKind::InvalidRequest),
        invalid_params().prop_map(ErrorKind::InvalidParams),
        internal().prop_map(ErrorKind::Internal),
        Just(ErrorKind::Unavailable(Unavailable::Overloaded)),
        Just(ErrorKind::Unavailable(Unavailable::ShuttingDown)),
        Just(ErrorKind::Unavailable(Unavailable::CannotVerify)),
        option::of(any::<String>()).prop_map(|method| ErrorKind::MethodNotFound { method }),
        option::of(any::<String>()).prop_map(|uri| ErrorKind::ResourceNotFound { uri }),
    ];
    let shaped = prop_oneof![
        members().prop_map(|required| ErrorKind::MissingRequiredClientCapability { required }),
        (vec(any::<String>(), 0..3), any::<String>()).prop_map(|(supported, requested)| {
            ErrorKind::UnsupportedProtocolVersion {
                supported,
                requested,
            }
        }),
        vec(elicitation(), 0..3)
            .prop_map(|elicitations| ErrorKind::UrlElicitationRequired { elicitations }),
        (application_code(), option::of(json_value()))
            .prop_map(|(code, data)| ErrorKind::Application { code, data }),
        (code(), option::of(json_value())).prop_map(|(code, data)| ErrorKind::Unrecognised {
            code: Code::new(code),
            data
        }),
    ];
    prop_oneof![plain, shaped]
}

fn problem_code() -> impl Strategy<Value = ProblemCode> {
    prop_oneof![
        4 => proptest::sample::select(ProblemCode::all().to_vec()),
        1 => any::<String>().prop_map(ProblemCode::from),
    ]
}

/// Every problem, without context and source.
pub(crate) fn problem() -> impl Strategy<Value = Problem> {
    let time = (any::<u64>(), 0..1_000_000_000_u32)
        .prop_map(|(seconds, nanos)| Duration::new(seconds, nanos));
    (
        problem_code(),
        any::<String>(),
        option::of(any::<String>()),
        members(),
        option::of(time),
    )
        .prop_map(|(code, message, suggestion, details, time)| {
            let mut problem = Problem::new(code, message);
            for (name, value) in details {
                problem = problem.detail(name, value);
            }
            if let Some(suggestion) = suggestion {
                problem = problem.suggest(suggestion);
            }
            match time {
                Some(time) => problem.retry_in(time),
                None => problem,
            }
        })
}

/// Any error that can be created, with its own message or the default one; one in four is a
/// problem.
pub(crate) fn error() -> impl Strategy<Value = ProtocolError> {
    let plain = (kind(), option::of(any::<String>())).prop_map(|(kind, message)| {
        let error = ProtocolError::new(kind);
        match message {
            Some(message) => error.with_message(message),
            None => error,
        }
    });
    let stated = problem().prop_map(ProtocolError::from);
    prop_oneof![3 => plain, 1 => stated]
}

/// Any error object that a peer may send.
pub(crate) fn received() -> impl Strategy<Value = WireError> {
    (code(), any::<String>(), option::of(json_value()))
        .prop_map(|(code, message, data)| WireError::received(Code::new(code), message, data))
}
