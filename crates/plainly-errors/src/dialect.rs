//! How each typed error is written for each revision: code, message, data and HTTP status. The only place where an error
//! becomes a number, which the [table](crate::registry::table) holds; the data is the same on every revision.

use crate::protocol_error::ProtocolError;
use crate::registry::Dialect;
use crate::registry::table::{INTERNAL_ERROR, condition};
use crate::revision::Revision;
use crate::wire_error::WireError;

impl Dialect {
    /// Writes `error` for a peer of `revision`.
    pub fn encode(self, error: &ProtocolError, revision: Revision) -> WireError {
        let kind = error.kind();
        let (code, http_status) = match condition(kind) {
            Some(condition) => condition.number(self, revision),
            // Another peer's code leaves as ours only where any application may use it.
            None => {
                let code = kind.own_code().filter(|code| code.is_application());
                (code.unwrap_or(INTERNAL_ERROR), 200)
            }
        };
        let data = error.received_data().cloned();
        WireError {
            code,
            message: error.owned_message(),
            data: data.or_else(|| kind.data()),
            http_status,
        }
    }
}
