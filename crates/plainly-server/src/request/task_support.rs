//! The tools whose calls become tasks, and the clients for which they do: each request declares
//! whether its client supports tasks.

use plainly_errors::{ProtocolError, Revision};
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;
use plainly_protocol::types::TASKS_EXTENSION;
use serde_json::{Map, json};

/// Whether calls of a tool continue in the background as tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "without either a tool has no tasks"
)]
pub enum TaskSupport {
    /// For clients that support tasks. Other clients wait for the result, within the usual time
    /// limit.
    Optional,
    /// Always. A client that does not support tasks gets an error.
    Required,
}

/// Whether `peer` supports tasks. In older revisions no client does, whatever it declares.
pub(crate) fn can_follow_tasks(peer: &Peer) -> bool {
    Method::GetTask.is_in(peer.revision) && peer.capabilities.extension(TASKS_EXTENSION).is_some()
}

/// Returns an error unless `peer` supports tasks.
pub(crate) fn check_tasks(peer: &Peer) -> Result<(), ProtocolError> {
    if can_follow_tasks(peer) {
        return Ok(());
    }
    if !Method::GetTask.is_in(peer.revision) {
        // No capability helps such a client, and it can call nothing but the tool.
        let newest = Revision::LATEST;
        let why = format!("Invalid params: this tool runs as a task: use revision {newest}");
        return Err(ProtocolError::invalid_params(why));
    }
    let extensions = json!({ TASKS_EXTENSION: {} });
    let required = Map::from_iter([("extensions".to_owned(), extensions)]);
    Err(ProtocolError::missing_client_capability(required))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn only_who_says_so_in_this_very_revision_can_follow_a_task() {
        let declared = json!({"extensions": {TASKS_EXTENSION: {}}});
        let legacy = json!({"tasks": {"cancel": {}}, "experimental": {TASKS_EXTENSION: {}}});
        let absent = json!({"extensions": {TASKS_EXTENSION: null}});
        for (capabilities, is_modern_enough) in [
            (declared, true),
            (legacy, false),
            (absent, false),
            (json!({}), false),
        ] {
            for revision in Revision::ALL {
                let capabilities = serde_json::from_value(capabilities.clone()).unwrap();
                let expected = is_modern_enough && revision == Revision::V2026_07_28;
                let peer = Peer::new(revision, capabilities, None);
                assert_eq!(can_follow_tasks(&peer), expected, "{revision}");
                assert_eq!(check_tasks(&peer).is_ok(), expected);
            }
        }
    }

    #[test]
    fn who_can_not_is_told_what_it_takes() {
        let peer = Peer::new(Revision::V2026_07_28, Default::default(), None);
        let error = check_tasks(&peer).unwrap_err();
        let required = json!({"extensions": {TASKS_EXTENSION: {}}});
        let plainly_errors::ErrorKind::MissingRequiredClientCapability { required: told } =
            error.kind()
        else {
            panic!("{error:?}");
        };
        assert_eq!(Value::Object(told.clone()), required);
    }
}
