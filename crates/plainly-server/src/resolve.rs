//! Identifies the peer that sent a request, from the data in the request. This is the only place
//! that distinguishes the eras: all later code sees a [`Peer`].
//!
//! A request is modern if `_meta` names a version or the version header names a modern revision.
//! Otherwise the peer is a legacy one, which `initialize` introduces or a session identifies. Any
//! other `_meta` proves nothing, because legacy requests carry `progressToken` in it.

mod arguments;
mod headers;
mod known;

use std::sync::Arc;

use http::Extensions;
use plainly_errors::{InvalidRequest, ProtocolError, Revision};
use plainly_protocol::envelope::Request;
use plainly_protocol::meta::RequestMeta;
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;
use plainly_protocol::types::InitializeParams;

use self::arguments::mirrored_arguments;
use self::headers::{Header, are_unclear, mirrored, unknown_session, version};
pub(super) use self::headers::{last_event_id, session_name};
use super::discovery::{legacy_versions, modern_versions};
use super::features::Tools;
use super::mistakes;
use super::request::{Interest, Scope, read};
use super::sessions::Sessions;
use super::sessions::session::Session;
use crate::limits::Limits;
use plainly_transport::{ConnectionMemory, Frame};

/// The sender of a request on a stream.
pub(super) enum Sender {
    /// A peer that identified itself in the request, or opened a session before.
    Peer(Scope),
    /// A peer that opens a session with this request.
    Opening,
}

/// The reason why the sender of a request could not be identified, and the revision for the
/// response.
#[derive(Debug)]
pub(super) struct ResolveError {
    pub(super) error: ProtocolError,
    pub(super) revision: Revision,
}

impl From<ProtocolError> for ResolveError {
    fn from(error: ProtocolError) -> Self {
        Self {
            error,
            revision: Revision::UNKNOWN_PEER,
        }
    }
}

/// The sender of a request over HTTP.
pub(super) enum HttpSender<'a> {
    /// A peer that identified itself in the request.
    Modern(Scope),
    /// A peer that opens a session or uses the session that the request names.
    Legacy(LegacyRequest<'a>),
}

/// The part of a legacy request that is read before its session is known.
pub(super) struct LegacyRequest<'a> {
    version: Header<'a>,
    interest: Interest,
}

/// Identifies the sender of a modern request over HTTP. For a legacy one, the caller must look up
/// the session.
pub(super) fn over_http<'a>(
    frame: &'a Frame,
    request: &Request<'_>,
    tools: &Tools,
) -> Result<HttpSender<'a>, ResolveError> {
    let meta = RequestMeta::of(request.params.as_ref());
    let version = version(&frame.headers);
    // The header alone is enough, so that a modern client without `_meta` gets an error about the
    // missing keys and not about a missing session.
    if meta.protocol_version().is_none() && !version.is_without_sessions() {
        let interest = Interest::of(&meta);
        return Ok(HttpSender::Legacy(LegacyRequest { version, interest }));
    }
    let scope = mirroring(frame, request, &meta, &version)?;
    // Last, because it parses the arguments: any other fault is found before that cost.
    mirrored_arguments(&frame.headers, request, tools)?;
    Ok(HttpSender::Modern(scope))
}

/// The context and the session of a legacy request over HTTP.
pub(super) async fn legacy_over_http(
    frame: &Frame,
    request: LegacyRequest<'_>,
    sessions: &Sessions,
) -> Result<(Scope, Arc<Session>), ResolveError> {
    let LegacyRequest { version, interest } = request;
    let Some(session) = named_session(frame, &version, sessions).await? else {
        return Err(match version {
            // Perhaps a newer, unknown revision. The versions in the error allow the client to fall
            // back.
            Header::One(text) if text.parse::<Revision>().is_err() => {
                ProtocolError::unsupported_version(modern_versions(), text).into()
            }
            Header::One(_) | Header::Absent | Header::Unclear(_) => {
                ProtocolError::from(InvalidRequest::SessionRequired).into()
            }
        });
    };
    let scope = Scope::within(&session, interest).carrying(&frame.extensions);
    Ok((scope, session))
}

/// The session that the headers name. Returns an error if no session has that name, if it belongs
/// to another principal, if it can't be looked up, or if the version header is wrong for it. Modern
/// messages have no session, whatever their other headers say.
pub(super) async fn by_session(
    frame: &Frame,
    sessions: &Sessions,
) -> Result<Option<Arc<Session>>, ResolveError> {
    let version = version(&frame.headers);
    if version.is_without_sessions() {
        return Ok(None);
    }
    named_session(frame, &version, sessions).await
}

/// Like [`by_session`], if the version header does not name a modern revision.
async fn named_session(
    frame: &Frame,
    version: &Header<'_>,
    sessions: &Sessions,
) -> Result<Option<Arc<Session>>, ResolveError> {
    let Some(name) = session_name(&frame.headers) else {
        return Ok(None);
    };
    let unknown = || unknown_session(&frame.headers);
    let session = sessions.get(name, frame.extensions.get(), frame.caller());
    let session = session.await?.ok_or_else(unknown)?;
    let revision = session.peer.revision;
    // Before 2025-06-18 the header does not exist, so its value means nothing. Since then any known
    // version is valid: only an invalid or unsupported one must be rejected ("Protocol Version
    // Header").
    let has_header = revision.traits().version_header;
    match version {
        Header::One(text) if has_header && text.parse::<Revision>().is_err() => {
            let error = ProtocolError::unsupported_version(legacy_versions(), *text);
            Err(ResolveError { error, revision })
        }
        Header::Unclear(unclear) if has_header => {
            let why = unclear.of("MCP-Protocol-Version");
            let error = ProtocolError::invalid_request(format!("Invalid request: {why}"));
            Err(ResolveError { error, revision })
        }
        Header::One(_) | Header::Absent | Header::Unclear(_) => Ok(Some(session)),
    }
}

