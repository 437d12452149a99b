//! A case, and the comparison of its outcome with the table.

use plainly::errors::Revision;

use crate::drivers::Transport;

/// A case of the table.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) act: &'static str,
    /// The outcome from a revision on, until the next entry.
    pub(crate) seen: Vec<(Revision, Seen)>,
    /// The outcome over HTTP, where it differs.
    pub(crate) over_http: Vec<(Revision, Seen)>,
}

/// An outcome. In an error, `HTTP 404: ` is the status of the response, which other transports
/// don't have.
#[derive(Clone, Copy)]
pub(crate) enum Seen {
    /// The outcome where the revision has the feature.
    Has(&'static str),
    /// The outcome where the revision or the transport lacks the feature.
    Lacks(&'static str),
}

impl Case {
    /// A case without outcomes.
    pub(crate) fn new(name: &'static str, act: &'static str) -> Self {
        let (seen, over_http) = (Vec::new(), Vec::new());
        Self {
            name,
            act,
            seen,
            over_http,
        }
    }

    /// The outcome that the table expects in a cell.
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
    /// The outcome over `transport`, without a status where there is none.
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
