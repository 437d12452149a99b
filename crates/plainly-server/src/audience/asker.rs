//! The sender of a request and the request's subject: all data on which the report of a failure
//! depends.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use plainly_errors::mistake::{quoted, shortened};
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;
use plainly_protocol::trace_context::TraceContext;
use plainly_protocol::types::{ElicitResult, RawJson};
use tracing::Level;

use crate::asking::returned;
use crate::operation::{Arrival, Operation, OperationOutcome, Transport};
use crate::outgoing::encode::EncodedReply;

/// The peer that waits for an answer, and the subject of its request.
#[derive(Debug)]
pub(crate) struct Asker {
    pub(crate) peer: Arc<Peer>,
    /// The method; `None` until it is known to be a served one.
    pub(super) method: Option<Method>,
    /// The name of a method that is not served.
    unserved: Option<Box<str>>,
    /// The name or URI that the request is about.
    pub(super) subject: Option<Box<str>>,
    /// The note of a layer about the request.
    note: OnceLock<Box<str>>,
    /// The keys of the questions from an earlier round that the user declined.
    pub(super) declined: Vec<String>,
    /// The trace that the request is part of.
    trace: Option<Box<TraceContext>>,
    pub(super) arrival: Arrival,
}

impl Asker {
    pub(crate) fn new(peer: Arc<Peer>, trace: Option<Box<TraceContext>>) -> Self {
        Self {
            peer,
            method: None,
            unserved: None,
            subject: None,
            note: OnceLock::new(),
            declined: Vec::new(),
            trace,
            arrival: Arrival::unread(Transport::Stream),
        }
    }

    /// Records the arrival of the request.
    pub(crate) fn arrived(&mut self, arrival: Arrival) {
        self.arrival = arrival;
    }

    /// Sets the note about the request, unless it already has one.
    pub(crate) fn note(&self, note: Box<str>) {
        let _ = self.note.set(note);
    }

    /// The address that the request came from, if it is known.
    pub(crate) fn client(&self) -> Option<IpAddr> {
        self.arrival.transport.client()
    }

    /// The trace that the request is part of.
    pub(crate) fn trace(&self) -> Option<&TraceContext> {
        self.trace.as_deref()
    }

    /// Records that the request is for a method with this name that is not served.
    pub(crate) fn asks_for_unserved(&mut self, method: &str) {
        self.unserved = Some(quoted(method).into());
    }

    /// The name of the requested method.
    pub(super) fn method_name(&self) -> Option<&str> {
        let served = self.method.map(Method::name);
        served.or(self.unserved.as_deref())
    }

    /// Records the method and subject of the request.
    pub(crate) fn asks_for(&mut self, method: Method, params: Option<&Object<'_>>) {
        // Only the log needs the subject, so it is copied only if there is a log.
        if self.arrival.is_observed() || tracing::enabled!(target: "plainly::failure", Level::ERROR)
        {
            // A task's id gives access to the task. Like a session's id, it must not be logged.
            let name = method.row().subject.filter(|name| *name != "taskId");
            let name = name.and_then(|name| params?.text(name));
            self.subject = name.map(|name| shortened(&name, LONGEST_SUBJECT).into());
        }
        self.declined = declined(method, params);
        self.method = Some(method);
    }
}

impl Asker {
    /// The operation of the request `id`, with its outcome.
    pub(crate) fn operation<'a>(
        &'a self,
        id: &'a str,
        outcome: OperationOutcome<'a>,
        reply: Option<&EncodedReply>,
    ) -> Operation<'a> {
        Operation {
            method: self.method_name(),
            name: self.subject.as_deref(),
            note: self.note.get().map(|note| &**note),
            id: Some(id),
            principal: self.peer.principal.as_ref(),
            implementation: self.peer.implementation.as_ref(),
            trace: self.trace(),
            ..Operation::new(self.arrival, self.peer.revision, outcome, reply)
        }
    }
}

/// The maximum length in bytes of a stored subject, because it is only logged.
const LONGEST_SUBJECT: usize = 512;

/// The keys of the questions that the user declined, as the client reports when it sends the
/// request again.
fn declined(method: Method, params: Option<&Object<'_>>) -> Vec<String> {
    let is_round = |params: &Object<'_>| params.get("inputResponses").is_some();
    if !method.row().may_ask || !params.is_some_and(is_round) {
        return Vec::new();
    }
    // A handler that asks more questions reads the answers again and rejects invalid ones.
    let answers = returned(params).unwrap_or_default().input_responses;
    let is_no = |answer: &RawJson| {
        let read = answer.decode::<ElicitResult>();
        read.is_ok_and(|answer| !answer.is_accepted())
    };
    let declined = answers.iter().filter(|(_, answer)| is_no(answer));
    declined.map(|(key, _)| key.to_owned()).collect()
}
