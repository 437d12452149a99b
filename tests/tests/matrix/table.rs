//! What a case is, and how what is seen is compared with what the table says.

use plainly::errors::Revision;

use crate::drivers::Transport;

/// One row.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) act: &'static str,
    /// What is seen from a revision on, until another says otherwise.
    pub(crate) seen: Vec<(Revision, Seen)>,
    /// What is seen over HTTP alone, if that is something else.
    pub(crate) over_http: Vec<(Revision, Seen)>,
}

/// What is seen. In an error `HTTP 404: ` stands for the status of its response, of which other transports know nothing.
#[derive(Clone, Copy)]
pub(crate) enum Seen {
    /// The revision has it.
    Has(&'static str),
    /// The revision, or the transport, lacks it.
    Lacks(&'static str),
}

impl Case {
    /// A case of which nothing is said yet.
    pub(crate) fn new(name: &'static str, act: &'static str) -> Self {
        let (seen, over_http) = (Vec::new(), Vec::new());
        Self {
            name,
            act,
            seen,
            over_http,
        }
    }

    /// What the table says of a cell.
    pub(crate) fn expected(&self, revision: Revision, transport: Transport) -> Seen {
        let is_other = transport == Transport::Http && !self.over_http.is_empty();
        let rows = if is_other {
            &self.over_http
        } else {
            &self.seen
        };
        let rows = rows.iter().rev();
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
