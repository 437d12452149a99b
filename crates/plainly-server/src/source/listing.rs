//! Joined listings of several providers, one after another, with cursors that contain the provider.

use std::collections::BTreeMap;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::envelope::Object;
use plainly_protocol::types::CacheHint;
use plainly_protocol::writer::ObjectWriter;

use super::{Candidate, raw};
use crate::answer::{Answer, AnswerFuture, MethodResult};
use crate::audience::{Audience, MethodAnswer};
use crate::failure::Failure;
use crate::request::MethodCall;

/// A position in a joined listing: the number of the provider among all of the server, which does
/// not depend on the declared capabilities, and the page of its listing. It needs no seal, because
/// it leads only to public listings and each provider checks its own cursors.
struct ListingPlace<'a> {
    provider: usize,
    cursor: Option<&'a str>,
}

impl<'a> ListingPlace<'a> {
    fn read(cursor: Option<&'a str>) -> Option<Self> {
        let Some(cursor) = cursor else {
            return Some(Self {
                provider: 0,
                cursor: None,
            });
        };
        let (provider, cursor) = cursor.split_once('.')?;
        Some(Self {
            provider: provider.parse().ok()?,
            cursor: Some(cursor).filter(|cursor| !cursor.is_empty()),
        })
    }
}

/// One page of the listing of all `providers`, in the `member` of its result. No provider has a
/// number above `last`.
pub(super) fn joined(
    providers: &[(usize, Candidate)],
    last: usize,
    member: &'static str,
    call: &MethodCall<'_>,
) -> Result<MethodAnswer, ProtocolError> {
    let cursor = call.params.and_then(|params| params.text("cursor"));
    let position = ListingPlace::read(cursor.as_deref()).filter(|place| place.provider <= last);
    let position = position.ok_or(InvalidParams::InvalidCursor)?;
    // If a provider has no listing any more, the next one continues or the listing ends. The
    // entries that the client already has are still valid, and an error would make it start again
    // for the same result.
    let mut rest = providers
        .iter()
        .skip_while(|(number, _)| *number < position.provider);
    let Some((number, provider)) = rest.next() else {
        let nothing = BTreeMap::from([(member, [(); 0])]);
        let page = MethodResult::new(nothing, None).cached(CacheHint::default());
        return Ok(MethodAnswer::Now(page.into()));
    };
    let cursor = position.cursor.filter(|_| *number == position.provider);
    let page = page(provider, cursor, call)?;
    let (number, next) = (*number, rest.next().map(|(number, _)| *number));
    let paged = async move { continued(page.await?, number, next) };
    Ok(MethodAnswer::Later(Audience::Code, Box::pin(paged)))
}

/// The page of one provider.
fn page(
    provider: &Candidate,
    cursor: Option<&str>,
    call: &MethodCall<'_>,
) -> Result<AnswerFuture, ProtocolError> {
    let params = match call.params {
        Some(params) => with_cursor(params, cursor)?,
        None => "{}".to_owned(),
    };
    let params = raw::parse(&params)?;
    let call = MethodCall {
        method: call.method,
        id: call.id,
        params: Some(&params),
        scope: call.scope,
    };
    Ok(match provider.answer(&call)? {
        MethodAnswer::Now(answer) => Box::pin(std::future::ready(Ok(answer))),
        MethodAnswer::Later(_, answer) => answer,
    })
}

fn with_cursor(params: &Object<'_>, cursor: Option<&str>) -> Result<String, ProtocolError> {
    let members = raw::Members::of(params, &["cursor"]);
    let mut members = members.map_err(|error| {
        ProtocolError::internal("Internal error: parameters could not be passed on")
            .with_source(error)
    })?;
    members.set("cursor", cursor);
    Ok(members.to_json().get().to_owned())
}

/// Adds a cursor for the next page: of this provider, or the first page of the next provider, if
/// there is one.
fn continued(answer: Answer, provider: usize, next: Option<usize>) -> Result<Answer, Failure> {
    let Answer::Result(mut result) = answer else {
        return Ok(answer);
    };
    let mut written = Vec::with_capacity(result.bytes);
    let mut page = ObjectWriter::open(&mut written);
    result.body.write(&mut page)?;
    page.close();
    let written = String::from_utf8(written)?;
    let object = raw::parse(&written)?;
    let mut members = raw::Members::of(&object, &[])?;
    let next = match object.text("nextCursor") {
        Some(cursor) => Some(format!("{provider}.{cursor}")),
        None => next.map(|provider| format!("{provider}.")),
    };
    members.set("nextCursor", next.as_deref());
    result.body = Box::new(members);
    Ok(result.into())
}
