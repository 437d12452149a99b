//! Opens a new session when the server has forgotten the last one, and changes the revision when
//! the server refuses the one in use.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt as _;
use plainly_errors::Revision;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::client::ClientState;
use crate::connect::handshake;
use crate::error::{LocalError, Result};
use crate::message::request::RequestWriter;
use crate::message::timeouts::FAREWELL;

/// The revision and the session in which a request is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    pub(crate) revision: Revision,
    /// The number of earlier sessions that the server has forgotten.
    pub(crate) session: u64,
}

impl ClientState {
    /// The revision and the session of a request that is sent now.
    pub(crate) fn epoch(&self) -> Epoch {
        Epoch {
            revision: self.revision(),
            session: self.sessions.load(Ordering::Relaxed),
        }
    }

    /// Opens a new session in place of the `lost` one, unless another call already has.
    pub(crate) async fn renew(&self, lost: u64) -> Result<()> {
        let _one_at_a_time = self.renewal.lock().await;
        if self.sessions.load(Ordering::Relaxed) != lost {
            return Ok(());
        }
        tracing::info!("the server has ended the session: opening a new one");
        // The new session has no subscriptions, so each subscribes again on its own.
        let lost = LocalError::SessionLost.into();
        self.link.subscriptions().end(&lost);
        let revision = self.revision();
        let mut options = self.options.clone();
        // The revision is the same as before, because the writer that all calls share is not
        // replaced here.
        options.revision = Some(revision);
        let by = options.deadline();
        handshake::initialize(&self.link, &options, revision, &by).await?;
        self.sessions.fetch_add(1, Ordering::Relaxed);
        self.keep_server_stream().await;
        Ok(())
    }

    /// Opens the server's stream and keeps it open, if the revision has one and this client wants
    /// its messages.
    pub(super) async fn keep_server_stream(&self) {
        let is_wanted = self.link.dispatcher().wants_server_messages();
        if let Some(http) = self.link.http()
            && self.revision().traits().sessions
            && is_wanted
        {
            let stream = Arc::clone(http).keep_server_stream().await;
            *self.server_stream.lock() = Some(stream);
        }
    }

    /// Switches to another revision than the `refused` one, unless another call already has.
    /// Returns whether there is another one.
    pub(crate) async fn change(&self, refused: Revision, offered: &[String]) -> Result<bool> {
        let _one_at_a_time = self.renewal.lock().await;
        if self.revision() != refused {
            return Ok(true);
        }
        let agreed = handshake::change(&self.link, &self.options, refused, offered).await?;
        let Some(revision) = agreed else {
            return Ok(false);
        };
        tracing::info!(%refused, %revision, "the server refused the revision: using another");
        let writer = RequestWriter::new(revision, &self.options.introduction);
        *self.writer.lock() = writer.into();
        self.keep_server_stream().await;
        Ok(true)
    }

    /// Makes a request whose answer is ignored. Closing the connection waits for it, but not for
    /// long.
    pub(crate) fn bid_farewell(&self, request: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let mut farewells = self.farewells.lock();
        while farewells.try_join_next().is_some() {}
        farewells.spawn_on(timeout(FAREWELL, request).map(drop), &runtime);
    }
}
