//! The outcome of each request, for the access log and for the program's counters and measurements.
//! Independent of any metrics library.

mod access;
mod arrival;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plainly_errors::{Code, Dialect, ErrorKind, Fault, Internal, ProtocolError, Revision};
use plainly_protocol::envelope::Notification;
use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::trace_context::{TraceContext, TraceParent};
use plainly_protocol::types::Implementation;

pub(crate) use self::arrival::{Arrival, Transport};
use crate::failure::incident::chain;
use crate::outgoing::encode::EncodedReply;
use crate::panics::caught;

/// A request that has ended or a message that was rejected, as
/// [`ServerBuilder::on_operation`](crate::ServerBuilder::on_operation) reports it; or a
/// notification, as [`on_notification`](crate::ServerBuilder::on_notification) does.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Operation<'a> {
    /// The method, also one that does not exist: check it with
    /// [`Method::named`](plainly_protocol::method::Method::named) before using it as a metric
    /// label. `None` if it could not be read.
    pub method: Option<&'a str>,
    /// The tool, the prompt or the URI that the request is about, at most 512 bytes of it; any text
    /// if the request was rejected.
    pub name: Option<&'a str>,
    /// The [note](crate::layer::Request::note) of a layer about the request.
    pub note: Option<&'a str>,
    /// The id of the request, as JSON.
    pub id: Option<&'a str>,
    /// The revision of the client.
    pub revision: Revision,
    /// `http`, or `stream` for all other transports.
    pub transport: &'static str,
    /// The address of the client, if it is known.
    pub client: Option<IpAddr>,
    /// The client that the transport has authenticated.
    pub principal: Option<&'a Principal>,
    /// The name and version that the client declares.
    pub implementation: Option<&'a Implementation>,
    /// The trace that the request is part of (SEP-414).
    pub trace: Option<&'a TraceContext>,
    /// The trace that the HTTP request is part of. It can be another trace, because proxies and
    /// HTTP clients have their own.
    pub http_trace: Option<TraceParent>,
    /// The outcome of the operation.
    pub outcome: OperationOutcome<'a>,
    /// The HTTP status of the reply; `None` on a stream.
    pub http_status: Option<u16>,
    /// The size of the message, or within a batch that of its parameters; 0 if the message was
    /// rejected before it was read.
    pub request_bytes: usize,
    /// The size of the reply, without the messages before it.
    pub reply_bytes: Option<usize>,
    /// The time from the arrival of the message to its reply; `None` if the message was rejected
    /// before it was read.
    pub duration: Option<Duration>,
}

/// The outcome of an operation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum OperationOutcome<'a> {
    /// The reply is a result.
    Served,
    /// The reply is the result of a tool with `isError`.
    ToolFailed,
    /// The reply is an error.
    #[non_exhaustive]
    Refused {
        /// The error, before it is encoded for the client's revision.
        error: &'a ProtocolError,
        /// The code that the client gets.
        code: Code,
    },
    /// There is no reply, because the client no longer waits for it.
    Cancelled,
    /// There is no reply, because the message is a notification.
    Accepted,
}

impl<'a> Operation<'a> {
    /// The operation of a message about which nothing else is known.
    pub(crate) fn new(
        arrival: Arrival,
        revision: Revision,
        outcome: OperationOutcome<'a>,
        reply: Option<&EncodedReply>,
    ) -> Self {
        Self {
            method: None,
            name: None,
            note: None,
            id: None,
            revision,
            transport: arrival.transport.name(),
            client: arrival.transport.client(),
            principal: None,
            implementation: None,
            trace: None,
            http_trace: arrival.http_trace,
            outcome,
            http_status: reply
                .filter(|_| arrival.transport != Transport::Stream)
                .map(|reply| reply.http_status),
            request_bytes: arrival.bytes,
            reply_bytes: reply.map(|reply| reply.bytes.len()),
            duration: arrival.at.map(|at| at.elapsed()),
        }
    }
}

