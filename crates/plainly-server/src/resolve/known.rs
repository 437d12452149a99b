//! The peer that was last identified on a connection. Usually it sends the next request too, and
//! parsing the same identification again took a tenth of the time of a small request.
//!
//! The sender counts as the same peer if its identification is the same, byte for byte, in the same
//! revision, and the transport authenticated the same principal. Other connections don't share the
//! data.

use std::sync::Arc;

use http::Extensions;
use plainly_errors::{ProtocolError, Revision};
use plainly_protocol::envelope::Request;
use plainly_protocol::meta::RequestMeta;
use plainly_protocol::peer::{Peer, Principal};

use crate::mistakes;
use plainly_transport::ConnectionMemory;

/// The maximum length of a stored identification in bytes. Longer ones are parsed each time, so
/// that connections use little memory.
const LONGEST: usize = 1 << 10;

/// A peer, and the identification that it was created from.
struct KnownPeer {
    capabilities: Box<str>,
    client: Option<Box<str>>,
    peer: Arc<Peer>,
}

impl KnownPeer {
    fn is(
        &self,
        meta: &RequestMeta<'_>,
        revision: Revision,
        principal: Option<&Principal>,
    ) -> bool {
        meta.raw_capabilities() == Some(&*self.capabilities)
            && meta.raw_client() == self.client.as_deref()
            && self.peer.revision == revision
            && self.peer.principal.as_ref() == principal
    }
}

/// The peer that `meta` identifies, with the principal that the transport authenticated. Missing
/// and wrong keys are reported before an unknown revision.
pub(super) fn introduced(
    request: &Request<'_>,
    meta: &RequestMeta<'_>,
    revision: Result<Revision, ProtocolError>,
    extensions: &Extensions,
    memory: &ConnectionMemory,
) -> Result<Arc<Peer>, ProtocolError> {
    let principal = extensions.get::<Principal>();
    let is_known = |known: &KnownPeer, revision| {
        let is_it = known.is(meta, revision, principal);
        is_it.then(|| Arc::clone(&known.peer))
    };
    if let Ok(revision) = revision
        && let Some(peer) = memory.recall(|known| is_known(known, revision))
    {
        return Ok(peer);
    }
    let introduction = meta
        .introduction()
        .ok_or_else(|| mistakes::in_introduction(request, meta))?;
    let mut peer = Peer::new(
        revision?,
        introduction.capabilities,
        introduction.implementation,
    );
    peer.principal = principal.cloned();
    let peer = Arc::new(peer);
    keep(meta, &peer, memory);
    Ok(peer)
}

fn keep(meta: &RequestMeta<'_>, peer: &Arc<Peer>, memory: &ConnectionMemory) {
    let (capabilities, client) = (
        meta.raw_capabilities().unwrap_or_default(),
        meta.raw_client(),
    );
    if capabilities.len() + client.map_or(0, str::len) <= LONGEST {
        memory.keep(KnownPeer {
            capabilities: capabilities.into(),
            client: client.map(Box::from),
            peer: Arc::clone(peer),
        });
    }
}

#[cfg(test)]
mod tests {
    use plainly_protocol::envelope::{self, Envelope, Limits, Message};
    use serde_json::{Value, json};

    use super::*;

    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    const CLIENT: &str = "io.modelcontextprotocol/clientInfo";

    /// The peer of a request with this `_meta`.
    fn peer(
        memory: &ConnectionMemory,
        meta: &Value,
        principal: Option<&str>,
    ) -> Result<Arc<Peer>, ProtocolError> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"_meta": meta}});
        let request = request.to_string();
        let read = envelope::parse(request.as_bytes(), &Limits::default());
        let Ok(Envelope::Single(Message::Request(request))) = read else {
            panic!("no request");
        };
        let mut extensions = Extensions::new();
        if let Some(name) = principal {
            extensions.insert(Principal::new(name));
        }
        let meta = RequestMeta::of(request.params.as_ref());
        introduced(&request, &meta, Ok(Revision::LATEST), &extensions, memory)
    }

    fn meta(capabilities: &Value, client: Option<&str>) -> Value {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            CAPABILITIES: capabilities,
        });
        if let Some(name) = client {
            meta[CLIENT] = json!({"name": name, "version": "1"});
        }
        meta
    }

    #[test]
    fn a_peer_that_says_the_same_is_the_same_whatever_else_it_says() {
        let memory = ConnectionMemory::new();
        let first = peer(&memory, &meta(&json!({}), Some("c")), Some("p")).unwrap();
        let mut again = meta(&json!({}), Some("c"));
        again["progressToken"] = json!("another");
        let again = peer(&memory, &again, Some("p")).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        let elsewhere = ConnectionMemory::new();
        let elsewhere = peer(&elsewhere, &meta(&json!({}), Some("c")), Some("p")).unwrap();
        assert!(!Arc::ptr_eq(&first, &elsewhere));
    }

    #[test]
    fn whoever_differs_is_another_after_anybody() {
        let sampling = json!({"sampling": {}});
        let senders = [
            (json!({}), None, None),
            (json!({}), Some("c"), None),
            (json!({}), Some("d"), None),
            (sampling.clone(), Some("d"), None),
            (sampling.clone(), Some("d"), Some("p")),
            (sampling, Some("d"), Some("q")),
            (json!({}), None, Some("q")),
        ];
        let memory = ConnectionMemory::new();
        for before in &senders {
            for (capabilities, client, principal) in [before].into_iter().chain(&senders) {
                let found = peer(&memory, &meta(capabilities, *client), *principal).unwrap();
                let says = |name: &str| {
                    found
                        .implementation
                        .as_ref()
                        .is_some_and(|it| it.name == name)
                };
                assert!(client.map_or(found.implementation.is_none(), says));
                assert_eq!(
                    found.capabilities.sampling.is_some(),
                    capabilities != &json!({})
                );
                let principal = principal.map(Principal::new);
                assert_eq!(found.principal, principal);
            }
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_told_after_a_good_introduction_too() {
        let memory = ConnectionMemory::new();
        let good = meta(&json!({}), Some("c"));
        let wrong = [
            json!({}),
            meta(&json!([]), Some("c")),
            json!({CAPABILITIES: {}, CLIENT: "c"}),
        ];
        for wrong in wrong {
            peer(&memory, &good, None).unwrap();
            assert!(peer(&memory, &wrong, None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_long_is_not_kept() {
        let memory = ConnectionMemory::new();
        let long = meta(&json!({}), Some(&"c".repeat(LONGEST)));
        let first = peer(&memory, &long, None).unwrap();
        let again = peer(&memory, &long, None).unwrap();
        assert!(!Arc::ptr_eq(&first, &again));
    }
}
