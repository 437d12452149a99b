//! Cancellation of a request, from the side that sent it: the spec's page "Cancellation". What is then stopped is known
//! elsewhere.

use super::record::record;
use crate::id::RequestId;

record! {
    /// The parameters of `notifications/cancelled`.
    #[derive(Eq)]
    pub struct CancelledParams {
        /// Which request is cancelled.
        pub request_id: RequestId,
        /// Why, for logs and people.
        pub reason: Option<String>,
    }

    /// Cancels without a reason.
    pub fn new(request_id: impl Into<RequestId>);
}
