//! The arrival of a message: its transport and, if operations are observed, its time.

use std::net::IpAddr;
use std::time::Instant;

use plainly_protocol::envelope::Object;
use plainly_protocol::meta::RequestMeta;
use plainly_protocol::trace_context::{TraceContext, TraceParent};

/// The transport of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Http {
        /// The address that the message came from, if it is known.
        client: Option<IpAddr>,
    },
    Stream,
}

impl Transport {
    /// The address that a message came from, if it is known.
    pub(crate) fn client(self) -> Option<IpAddr> {
        match self {
            Self::Http { client } => client,
            Self::Stream => None,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http { .. } => "http",
            Self::Stream => "stream",
        }
    }
}

/// The arrival of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) transport: Transport,
    /// The time of the arrival, if operations are observed.
    pub(super) at: Option<Instant>,
    /// The size of the message.
    pub(super) bytes: usize,
    /// The trace that the HTTP request is part of, if operations are observed.
    pub(super) http_trace: Option<TraceParent>,
}

impl Arrival {
    /// The arrival of a message that its transport did not read.
    pub(crate) const fn unread(transport: Transport) -> Self {
        Self {
            transport,
            at: None,
            bytes: 0,
            http_trace: None,
        }
    }

    /// The arrival of a message within a batch.
    pub(crate) const fn part(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// Sets the trace that the HTTP request is part of, if operations are observed.
    pub(crate) fn of_http(self, trace: impl FnOnce() -> Option<TraceParent>) -> Self {
        match self.is_observed() {
            true => Self {
                http_trace: trace(),
                ..self
            },
            false => self,
        }
    }

    /// The trace in the parameters of the message, if operations are observed.
    pub(crate) fn trace(&self, params: Option<&Object<'_>>) -> Option<TraceContext> {
        self.at?;
        RequestMeta::of(params).trace_context()
    }

    /// Whether the operation of the message will be reported.
    pub(crate) const fn is_observed(&self) -> bool {
        self.at.is_some()
    }
}
