//! The memory that contents in all stores use together. Independent of stores.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio::time::timeout;

use super::StoreError;

/// The size in bytes of the budget that all stores of a process share.
const SHARED: u64 = 512 << 20;

/// The number of bytes in one unit.
const UNIT: u64 = 1 << 10;

/// The maximum time for which a request waits for room.
const PATIENCE: Duration = Duration::from_secs(2);

/// A limit on the bytes of contents that stores hold in memory: contents that are read, searched or
/// changed, until their results are returned. Clones share the budget.
///
/// A store takes the size of a content from the budget before it reads the first byte. For a
/// content that can never fit, it gets [`StoreError::TooLarge`] at once. For any other it waits up
/// to 2 seconds for room, and then gets [`StoreError::Overloaded`].
///
/// The default is the budget that all stores of the process share, which has 512 MiB.
///
/// ```
/// use plainly::store::{Budget, StoreError};
///
/// async fn read(size: u64) -> Result<Vec<u8>, StoreError> {
///     let _held = Budget::default().take(size).await?;
///     Ok(Vec::new())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    units: u64,
    free: Arc<Semaphore>,
}

/// Bytes taken from a [`Budget`], and returned when dropped.
#[derive(Debug)]
pub struct BudgetPart {
    budget: Budget,
    units: u64,
    permit: Option<OwnedSemaphorePermit>,
}

impl Default for Budget {
    fn default() -> Self {
        static OF_PROCESS: LazyLock<Budget> = LazyLock::new(|| Budget::new(SHARED));
        OF_PROCESS.clone()
    }
}

impl Budget {
    /// A separate budget of `bytes` bytes, in units of one KiB.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX);
        let permits = usize::try_from(units).unwrap_or(usize::MAX);
        Self {
            units: u64::from(units),
            free: Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Takes `bytes` bytes, once there is room for them.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::TooLarge`] if there can never be room, and with
    /// [`StoreError::Overloaded`] if there is none within 2 seconds.
    pub async fn take(&self, bytes: u64) -> Result<BudgetPart, StoreError> {
        let mut part = self.part();
        part.grow(bytes).await?;
        Ok(part)
    }

    /// An empty part, which can grow.
    #[must_use]
    pub fn part(&self) -> BudgetPart {
        BudgetPart {
            budget: self.clone(),
            units: 0,
            permit: None,
        }
    }
}

impl BudgetPart {
    /// Grows the part to `bytes` bytes. Does nothing if it has as many.
    ///
    /// # Errors
    ///
    /// Fails like [`Budget::take`], and leaves the part unchanged.
    pub async fn grow(&mut self, bytes: u64) -> Result<(), StoreError> {
        let Some(more) = self.missing(bytes)? else {
            return Ok(());
        };
        let more = Arc::clone(&self.budget.free).acquire_many_owned(more);
        match timeout(PATIENCE, more).await {
            Ok(Ok(permit)) => self.add(permit),
            Ok(Err(closed)) => return Err(StoreError::Failed(closed.into())),
            Err(_elapsed) => return Err(StoreError::Overloaded),
        }
        Ok(())
    }

    /// Like [`grow`](Self::grow), but on a thread of the runtime that may block.
    ///
    /// # Errors
    ///
    /// Fails like [`Budget::take`], and leaves the part unchanged.
    pub fn grow_blocking(&mut self, bytes: u64) -> Result<(), StoreError> {
        match self.missing(bytes)? {
            Some(_) => Handle::current().block_on(self.grow(bytes)),
            None => Ok(()),
        }
    }

    /// The number of bytes that were taken.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.units * UNIT
    }

    /// The number of units to wait for; available units are taken at once.
    fn missing(&mut self, bytes: u64) -> Result<Option<u32>, StoreError> {
        let units = bytes.div_ceil(UNIT);
        let Some(more) = units.checked_sub(self.units).filter(|more| *more > 0) else {
            return Ok(None);
        };
        let most = self.budget.units;
        let more = u32::try_from(more).ok().filter(|_| units <= most);
        let more = more.ok_or(StoreError::TooLarge {
            size: bytes,
            limit: most * UNIT,
        })?;
        match Arc::clone(&self.budget.free).try_acquire_many_owned(more) {
            Ok(permit) => self.add(permit),
            Err(TryAcquireError::NoPermits) => return Ok(Some(more)),
            Err(closed) => return Err(StoreError::Failed(closed.into())),
        }
        Ok(None)
    }

    fn add(&mut self, more: OwnedSemaphorePermit) {
        self.units += more.num_permits() as u64;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(budget: &Budget) -> u64 {
        budget.free.available_permits() as u64 * UNIT
    }

    #[tokio::test(start_paused = true)]
    async fn there_is_room_again_once_a_part_is_given_back() {
        let budget = Budget::new(10 * UNIT);
        let mut first = budget.take(1).await.unwrap();
        first.grow(6 * UNIT).await.unwrap();
        first.grow(2 * UNIT).await.unwrap();
        assert_eq!(free(&budget), 4 * UNIT);
        let overloaded = budget.take(5 * UNIT).await.unwrap_err();
        assert!(matches!(overloaded, StoreError::Overloaded));
        let second = budget.take(4 * UNIT).await.unwrap();
        let waiting = budget.take(10 * UNIT);
        let giving_back = async { drop((first, second)) };
        let (waiting, ()) = tokio::join!(waiting, giving_back);
        assert_eq!(free(&budget), 0);
        drop(waiting.unwrap());
        assert_eq!(free(&budget), 10 * UNIT);
    }

    #[tokio::test]
    async fn bytes_that_never_fit_are_refused_at_once() {
        let budget = Budget::new(10 * UNIT);
        let held = budget.take(10 * UNIT).await.unwrap();
        for bytes in [10 * UNIT + 1, u64::MAX] {
            let refused = budget.take(bytes).await.unwrap_err();
            assert!(matches!(
                refused,
                StoreError::TooLarge { size, limit: 10_240 } if size == bytes
            ));
        }
        drop(held);
        assert_eq!(free(&budget), 10 * UNIT);
    }

    #[tokio::test]
    async fn a_thread_that_may_block_waits_too() {
        let budget = Budget::new(10 * UNIT);
        let held = budget.take(10 * UNIT).await.unwrap();
        let mut part = budget.part();
        let growing = tokio::task::spawn_blocking(move || {
            part.grow_blocking(7 * UNIT).unwrap();
            part
        });
        drop(held);
        let part = growing.await.unwrap();
        assert_eq!(free(&budget), 3 * UNIT);
        drop(part);
        assert_eq!(Budget::default().units * UNIT, SHARED);
    }
}
