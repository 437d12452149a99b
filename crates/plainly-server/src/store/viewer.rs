//! The caller for whom a store is viewed.

use std::sync::Arc;

use http::Extensions;
use plainly_protocol::peer::{Peer, Principal};

use crate::extract::{Call, Channel, Extract, Needs};
use crate::failure::Failure;
use crate::request::{Interest, Scope};

/// The caller of a request, for whom [`Store::view`](super::Store::view) may return another view of
/// the store. It can also be a parameter of handlers.
#[derive(Clone, Debug)]
pub struct Viewer(Scope);

impl Viewer {
    /// A viewer with this principal; `None` for a caller that is not authenticated, such as the
    /// user of a server over standard input. Use it for tests of a store: a server creates a viewer
    /// for each request.
    pub fn new(principal: Option<Principal>) -> Self {
        Self(Scope::of_principal(principal))
    }

    /// Notifies the caller of the progress of its request, in bytes, if its client requested that.
    #[expect(
        clippy::cast_precision_loss,
        reason = "nobody sees the difference in a progress"
    )]
    pub(super) async fn progress(&self, (done, all): (u64, u64), message: String) {
        let (done, all) = (done as f64, all as f64);
        self.0.progress(done, Some(all), Some(message)).await;
    }

    pub(crate) fn of(scope: &Scope) -> Self {
        Self(scope.clone())
    }

    /// The caller of a request with these extensions.
    pub(crate) fn with(peer: &Arc<Peer>, extensions: &Extensions) -> Self {
        let scope = Scope::of(Arc::clone(peer), Interest::default());
        Self(scope.carrying(extensions))
    }

    /// The principal that the transport has authenticated.
    pub fn principal(&self) -> Option<&Principal> {
        self.0.peer().principal.as_ref()
    }

    /// The value of this type that a layer added to the request's extensions, such as the claims of
    /// an access token.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.extension()
    }
}

impl<C: Channel> Extract<C> for Viewer
where
    for<'a> C::Call<'a>: Call,
{
    fn extract(call: &C::Call<'_>) -> Result<Self, Failure> {
        Ok(Self::of(call.context().scope))
    }

    fn needs(_: &mut Needs) {}
}
