//! The caller that a store works for, as far as it has to be fair.

use plainly_transport::quota::Holder;

/// The caller that a store is asked for: a principal, or else the network that the request came from. Stores that do one piece
/// of work at a time use it to give each caller its turn.
///
/// It says who must share with whom, and not who may see what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreCaller(pub(super) Holder);

tokio::task_local! {
    static CALLER: Option<Holder>;
}

impl StoreCaller {
    /// The caller of the request whose handler is running here. `None` outside of handlers, in tasks that they spawn, and
    /// where nobody knows the caller, such as on standard input.
    pub fn current() -> Option<Self> {
        CALLER.try_with(Clone::clone).ok().flatten().map(Self)
    }

    /// Runs a function for `caller`.
    pub(crate) fn calls<T>(caller: Option<Holder>, run: impl FnOnce() -> T) -> T {
        CALLER.sync_scope(caller, run)
    }
}
