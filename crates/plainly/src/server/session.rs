//! Sessions of legacy clients over HTTP: opened by `initialize`, named by `Mcp-Session-Id`. A modern request never sees
//! one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;
use plainly_errors::ProtocolError;
use plainly_protocol::id::RequestId;
use plainly_protocol::peer::Peer;

use super::batch::InFlight;
use crate::limits::Limits;

/// What one legacy client is known by, and what it has running.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) peer: Arc<Peer>,
    running: Mutex<HashMap<RequestId, AbortHandle>>,
}

impl Session {
    fn new(peer: Arc<Peer>) -> Self {
        Self {
            peer,
            running: Mutex::default(),
        }
    }

    /// Remembers a running request until the guard is dropped, so that `abort` can cancel it. An id that is already
    /// running is not remembered again: over HTTP each request is its own scope, and the first is the one to cancel.
    pub(super) fn track(self: &Arc<Self>, id: &RequestId, abort: AbortHandle) -> Option<Tracked> {
        match lock(&self.running).entry(id.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                free.insert(abort);
                Some(Tracked {
                    session: Arc::clone(self),
                    id: id.clone(),
                })
            }
        }
    }

    /// Cancels the running request `id`, if there is one.
    pub(super) fn cancel(&self, id: &RequestId) {
        if let Some(abort) = lock(&self.running).get(id) {
            abort.abort();
        }
    }
}

impl InFlight for Arc<Session> {
    type Tracked = Option<Tracked>;

    fn check(&self, _: &RequestId) -> Result<(), ProtocolError> {
        Ok(())
    }

    fn check_room(&self) -> Result<(), ProtocolError> {
        Ok(())
    }

    fn track(&mut self, id: &RequestId, abort: AbortHandle) -> Option<Tracked> {
        Session::track(self, id, abort)
    }

    fn cancel(&mut self, id: &RequestId) {
        Session::cancel(self, id);
    }
}

/// A request that its session remembers.
#[derive(Debug)]
pub(super) struct Tracked {
    session: Arc<Session>,
    id: RequestId,
}

impl Drop for Tracked {
    fn drop(&mut self) {
        lock(&self.session.running).remove(&self.id);
    }
}

/// All sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    most: usize,
    idle: Duration,
    table: Mutex<HashMap<String, Opened>>,
}

#[derive(Debug)]
struct Opened {
    session: Arc<Session>,
    used: Instant,
}

impl Sessions {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            most: limits.sessions,
            idle: limits.session_idle,
            table: Mutex::default(),
        }
    }

    /// Opens a session and names it: 128 bits from the system's random source, in hexadecimal.
    pub(super) fn open(&self, peer: Arc<Peer>) -> Result<String, getrandom::Error> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits)?;
        let name = format!("{:032x}", u128::from_ne_bytes(bits));
        let mut table = lock(&self.table);
        if table.len() >= self.most {
            self.make_room(&mut table);
        }
        let session = Arc::new(Session::new(peer));
        table.insert(
            name.clone(),
            Opened {
                session,
                used: Instant::now(),
            },
        );
        Ok(name)
    }

    /// The session of this name, unless it has been idle too long.
    pub(super) fn get(&self, name: &str) -> Option<Arc<Session>> {
        let mut table = lock(&self.table);
        let entry = table.get_mut(name)?;
        if entry.used.elapsed() > self.idle {
            table.remove(name);
            return None;
        }
        entry.used = Instant::now();
        Some(Arc::clone(&entry.session))
    }

    /// Ends the session of this name; whether there was one.
    pub(super) fn end(&self, name: &str) -> bool {
        lock(&self.table).remove(name).is_some()
    }

    /// Drops the sessions that have expired, and if none has, the one that has been idle longest.
    fn make_room(&self, table: &mut HashMap<String, Opened>) {
        table.retain(|_, entry| entry.used.elapsed() <= self.idle);
        if table.len() >= self.most {
            let idlest = table
                .iter()
                .min_by_key(|(_, entry)| entry.used)
                .map(|(name, _)| name.clone());
            idlest.and_then(|name| table.remove(&name));
        }
    }
}

/// A panic while a table is locked leaves it whole: each change is one insertion or removal.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use plainly_errors::Revision;
    use plainly_protocol::types::ClientCapabilities;

    use super::*;

    fn peer() -> Arc<Peer> {
        Arc::new(Peer::new(
            Revision::V2025_11_25,
            ClientCapabilities::new(),
            None,
        ))
    }

    fn sessions(most: usize, idle: Duration) -> Sessions {
        let mut limits = Limits::default();
        (limits.sessions, limits.session_idle) = (most, idle);
        Sessions::new(&limits)
    }

    #[test]
    fn a_session_lives_until_it_is_ended() {
        let sessions = sessions(10, Duration::from_secs(60));
        let name = sessions.open(peer()).unwrap();
        assert!(sessions.get(&name).is_some());
        assert!(sessions.end(&name));
        assert!(sessions.get(&name).is_none());
        assert!(!sessions.end(&name));
    }

    #[test]
    fn an_idle_session_ends() {
        let sessions = sessions(10, Duration::ZERO);
        let name = sessions.open(peer()).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        assert!(sessions.get(&name).is_none());
    }

    #[test]
    fn one_above_the_limit_ends_the_idlest() {
        let sessions = sessions(2, Duration::from_secs(60));
        let names: Vec<_> = (0..3).map(|_| sessions.open(peer()).unwrap()).collect();
        let alive: Vec<_> = names
            .iter()
            .map(|name| sessions.get(name).is_some())
            .collect();
        assert_eq!(alive, [false, true, true]);
    }

    #[test]
    fn names_are_visible_ascii_and_never_repeat() {
        let sessions = sessions(100_000, Duration::from_secs(60));
        let names: std::collections::HashSet<_> = (0..10_000)
            .map(|_| sessions.open(peer()).unwrap())
            .collect();
        assert_eq!(names.len(), 10_000);
        assert!(
            names
                .iter()
                .all(|name| name.bytes().all(|byte| byte.is_ascii_graphic()))
        );
    }
}
