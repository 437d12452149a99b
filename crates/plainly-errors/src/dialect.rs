//! Encodes each typed error for each revision, and recognises the errors that peers send. The only place where an error
//! becomes a number, taken from the [table](crate::registry::table); the data is the same on every revision.
//!
//! Reading is total: whatever a peer sends is some error. It depends on the code and the shape of `data`, never on the
//! message or on where the error was built. A [problem](crate::problem) in the data accompanies the kind, and
//! determines it if the code means nothing.

use serde_json::Value;

use crate::code::{ApplicationCode, Code};
use crate::kind::{ErrorKind, InvalidParams, InvalidRequest, tagged};
use crate::problem::Problem;
use crate::protocol_error::ProtocolError;
use crate::registry::table::{INTERNAL_ERROR, UNAVAILABLE, condition};
use crate::registry::{Dialect, lookup};
use crate::revision::Revision;
use crate::wire_error::WireError;

impl Dialect {
    /// The code of `error` for a peer of `revision`.
    pub fn code(self, error: &ProtocolError, revision: Revision) -> Code {
        self.number(error.kind(), revision).0
    }

    fn number(self, kind: &ErrorKind, revision: Revision) -> (Code, u16) {
        match condition(kind) {
            Some(condition) => condition.number(self, revision),
            // A code that came from another peer is only passed on if any application may use it.
            None => {
                let code = kind.own_code().filter(|code| code.is_application());
                (code.unwrap_or(INTERNAL_ERROR), 200)
            }
        }
    }

    /// Writes `error` for a peer of `revision`.
    pub fn encode(self, error: &ProtocolError, revision: Revision) -> WireError {
        let kind = error.kind();
        let (code, http_status) = self.number(kind, revision);
        // Data that the error has beside its kind is written as it is, as that of a peer which is passed on.
        let data = error.own_data().cloned();
        WireError {
            code,
            message: error.owned_message(),
            data: data.or_else(|| kind.data()),
            http_status,
        }
    }
}

impl WireError {
    /// The typed error that this is, whatever revision the peer speaks: peers do send newer and older codes.
    pub fn recognise(&self) -> ProtocolError {
        let problem = Problem::from_error_data(&self.message, self.data.as_ref());
        let (kind, unread) = match (self.kind(), &problem, &self.data) {
            // The number means nothing, as one of the legacy range, but the problem's code does.
            (ErrorKind::Unrecognised { .. }, Some(problem), Some(data)) => {
                problem.code().kind(data.clone())
            }
            (kind, _, data) => {
                let unread = data
                    .as_ref()
                    .filter(|data| is_left_out(&kind, data))
                    .cloned();
                (kind, unread)
            }
        };
        ProtocolError::with_all_data(kind, self.message.clone(), unread)
            .with_problem(problem)
            .with_received(self.clone())
    }

    fn kind(&self) -> ErrorKind {
        let data = self.data.as_ref();
        let defined = lookup(self.code).and_then(|entry| (entry.read)(data));
        let kind = defined.or_else(|| {
            let code = ApplicationCode::try_from(self.code.get()).ok()?;
            Some(application(code, data))
        });
        kind.unwrap_or_else(|| ErrorKind::Unrecognised {
            code: self.code,
            data: self.data.clone(),
        })
    }
}

/// Our own code is recognised by its data; every other code belongs to the peer.
fn application(code: ApplicationCode, data: Option<&Value>) -> ErrorKind {
    // The number alone is not enough: the problem SERVICE_UNAVAILABLE has it too, and any application may choose it.
    match tagged(data).filter(|_| code == UNAVAILABLE) {
        Some(reason) => ErrorKind::Unavailable(reason),
        None => ErrorKind::Application {
            code,
            data: data.cloned(),
        },
    }
}

/// Whether the kind contains nothing of the peer's `data`.
fn is_left_out(kind: &ErrorKind, data: &Value) -> bool {
    let has_place = matches!(
        kind,
        ErrorKind::Application { .. } | ErrorKind::Unrecognised { .. }
    );
    let is_for_want_of_another = matches!(
        kind,
        ErrorKind::InvalidRequest(InvalidRequest::Malformed)
            | ErrorKind::InvalidParams(InvalidParams::Malformed { .. })
    );
    if is_for_want_of_another {
        // The word is the same for both kinds.
        return !matches!(tagged(Some(data)), Some(InvalidParams::Malformed { .. }));
    }
    !has_place && kind.data().is_none()
}
