//! The access log: one line at level info for each request, when it has its reply or needs none any more, under the target
//! `plainly::access`. Where nobody listens, it costs a look at one number.

use std::net::IpAddr;
use std::time::Instant;

use plainly_errors::{Code, Revision};
use tracing::Level;

/// The way that a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Http {
        /// The address that it came from, if it is known.
        client: Option<IpAddr>,
    },
    Stream,
}

impl Transport {
    /// The address that a request came from, if it is known.
    pub(crate) fn client(self) -> Option<IpAddr> {
        match self {
            Self::Http { client } => client,
            Self::Stream => None,
        }
    }
}

/// A line of the access log: the known facts of a request, and of its answer.
#[derive(Debug)]
pub(crate) struct AccessLine<'a> {
    pub(crate) method: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) revision: Revision,
    pub(crate) transport: Transport,
    pub(crate) principal: Option<&'a str>,
    pub(crate) arrived: Option<Instant>,
    pub(crate) reply: Option<(u16, Option<Code>, usize)>,
    pub(crate) is_tool_error: bool,
}

/// A message that could not be served: the facts that are known nevertheless.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unserved<'a> {
    pub(crate) transport: Transport,
    pub(crate) revision: Revision,
    /// The JSON of its id.
    pub(crate) id: Option<&'a str>,
    pub(crate) method: Option<&'a str>,
}

/// Whether the log is read.
pub(crate) fn is_read() -> bool {
    tracing::enabled!(target: "plainly::access", Level::INFO)
}

impl AccessLine<'_> {
    pub(crate) fn write(&self) {
        let (is_http, client) = match self.transport {
            Transport::Http { client } => (true, client),
            Transport::Stream => (false, None),
        };
        let (status, code, bytes) = match self.reply {
            Some((status, code, bytes)) => (Some(status), code, Some(bytes)),
            None => (None, None, None),
        };
        tracing::info!(
            target: "plainly::access",
            method = self.method,
            name = self.name,
            revision = %self.revision,
            transport = self.transport.name(),
            client = client.map(tracing::field::display),
            principal = self.principal,
            status = status.filter(|_| is_http),
            code = code.map(Code::get),
            ms = self.arrived.map(|arrived| arrived.elapsed().as_micros() as f64 / 1e3),
            bytes,
            "{}",
            self.outcome(),
        );
    }

    fn outcome(&self) -> &'static str {
        match self.reply {
            None => "cancelled",
            Some((_, Some(_), _)) => "refused",
            Some(_) if self.is_tool_error => "tool failed",
            Some(_) => "served",
        }
    }
}

impl Unserved<'_> {
    /// A message that could not be read.
    pub(crate) const fn new(transport: Transport, revision: Revision) -> Self {
        Self {
            transport,
            revision,
            id: None,
            method: None,
        }
    }
}

impl<'a> From<Unserved<'a>> for AccessLine<'a> {
    fn from(message: Unserved<'a>) -> Self {
        Self {
            method: message.method,
            name: None,
            revision: message.revision,
            transport: message.transport,
            principal: None,
            arrived: None,
            reply: None,
            is_tool_error: false,
        }
    }
}

impl Transport {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http { .. } => "http",
            Self::Stream => "stream",
        }
    }
}
