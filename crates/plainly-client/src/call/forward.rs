//! A request that is passed on as JSON, for programs that stand between a client and a server.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_protocol::method::Method;
use plainly_protocol::types::RawJson;

use crate::connect::Client;
use crate::error::{LocalError, Result};
use crate::link::CallExtras;
use crate::message::progress::{ProgressListener, ProgressUpdate};
use crate::message::request;

/// A request to [forward](Client::forward), which is sent when it is awaited, and cancelled when it
/// is dropped before its end.
#[must_use = "nothing is sent until it is awaited"]
pub struct ForwardCall<'a> {
    client: &'a Client,
    method: Method,
    params: &'a RawJson,
    progress: Option<Arc<ProgressListener>>,
}

impl Client {
    /// Forwards a request. Parameters and result are JSON, so members that this crate has no type
    /// for are preserved. If the result asks for input (`resultType` `input_required`), the caller
    /// has to answer it. In `_meta` of the parameters, the members that introduce the sender or ask
    /// for progress or log messages are replaced by this client's.
    ///
    /// # Errors
    ///
    /// [`LocalError::Parameters`] if the parameters, or their `_meta`, are not a JSON object. The
    /// server's declared capabilities are not checked. Only those fields of the result are read
    /// that all results have.
    pub fn forward<'a>(&'a self, method: Method, params: &'a RawJson) -> ForwardCall<'a> {
        ForwardCall {
            client: self,
            method,
            params,
            progress: None,
        }
    }
}

impl ForwardCall<'_> {
    /// Asks the server to report progress, and passes it to `tell`, as
    /// [`Call::on_progress`](super::Call::on_progress) does.
    pub fn on_progress(mut self, tell: impl FnMut(ProgressUpdate) + Send + 'static) -> Self {
        self.progress = Some(ProgressListener::new(Box::new(tell)));
        self
    }

    async fn send(self) -> Result<RawJson> {
        let method = self.method;
        let (params, meta) = request::split_meta(self.params).map_err(|_no_object| {
            let (method, source) = (method.name(), None);
            LocalError::Parameters { method, source }
        })?;
        let extras = CallExtras {
            meta: meta.as_ref(),
            progress: self.progress.as_ref(),
            ..CallExtras::default()
        };
        let result = self.client.result(method, &*params, extras).await?;
        let json = str::from_utf8(&result.json).expect("what was scanned as JSON is text");
        Ok(RawJson::parse(json).expect("it was scanned as JSON"))
    }
}

impl<'a> IntoFuture for ForwardCall<'a> {
    type Output = Result<RawJson>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.send().boxed()
    }
}

impl fmt::Debug for ForwardCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForwardCall")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}
