//! Slots for pieces of work, of which each caller has a share. Independent of the work.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use plainly_transport::lock::Lock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{StoreCaller, StoreError};

/// The divisor for one caller's share of the slots: each may have an eighth.
const PARTS: usize = 8;

/// Slots for the pieces of work that a store does at the same time. Each [caller](StoreCaller) may
/// have an eighth of them. A caller that needs more waits until it has released one, and then
/// behind all that waited before.
///
/// ```
/// use plainly::store::{StoreError, StorePlaces};
///
/// async fn render(places: &StorePlaces, page: &str) -> Result<String, StoreError> {
///     let _place = places.take().await?;
///     Ok(format!("# {page}"))
/// }
/// ```
#[derive(Debug)]
pub struct StorePlaces {
    all: Arc<Semaphore>,
    each: usize,
    own: Lock<HashMap<StoreCaller, Weak<Semaphore>>>,
}

/// A slot among all, and among those of its caller. Released when dropped.
#[derive(Debug)]
pub struct StorePlace {
    _own: Option<OwnedSemaphorePermit>,
    _all: OwnedSemaphorePermit,
}

impl StorePlaces {
    /// Slots for this many pieces of work.
    #[must_use]
    pub fn new(all: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            each: (all / PARTS).max(1),
            own: Lock::default(),
        }
    }

    /// Waits for a slot for the [current](StoreCaller::current) caller. An unknown caller may use
    /// all slots.
    ///
    /// # Errors
    ///
    /// Never in practice: it fails only if the slots were closed, and no code closes them.
    pub async fn take(&self) -> Result<StorePlace, StoreError> {
        self.take_for(StoreCaller::current()).await
    }

    /// The number of free slots.
    #[must_use]
    pub fn free(&self) -> usize {
        self.all.available_permits()
    }

    async fn take_for(&self, caller: Option<StoreCaller>) -> Result<StorePlace, StoreError> {
        let own = match caller {
            Some(caller) => Some(take_one(self.of(caller)).await?),
            None => None,
        };
        Ok(StorePlace {
            _own: own,
            _all: take_one(Arc::clone(&self.all)).await?,
        })
    }

    /// The slots of this caller.
    fn of(&self, caller: StoreCaller) -> Arc<Semaphore> {
        let mut own = self.own.lock();
        if let Some(places) = own.get(&caller).and_then(Weak::upgrade) {
            return places;
        }
        // Callers without slots must not use memory.
        own.retain(|_, places| places.strong_count() > 0);
        let places = Arc::new(Semaphore::new(self.each));
        own.insert(caller, Arc::downgrade(&places));
        places
    }
}

async fn take_one(places: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, StoreError> {
    let place = places.acquire_owned().await;
    place.map_err(|error| StoreError::Failed(error.into()))
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use plainly_protocol::peer::Principal;
    use plainly_transport::quota::Holder;

    use super::*;

    fn caller(name: &str) -> Option<StoreCaller> {
        Holder::of(Some(&Principal::new(name)), None).map(StoreCaller)
    }

    #[tokio::test]
    async fn a_caller_that_waits_for_many_places_leaves_some_to_others() {
        let places = StorePlaces::new(16);
        let mut context = Context::from_waker(Waker::noop());
        let mut alice: Vec<_> = (0..100)
            .map(|_| Box::pin(places.take_for(caller("alice"))))
            .collect();
        let mut running: Vec<_> = alice
            .iter_mut()
            .filter_map(|one| match one.as_mut().poll(&mut context) {
                Poll::Ready(place) => Some(place.unwrap()),
                Poll::Pending => None,
            })
            .collect();
        assert_eq!(running.len(), 2);
        for _ in 0..2 {
            running.push(places.take_for(caller("bob")).await.unwrap());
        }
        assert_eq!(places.own.lock().len(), 2);
        drop((alice, running));
        let _carol = places.take_for(caller("carol")).await.unwrap();
        assert_eq!(places.own.lock().len(), 1);
        let all: Vec<_> = (0..15).map(|_| Box::pin(places.take_for(None))).collect();
        assert_eq!(futures_util::future::join_all(all).await.len(), 15);
    }
}
