//! The caller that a store works for, so that it can be fair.

use plainly_transport::quota::Holder;

/// The caller of a store: a principal, or otherwise the network that the request came from. Stores
/// that process a limited amount of work at a time use it to give each caller its turn.
///
/// It determines who shares a limit, not who may see a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreCaller(pub(super) Holder);

tokio::task_local! {
    static CALLER: Option<Holder>;
}

impl StoreCaller {
    /// The caller of the request whose handler is running here. `None` outside of handlers, in
    /// tasks that they spawn, and for an unknown caller, as on standard input.
    pub fn current() -> Option<Self> {
        CALLER.try_with(Clone::clone).ok().flatten().map(Self)
    }

    /// Runs a function for `caller`.
    pub(crate) fn calls<T>(caller: Option<Holder>, run: impl FnOnce() -> T) -> T {
        CALLER.sync_scope(caller, run)
    }
}
