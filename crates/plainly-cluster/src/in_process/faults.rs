//! Faults that tests can request.

use std::time::Duration;

use plainly_transport::lock::Lock;
use tokio::time::sleep;

use crate::error::EngineError;

/// The faults and limits of one replica's handle; no faults by default.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Faults {
    /// The engine can't be reached. Once it is reachable again, the replica receives a gap.
    pub is_cut: bool,
    /// The number of the replica's next events that are lost.
    pub lost_events: usize,
    /// The number of the replica's next writes that are made but not confirmed.
    pub doubtful_writes: usize,
    /// The engine has no space for new records.
    pub is_full: bool,
    /// The delay before each question, read and write.
    pub delay: Duration,
    /// The maximum size of a value and of a journal's event, in bytes.
    pub max_value: usize,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            is_cut: false,
            lost_events: 0,
            doubtful_writes: 0,
            is_full: false,
            delay: Duration::ZERO,
            // The default of a NATS server.
            max_value: 1 << 20,
        }
    }
}

/// The current faults of a replica.
#[derive(Debug, Default)]
pub(super) struct FaultBook(Lock<Faults>);

impl FaultBook {
    /// Changes the faults. Returns whether the engine became reachable again.
    pub(super) fn change(&self, change: impl FnOnce(&mut Faults)) -> bool {
        let mut faults = self.0.lock();
        let was_cut = faults.is_cut;
        change(&mut faults);
        was_cut && !faults.is_cut
    }

    pub(super) fn is_cut(&self) -> bool {
        self.0.lock().is_cut
    }

    pub(super) fn max_value(&self) -> usize {
        self.0.lock().max_value
    }

    /// Fails if a value is too large.
    pub(super) fn check_size(&self, value: &[u8]) -> Result<(), EngineError> {
        match value.len() <= self.max_value() {
            true => Ok(()),
            false => Err(EngineError::TooLarge),
        }
    }

    /// Whether to lose an event.
    pub(super) fn loses_event(&self) -> bool {
        let mut faults = self.0.lock();
        faults.is_cut || take(&mut faults.lost_events)
    }

    /// Waits for the delay of a call. Fails if the engine can't be reached.
    pub(super) async fn call(&self) -> Result<(), EngineError> {
        let delay = self.0.lock().delay;
        if !delay.is_zero() {
            sleep(delay).await;
        }
        match self.is_cut() {
            true => Err(EngineError::Refused("the engine is cut off".into())),
            false => Ok(()),
        }
    }

    /// Fails if the engine has no space for a new record.
    pub(super) fn room(&self) -> Result<(), EngineError> {
        match self.0.lock().is_full {
            true => Err(EngineError::Full),
            false => Ok(()),
        }
    }

    /// Fails if a write that was made should not be confirmed.
    pub(super) fn confirm(&self) -> Result<(), EngineError> {
        match take(&mut self.0.lock().doubtful_writes) {
            true => Err(EngineError::Unknown("the confirmation is lost".into())),
            false => Ok(()),
        }
    }
}

/// Counts down. Returns whether there was one left.
fn take(left: &mut usize) -> bool {
    let is_left = *left > 0;
    *left -= usize::from(is_left);
    is_left
}