/// Identifies the sender of a request over a stream of messages. A session, if there is one,
/// belongs to the stream.
pub(super) fn over_stream(
    request: &Request<'_>,
    extensions: &Extensions,
    memory: &ConnectionMemory,
    session: Option<&Arc<Session>>,
) -> Result<Sender, ResolveError> {
    let meta = RequestMeta::of(request.params.as_ref());
    if meta.protocol_version().is_some() {
        let scope = introduced(request, &meta, extensions, memory)?;
        return Ok(Sender::Peer(scope));
    }
    if request.method == Method::Initialize.name() {
        return Ok(Sender::Opening);
    }
    match session {
        Some(session) => {
            let scope = Scope::within(session, Interest::of(&meta)).carrying(extensions);
            Ok(Sender::Peer(scope))
        }
        // Before `initialize`, a legacy client may only send pings ("Lifecycle").
        None if request.method == Method::Ping.name() => {
            let anybody = Peer::new(Revision::LATEST_LEGACY, Default::default(), None);
            let scope = Scope::of(Arc::new(anybody), Interest::of(&meta));
            Ok(Sender::Peer(scope.carrying(extensions)))
        }
        None => {
            let error = mistakes::in_introduction(request, &meta);
            // A client that sends a part of the identification intended to send all of it.
            match meta.raw_capabilities() {
                Some(_) => Err(error.into()),
                None => Err(without_session(error).into()),
            }
        }
    }
}

/// The error for a request without a session that does not identify its sender either, so that its
/// era is unknown.
fn without_session(error: ProtocolError) -> ProtocolError {
    let (newest, message) = (Revision::LATEST, error.message());
    let lacks = message.trim_start_matches("Invalid params: ");
    let why = format!(
        "Invalid params: no session. Send initialize first; or use the _meta of revision {newest}: {lacks}"
    );
    error.with_message(why)
}

/// The peer that an `initialize` introduces. An unknown version is answered with the newest
/// supported one that has a handshake, never with an error.
pub(super) fn opening(
    request: &Request<'_>,
    extensions: &Extensions,
    limits: &Limits,
) -> Result<Peer, ResolveError> {
    let params = introduction(request, limits).map_err(|error| ResolveError {
        error,
        revision: Revision::LATEST_LEGACY,
    })?;
    let asked = params
        .protocol_version
        .parse()
        .ok()
        .filter(|revision: &Revision| revision.traits().sessions);
    let revision = asked.unwrap_or(Revision::LATEST_LEGACY);
    let peer = Peer::new(revision, params.capabilities, Some(params.client_info));
    Ok(peer.principal(extensions.get().cloned()))
}

/// Parses the parameters of `initialize`. They must be short, because they are stored as long as
/// the session, which any client may open.
fn introduction(request: &Request<'_>, limits: &Limits) -> Result<InitializeParams, ProtocolError> {
    let params = request.params.as_ref();
    let limit = limits.sessions.initialize_bytes;
    if params.is_some_and(|params| params.raw().len() > limit) {
        let why = format!("Invalid params: initialize accepts at most {limit} bytes");
        return Err(ProtocolError::invalid_params(why));
    }
    if RequestMeta::of(params).is_malformed() {
        return Err(mistakes::in_meta(Method::Initialize, params));
    }
    read(Method::Initialize, params)
}

/// Checks a modern request over HTTP, whose headers mirror its body.
fn mirroring(
    frame: &Frame,
    request: &Request<'_>,
    meta: &RequestMeta<'_>,
    version: &Header<'_>,
) -> Result<Scope, ProtocolError> {
    let headers = &frame.headers;
    let mut wrong: Vec<_> = version
        .contradicts("MCP-Protocol-Version", meta.protocol_version())
        .into_iter()
        .collect();
    let others = mirrored(headers, request);
    // The number of a header's values is checked before `_meta` is read, and the value only
    // afterwards.
    if !wrong.is_empty() || !others.is_empty() && are_unclear(headers) {
        wrong.extend(others);
        return Err(mismatch(&wrong));
    }
    let scope = introduced(request, meta, &frame.extensions, &frame.memory)?;
    if others.is_empty() {
        Ok(scope)
    } else {
        Err(mismatch(&others))
    }
}

/// The context of a request whose `_meta` identifies its peer.
fn introduced(
    request: &Request<'_>,
    meta: &RequestMeta<'_>,
    extensions: &Extensions,
    memory: &ConnectionMemory,
) -> Result<Scope, ProtocolError> {
    // Parsed now but reported last, because an invalid log level must not hide who sent the request
    // and in which revision.
    let wants = Interest::modern(meta);
    let revision = modern_revision(meta.protocol_version().unwrap_or_default());
    let peer = known::introduced(request, meta, revision, extensions, memory)?;
    let wants = wants.map_err(|_| mistakes::in_request(request))?;
    Ok(Scope::of(peer, wants).carrying(extensions))
}

fn modern_revision(version: &str) -> Result<Revision, ProtocolError> {
    let known = version
        .parse()
        .ok()
        .filter(|revision: &Revision| !revision.traits().sessions);
    known.ok_or_else(|| ProtocolError::unsupported_version(modern_versions(), version))
}

fn mismatch(wrong: &[String]) -> ProtocolError {
    ProtocolError::header_mismatch(format!("Header mismatch: {}", wrong.join("; ")))
}
