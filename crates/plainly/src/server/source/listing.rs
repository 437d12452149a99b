//! Joined listings of several providers: one after the other, with cursors that name the provider.

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::envelope::Object;
use plainly_protocol::writer::ObjectWriter;

use super::{Candidate, raw};
use crate::server::answer::{Answer, AnswerFuture};
use crate::server::audience::{Answering, Audience};
use crate::server::failure::Failure;
use crate::server::request::MethodCall;

/// A position in a joined listing: the provider, and the page of its listing. It needs no seal: it leads only to
/// listings that anybody may ask for, and each provider checks its own cursors.
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

/// One page of the listing of all `providers`.
pub(super) fn joined(
    providers: &[Candidate],
    call: &MethodCall<'_>,
) -> Result<Answering, ProtocolError> {
    let cursor = call.params.and_then(|params| params.text("cursor"));
    let position = ListingPlace::read(cursor.as_deref());
    let position = position.ok_or(InvalidParams::InvalidCursor)?;
    let provider = providers.get(position.provider);
    let provider = provider.ok_or(InvalidParams::InvalidCursor)?;
    let page = page(provider, position.cursor, call)?;
    let (number, is_last) = (position.provider, position.provider + 1 >= providers.len());
    let paged = async move { continued(page.await?, number, is_last) };
    Ok(Answering::Later(Audience::Code, Box::pin(paged)))
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
        Answering::Now(answer) => Box::pin(std::future::ready(Ok(answer))),
        Answering::Later(_, answer) => answer,
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

/// Adds a cursor for what follows the page: more of this provider, or the first page of the next.
fn continued(answer: Answer, provider: usize, is_last: bool) -> Result<Answer, Failure> {
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
        None if is_last => None,
        None => Some(format!("{}.", provider + 1)),
    };
    members.set("nextCursor", next.as_deref());
    result.body = Box::new(members);
    Ok(result.into())
}
