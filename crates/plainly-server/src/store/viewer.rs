//! The caller for whom a store is viewed.

use std::sync::Arc;

use http::Extensions;
use plainly_protocol::peer::{Peer, Principal};

use crate::extract::{Call, Channel, Extract, Needs};
use crate::failure::Failure;
use crate::request::{Interest, Scope};

/// The caller of a request, for whom [`Store::view`](super::Store::view) may return another view of the store. Handlers
/// can extract it too.
#[derive(Clone, Debug)]
pub struct Viewer(Scope);

impl Viewer {
    /// A viewer that is this principal; `None` for a caller whom nothing has authenticated, such as the user of a server
    /// over standard input. For tests of a store: a server makes a viewer of each request.
    pub fn new(principal: Option<Principal>) -> Self {
        Self(Scope::of_principal(principal))
    }

    /// Notifies the caller of the progress of its request, if its client asked for that: so many bytes of all.
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

    /// The principal as authenticated by the transport.
    pub fn principal(&self) -> Option<&Principal> {
        self.0.peer().principal.as_ref()
    }

    /// The value of this type that a layer put into the request's extensions, such as the claims of an access token.
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
