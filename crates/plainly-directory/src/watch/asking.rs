//! Looking for changes again and again, where the operating system does not report them all: on file systems that others change
//! from elsewhere, and where it watches no more directories. Only what clients are subscribed to is looked at, ever more
//! rarely while nothing changes.

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

/// The subscribed resources, each as it was last seen.
type Looks = BTreeMap<Wanted, Arc<Look>>;

/// The search for changes in the mounts.
struct Asking {
    mounts: Arc<Mounts>,
    subscribed: SubscribedResources,
    /// Whether the operating system watches less than what is shown.
    is_limited: watch::Receiver<bool>,
    looks: Looks,
    pace: Pace,
}

/// A stream of the changes of what is subscribed and has to be looked at.
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
    // What is subscribed already is looked at before anything is waited for.
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
    /// Waits until it is time to look again, or there is something else to look at.
    async fn wait(&mut self) {
        let due = self.pace.due();
        tokio::select! {
            () = self.subscribed.changed() => {}
            Ok(()) = self.is_limited.changed() => {}
            () = async { tokio::time::sleep_until(due.unwrap_or_else(Instant::now)).await }, if due.is_some() => {}
        }
    }

    /// Looks at what is new and, if it is time, at all that has to be looked at.
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

    /// The subscribed resources. For all that is below the collection of all mounts, that is all mounts.
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
