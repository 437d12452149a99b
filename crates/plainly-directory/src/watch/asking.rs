//! Polls for changes where the operating system doesn't report them all: on file systems that other
//! machines can change, and where it can't watch more directories. Only polls resources that
//! clients are subscribed to, less often while nothing changes.

mod blind;
mod look;
mod pace;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{Stream, StreamExt as _, stream};
use plainly::server::SubscribedResources;
use plainly::store::{Change, StoreError};
use tokio::sync::watch;
use tokio::time::Instant;

use self::look::{Look, Looker, Wanted};
use self::pace::Pace;
use super::changes::Changes;
use crate::request::Mounts;
use crate::uri;

/// The subscribed resources, each with its last state.
type Looks = BTreeMap<Wanted, Arc<Look>>;

/// A poller of the mounts.
struct Asking {
    mounts: Arc<Mounts>,
    subscribed: SubscribedResources,
    /// Whether the operating system watches fewer directories than are visible.
    is_limited: watch::Receiver<bool>,
    looks: Looks,
    pace: Pace,
}

/// A stream of the changes of subscribed resources that must be polled.
pub(super) fn changes(
    mounts: &Arc<Mounts>,
    subscribed: SubscribedResources,
    is_limited: watch::Receiver<bool>,
) -> impl Stream<Item = Change> + use<> {
    let asking = Asking {
        mounts: Arc::clone(mounts),
        subscribed,
        is_limited,
        looks: Looks::new(),
        pace: Pace::default(),
    };
    // The first look is at existing subscriptions, before waiting for anything.
    stream::unfold((asking, false), async |(mut asking, is_begun)| {
        if is_begun {
            asking.wait().await;
        }
        let found = asking.look().await;
        Some((found, (asking, true)))
    })
    .flat_map(stream::iter)
}

impl Asking {
    /// Waits until the next look is due, or there is another resource to look at.
    async fn wait(&mut self) {
        let due = self.pace.due();
        tokio::select! {
            () = self.subscribed.changed() => {}
            Ok(()) = self.is_limited.changed() => {}
            () = async { tokio::time::sleep_until(due.unwrap_or_else(Instant::now)).await }, if due.is_some() => {}
        }
    }

    /// Looks at new subscriptions and, if it is due, at all resources that must be polled.
    async fn look(&mut self) -> Vec<Change> {
        let is_due = self.pace.is_due(Instant::now());
        let is_limited = *self.is_limited.borrow_and_update();
        let (mounts, wanted) = (Arc::clone(&self.mounts), self.wanted());
        let before = std::mem::take(&mut self.looks);
        let looking = self.mounts.jobs.run(move |waiter| {
            let looker = Looker {
                mounts: &mounts,
                waiter,
                is_limited,
            };
            let (mut looks, mut changes) = (Looks::new(), Changes::default());
            for wanted in wanted {
                let before = before.get(&wanted);
                let kept = before.filter(|before| match before.is_asked {
                    true => !is_due,
                    false => !is_limited,
                });
                let look = match kept {
                    Some(kept) => Arc::clone(kept),
                    None => Arc::new(looker.look(&wanted, before.map(|before| &**before))?),
                };
                if let Some(before) = before.filter(|before| before.is_asked) {
                    look.compare(before, &mut changes);
                }
                looks.insert(wanted, look);
            }
            Ok::<_, StoreError>((looks, changes))
        });
        let (is_any, changes) = match looking.await {
            Ok((looks, changes)) => {
                self.looks = looks;
                (self.looks.values().any(|look| look.is_asked), changes)
            }
            Err(error) => {
                tracing::warn!(%error, "can't look for changes: looking again");
                let mut changes = Changes::default();
                changes.everything();
                (true, changes)
            }
        };
        let roots = self.mounts.roots.iter().map(|root| &*root.uri);
        let changes = changes.tell(roots);
        let has_changed = !changes.is_empty();
        self.pace.looked(Instant::now(), is_any, has_changed);
        changes
    }

    /// The subscribed resources. A subscription to everything below the collection of all mounts
    /// becomes one for each mount.
    fn wanted(&self) -> Vec<Wanted> {
        let below = self.subscribed.below();
        let is_everything = below.iter().any(|uri| uri::is_top(uri));
        let mounts = self.mounts.roots.iter().filter(|_| is_everything);
        let mounts = mounts.map(|root| (Arc::from(&*root.uri), true));
        let uris = self.subscribed.uris().into_iter();
        let uris = uris.map(|uri| (Arc::clone(&uri), below.contains(&uri)));
        let all = mounts.chain(uris);
        all.map(|(uri, is_recursive)| Wanted { uri, is_recursive })
            .collect()
    }
}
