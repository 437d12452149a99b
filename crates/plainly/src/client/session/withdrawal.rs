//! A call that was given up, as a legacy server is told of it.

use bytes::Bytes;
use http::HeaderMap;

use super::{FAREWELL, Session};
use crate::client::message::Request;
use crate::transport::Frame;

/// Tells a legacy server that a call was given up: to it, a connection that breaks is not a cancellation.
pub(super) struct Withdrawal<'a> {
    session: &'a Session,
    /// What to send.
    frame: Option<Frame>,
    pub(super) needless: bool,
}

impl<'a> Withdrawal<'a> {
    pub(super) fn of(session: &'a Session, request: &Request, headers: &HeaderMap) -> Self {
        let traits = session.reception.revision.get().traits();
        let message: Option<Bytes> = match traits.cancelled_by_disconnect {
            true => None,
            false => request.cancellation(),
        };
        Self {
            session,
            frame: message.map(|message| Frame::new(headers.clone(), message)),
            needless: false,
        }
    }
}

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        // A session that ends takes its calls along.
        self.needless |= *self.session.closed.borrow();
        if let (false, Some(frame), Ok(runtime)) = (self.needless, self.frame.take(), runtime) {
            let endpoint = self.session.endpoint.clone();
            runtime.spawn(async move {
                // Nobody waits for the outcome: the call has been given up.
                let _sent = tokio::time::timeout(FAREWELL, endpoint.post(frame)).await;
            });
        }
    }
}
