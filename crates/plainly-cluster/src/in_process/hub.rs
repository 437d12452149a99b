//! The listening replicas, with the messages that each has not received yet.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

use super::faults::FaultBook;
use crate::bus::{Heard, Unanswered};
use crate::replica_id::ReplicaId;

/// The maximum number of messages queued for a slow replica.
const WAITING: usize = 1_024;

#[derive(Debug, Default)]
pub(super) struct Hub {
    replicas: u64,
    listeners: HashMap<ReplicaId, Listener>,
}

/// A listening replica, as seen by others.
#[derive(Debug)]
struct Listener {
    messages: mpsc::Sender<Heard>,
    missed: Arc<Notify>,
    faults: Arc<FaultBook>,
}

/// A listening replica, as seen by itself. Other replicas can't reach it once this is dropped.
#[derive(Debug)]
pub(super) struct Hearing {
    messages: mpsc::Receiver<Heard>,
    missed: Arc<Notify>,
}

impl Hub {
    pub(super) fn next_id(&mut self) -> ReplicaId {
        self.replicas += 1;
        ReplicaId::new(self.replicas)
    }

    pub(super) fn hear(&mut self, id: ReplicaId, faults: &Arc<FaultBook>) -> Hearing {
        let (sender, messages) = mpsc::channel(WAITING);
        let missed = Arc::<Notify>::default();
        let listener = Listener {
            messages: sender,
            missed: Arc::clone(&missed),
            faults: Arc::clone(faults),
        };
        self.listeners.insert(id, listener);
        Hearing { messages, missed }
    }

    pub(super) fn tell(&mut self, sender: ReplicaId, event: &Bytes) {
        self.listeners
            .retain(|_, listener| !listener.messages.is_closed());
        for (id, listener) in &self.listeners {
            if *id != sender {
                listener.tell(event.clone());
            }
        }
    }

    /// Records that this replica has missed events.
    pub(super) fn miss(&self, id: ReplicaId) {
        if let Some(listener) = self.listeners.get(&id) {
            listener.missed.notify_one();
        }
    }

    pub(super) fn ask(&self, whom: ReplicaId, question: Heard) -> Result<(), Unanswered> {
        let listener = self.listeners.get(&whom);
        let listener = listener.filter(|listener| !listener.faults.is_cut());
        let listener = listener.ok_or(Unanswered::Gone)?;
        let sent = listener.messages.try_send(question);
        sent.map_err(|unsent| match unsent {
            mpsc::error::TrySendError::Closed(_) => Unanswered::Gone,
            mpsc::error::TrySendError::Full(_) => Unanswered::Unsent,
        })
    }
}

impl Listener {
    fn tell(&self, event: Bytes) {
        // The replica receives a gap once it is no longer cut off.
        if self.faults.is_cut() {
            return;
        }
        if self.messages.try_send(Heard::Event(event)).is_err() {
            self.missed.notify_one();
        }
    }
}

impl Hearing {
    pub(super) async fn next(&mut self) -> Option<Heard> {
        tokio::select! {
            biased;
            () = self.missed.notified() => Some(Heard::Gap),
            heard = self.messages.recv() => heard,
        }
    }
}
