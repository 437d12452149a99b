//! The rules that make a scanned value a request, a notification or a response.

use std::borrow::Cow;

use super::Limits;
use super::defect::{Defect, Fault};
use super::malformed::MalformedMessage;
use super::object::{Member, Object};
use super::scan::JsonText;
use crate::escape;
use crate::id::RawId;

/// One JSON-RPC message.
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC has these three kinds of message"
)]
pub enum Message<'a> {
    /// A request, which expects a response.
    Request(Request<'a>),
    /// A notification, which expects no response.
    Notification(Notification<'a>),
    /// A response to a request.
    Response(Response<'a>),
}

/// A message with `method` and `id`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The id that its response must carry.
    pub id: RawId<'a>,
    /// The method's name, known or not.
    pub method: Cow<'a, str>,
    /// The parameters, if there are any.
    pub params: Option<Object<'a>>,
}

/// A message with `method` and without `id`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Notification<'a> {
    /// The method's name, known or not.
    pub method: Cow<'a, str>,
    /// The parameters, if there are any.
    pub params: Option<Object<'a>>,
}

/// A message with either `result` or `error`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response<'a> {
    /// The id of the request. Only an error response can lack it (`null` counts as absent), if its
    /// sender couldn't read the id.
    pub id: Option<RawId<'a>>,
    /// The outcome of the request.
    pub outcome: Outcome<'a>,
}

/// The outcome of a request: raw JSON of any kind, which the reader of the response checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC has results and errors")]
pub enum Outcome<'a> {
    /// The `result` member.
    Result(&'a str),
    /// The `error` member.
    Error(&'a str),
}

/// The members of a message that have a meaning. Of several with the same name, the first.
#[derive(Default)]
struct MemberFields<'m, 'a> {
    jsonrpc: Option<&'m Member<'a>>,
    id: Option<&'m Member<'a>>,
    method: Option<&'m Member<'a>>,
    params: Option<&'m Member<'a>>,
    result: Option<&'m Member<'a>>,
    error: Option<&'m Member<'a>>,
}

impl<'m, 'a> MemberFields<'m, 'a> {
    fn of(members: &'m [Member<'a>]) -> Self {
        let mut fields = Self::default();
        for member in members {
            let field = match &*member.key {
                "jsonrpc" => &mut fields.jsonrpc,
                "id" => &mut fields.id,
                "method" => &mut fields.method,
                "params" => &mut fields.params,
                "result" => &mut fields.result,
                "error" => &mut fields.error,
                _ => continue,
            };
            field.get_or_insert(member);
        }
        fields
    }
}

/// Builds a message from `scanned`, or returns its fault. The id is read first, so that the error
/// response can contain it.
pub(super) fn judge<'a>(
    scanned: JsonText<'a>,
    limits: &Limits,
) -> Result<Message<'a>, MalformedMessage<'a>> {
    let Some(members) = &scanned.members else {
        let defect = scanned.fault.unwrap_or(Defect::new(
            &Fault::Is("the message is not an object"),
            scanned.at,
        ));
        return Err(defect.into_invalid_request(None, false));
    };
    let fields = MemberFields::of(members);
    let id = fields
        .id
        .and_then(|id| RawId::from_token(id.value, limits.id_bytes));
    // An id that only some readers accept as text is not returned, because it would be returned as
    // another id.
    let readable = || id.filter(|id| id.is_text() && is_id_certain(members, limits));
    let valid = match scanned.fault {
        Some(fault) => Err(fault),
        None => check(&fields, id, scanned.at, limits),
    };
    let asks = fields.method.is_some();
    let kind = valid.map_err(|defect| defect.into_invalid_request(readable(), asks))?;
    // Checked last, because JSON-RPC has a separate error for `params` of the wrong type, which
    // applies only to a message that is valid otherwise.
    let params = match fields.params {
        // Some libraries write absent parameters as `null`.
        Some(params)
            if scanned.params.is_none()
                && params.value != "null"
                && !matches!(kind, Kind::Response(..)) =>
        {
            return Err(
                Defect::new(&Fault::Is("`params` is not an object"), params.at)
                    .into_invalid_params(readable()),
            );
        }
        _ => scanned.params,
    };
    Ok(match (kind, id) {
        (Kind::Call(method), Some(id)) => Message::Request(Request { id, method, params }),
        (Kind::Call(method), None) => Message::Notification(Notification { method, params }),
        (Kind::Response(outcome), id) => Message::Response(Response { id, outcome }),
    })
}

/// Whether the id is unambiguous. It is not if there are two ids, or more members than were stored.
fn is_id_certain(members: &[Member<'_>], limits: &Limits) -> bool {
    members.len() <= limits.members_per_object
        && members.iter().filter(|member| member.key == "id").count() < 2
}

enum Kind<'a> {
    Call(Cow<'a, str>),
    Response(Outcome<'a>),
}

/// Checks the rules of JSON-RPC for every member except `params`. `at` is the start of the message.
fn check<'a>(
    fields: &MemberFields<'_, 'a>,
    id: Option<RawId<'a>>,
    at: usize,
    limits: &Limits,
) -> Result<Kind<'a>, Defect> {
    let version = fields
        .jsonrpc
        .ok_or(Defect::new(&Fault::Is("`jsonrpc` is missing"), at))?;
    // Decoded if necessary, because a sender may write it with escapes.
    if version.value != r#""2.0""# && escape::text(version.value).as_deref() != Some("2.0") {
        return Err(Defect::new(
            &Fault::Is("`jsonrpc` is not \"2.0\""),
            version.at,
        ));
    }
    // JSON-RPC 2.0, section 5: an error response has the id `null` if the id of the request could
    // not be read.
    let nameless_error = fields.method.is_none() && fields.error.is_some();
    match fields.id {
        Some(member) if id.is_none() && !(nameless_error && member.value == "null") => {
            return Err(Defect::new(&Fault::NoId, member.at));
        }
        _ => {}
    }
    // Some libraries write both members, with `null` for the absent one.
    let error = fields
        .error
        .filter(|error| error.value != "null" || fields.result.is_none());
    let result = fields
        .result
        .filter(|result| result.value != "null" || error.is_none());
    match (fields.method, result, error) {
        (Some(method), None, None) => method_name(method, limits).map(Kind::Call),
        (Some(method), _, _) => Err(Defect::new(
            &Fault::Is("`method` stands beside a `result` or an `error`"),
            method.at,
        )),
        (None, Some(result), None) if id.is_some() => {
            Ok(Kind::Response(Outcome::Result(result.value)))
        }
        (None, Some(result), None) => Err(Defect::new(
            &Fault::Is("`result` has no `id` beside it"),
            result.at,
        )),
        (None, None, Some(error)) => Ok(Kind::Response(Outcome::Error(error.value))),
        (None, Some(_), Some(error)) => Err(Defect::new(
            &Fault::Is("`error` stands beside a `result`"),
            error.at,
        )),
        (None, None, None) => Err(Defect::new(
            &Fault::Is("`method`, `result` and `error` are missing"),
            at,
        )),
    }
}

fn method_name<'a>(method: &Member<'a>, limits: &Limits) -> Result<Cow<'a, str>, Defect> {
    let name = escape::text(method.value).ok_or(Defect::new(
        &Fault::Is("`method` is not a string"),
        method.at,
    ))?;
    if name.len() > limits.method_bytes {
        return Err(Defect::new(&Fault::Is("`method` is too long"), method.at));
    }
    Ok(name)
}
