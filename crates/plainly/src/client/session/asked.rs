//! What a legacy server asks on a stream, and the answer: a message of its own.

use tokio::task::JoinSet;

use super::{FAREWELL, Session};
use crate::client::reply::Asked;
use crate::transport::Frame;
use crate::transport::http_client::Endpoint;

impl Session {
    /// Has answered what a legacy server asks on a stream.
    pub(super) async fn ask(&self, asked: Asked, answering: &mut JoinSet<()>) {
        let mut headers = self.version();
        if self.join(&mut headers).is_err() {
            return;
        }
        let endpoint = self.endpoint.clone();
        let send = |message| answer(endpoint, Frame::new(headers, message));
        let later = send.clone();
        // It goes its way whatever happens to the call, which may end before the server has said that it got it.
        let later = |message, open| async {
            let sending = async move {
                later(message).await;
                drop(open);
            };
            tokio::spawn(sending);
        };
        if let Some(message) = self.reception.ask(asked, answering, later) {
            send(message).await;
        }
    }
}

/// Sends an answer to something that the server asked.
async fn answer(endpoint: Endpoint, frame: Frame) {
    match tokio::time::timeout(FAREWELL, endpoint.post(frame)).await {
        Ok(Ok(response)) if response.status.is_success() => response.discard(),
        Ok(Ok(response)) => {
            tracing::warn!(status = %response.status, "the server refuses an answer")
        }
        Ok(Err(failure)) => tracing::warn!(?failure, "an answer did not reach the server"),
        Err(_elapsed) => tracing::warn!("the server does not take an answer"),
    }
}
