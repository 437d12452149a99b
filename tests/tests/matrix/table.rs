//! What a case is, and how what is seen is compared with what the table says.

use futures_util::future::BoxFuture;
use plainly::errors::Revision;

use crate::cell::Cell;
use crate::drivers::Transport;

/// Does something with the cell, and says what came of it.
pub(crate) type Act = fn(&Cell) -> BoxFuture<'_, String>;

/// One row.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) act: Act,
    /// What is seen from a revision on, until another says otherwise.
    pub(crate) seen: &'static [(Revision, Seen)],
    /// What is seen over HTTP alone, if that is something else.
    pub(crate) over_http: Option<&'static [(Revision, Seen)]>,
}

/// What is seen. In an error `HTTP 404: ` stands for the status of its response, of which other transports know nothing.
#[derive(Clone, Copy)]
pub(crate) enum Seen {
    /// The revision has it.
    Has(&'static str),
    /// The revision, or the transport, lacks it.
    Lacks(&'static str),
}

/// A case in which all transports are seen to do the same.
pub(crate) const fn case(name: &'static str, act: Act, seen: &'static [(Revision, Seen)]) -> Case {
    Case {
        name,
        act,
        seen,
        over_http: None,
    }
}

impl Case {
    /// With what is seen over HTTP, which is something else.
    pub(crate) const fn over_http(mut self, seen: &'static [(Revision, Seen)]) -> Self {
        self.over_http = Some(seen);
        self
    }

    /// What the table says of a cell.
    pub(crate) fn expected(&self, revision: Revision, transport: Transport) -> Seen {
        let over_http = self.over_http.filter(|_| transport == Transport::Http);
        let rows = over_http.unwrap_or(self.seen).iter().rev();
        let mut known = rows.skip_while(|(first, _)| revision.as_str() < first.as_str());
        known.next().expect("every case begins with the oldest").1
    }
}

impl Seen {
    /// What is seen over `transport`.
    pub(crate) fn over(self, transport: Transport) -> &'static str {
        let (Self::Has(text) | Self::Lacks(text)) = self;
        let status = text
            .strip_prefix("HTTP ")
            .and_then(|rest| rest.split_once(": "));
        match (status, transport) {
            (Some((_, text)), Transport::Stream | Transport::Memory) => text,
            _ => text,
        }
    }
}
