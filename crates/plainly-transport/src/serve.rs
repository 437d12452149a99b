//! A server behind a trait, so that a client in the same process does not depend on the server
//! crates.

use std::fmt;
use std::future::Future;

use http::Extensions;

use crate::{Duplex, ServeError};

/// A server that a client in the same process can connect to.
pub trait Serve: Clone + fmt::Debug + Send + Sync + 'static {
    /// Serves one peer until the connection ends, and adds `extensions` to each of its requests.
    fn serve_peer(
        self,
        messages: Duplex,
        extensions: Extensions,
    ) -> impl Future<Output = Result<(), ServeError>> + Send;
}