impl<'a> OperationOutcome<'a> {
    /// The outcome in a word or two: `served`, `tool failed`, `refused`, `cancelled` or `accepted`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Served => "served",
            Self::ToolFailed => "tool failed",
            Self::Refused { .. } => "refused",
            Self::Cancelled => "cancelled",
            Self::Accepted => "accepted",
        }
    }

    /// Whether the client or its user must act before the request can succeed. In that case the
    /// server has not failed.
    pub fn is_mistake(&self) -> bool {
        let fault = self.error().map(ProtocolError::fault);
        matches!(fault, Some(Fault::Client | Fault::User))
    }

    /// The error, if the reply is one.
    pub fn error(&self) -> Option<&'a ProtocolError> {
        match self {
            Self::Refused { error, .. } => Some(error),
            Self::Served | Self::ToolFailed | Self::Cancelled | Self::Accepted => None,
        }
    }

    /// The incident number, under which the log has the cause of the error, if the error has one.
    pub fn incident(&self) -> Option<&'a str> {
        let ErrorKind::Internal(Internal::Incident { incident }) = self.error()?.kind() else {
            return None;
        };
        Some(incident)
    }

    /// The code of the error, if the reply is one.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            Self::Served | Self::ToolFailed | Self::Cancelled | Self::Accepted => None,
        }
    }
}

impl fmt::Display for OperationOutcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The observers of operations: the access log and functions of the program, if there are any.
#[derive(Clone, Default)]
pub(crate) struct Observer {
    count: Option<Arc<Count>>,
    notice: Option<Arc<Count>>,
    record: Option<Arc<Record>>,
}

/// A function that counts and measures.
type Count = dyn Fn(&Operation<'_>) + Send + Sync;
/// A function that must succeed before a reply is sent.
type Record = dyn Fn(&Operation<'_>) -> Result<(), ProtocolError> + Send + Sync;

impl Observer {
    pub(crate) fn count(&mut self, count: impl Fn(&Operation<'_>) + Send + Sync + 'static) {
        self.count = Some(Arc::new(count));
    }

    pub(crate) fn notice(&mut self, notice: impl Fn(&Operation<'_>) + Send + Sync + 'static) {
        self.notice = Some(Arc::new(notice));
    }

    pub(crate) fn record(
        &mut self,
        record: impl Fn(&Operation<'_>) -> Result<(), ProtocolError> + Send + Sync + 'static,
    ) {
        self.record = Some(Arc::new(record));
    }

    /// Whether there is any observer.
    fn is_on(&self) -> bool {
        self.count.is_some() || self.notice.is_some() || self.record.is_some() || access::is_read()
    }

    /// The arrival of a message of this size, with the current time.
    pub(crate) fn arrival(&self, transport: Transport, bytes: usize) -> Arrival {
        Arrival {
            transport,
            at: self.is_on().then(Instant::now),
            bytes,
            http_trace: None,
        }
    }

    /// Reports an operation. Fails if the operation could not be recorded; the error is then the
    /// only reply.
    pub(crate) fn report<'a>(
        &self,
        dialect: Dialect,
        operation: impl FnOnce() -> Operation<'a>,
    ) -> Result<(), ProtocolError> {
        if !self.is_on() {
            return Ok(());
        }
        let operation = operation();
        let recorded = match &self.record {
            Some(record) => caught(|| record(&operation)).flatten(),
            None => Ok(()),
        };
        // The client gets the error instead of its reply.
        let withheld = recorded.as_ref().err().zip(operation.reply_bytes);
        let outcome = withheld.map_or(operation.outcome, |(error, _)| OperationOutcome::Refused {
            code: dialect.code(error, operation.revision),
            error,
        });
        let operation = Operation {
            outcome,
            ..operation
        };
        access::write(&operation);
        pass(self.count.as_deref(), &operation);
        recorded
    }

    /// Reports an accepted notification of `peer`. It is not a request, so neither the access log
    /// nor an audit contains it.
    pub(crate) fn accepted(
        &self,
        arrival: Arrival,
        peer: Option<&Peer>,
        notification: &Notification<'_>,
    ) {
        if self.notice.is_none() {
            return;
        }
        let revision = peer.map_or(Revision::UNKNOWN_PEER, |peer| peer.revision);
        let trace = arrival.trace(notification.params.as_ref());
        let operation = Operation {
            method: Some(&notification.method),
            principal: peer.and_then(|peer| peer.principal.as_ref()),
            implementation: peer.and_then(|peer| peer.implementation.as_ref()),
            trace: trace.as_ref(),
            ..Operation::new(arrival, revision, OperationOutcome::Accepted, None)
        };
        pass(self.notice.as_deref(), &operation);
    }
}

/// Passes an operation to a function of the program, if there is one.
fn pass(count: Option<&Count>, operation: &Operation<'_>) {
    if let Some(count) = count
        && let Err(error) = caught(|| count(operation))
    {
        tracing::error!(error = chain(&error), "the observer of operations panicked");
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, record) = (self.count.is_some(), self.record.is_some());
        f.debug_struct("Observer")
            .field("count", &count)
            .field("notice", &self.notice.is_some())
            .field("record", &record)
            .finish()
    }
}
