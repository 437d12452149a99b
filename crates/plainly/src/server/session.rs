//! Sessions of legacy clients over HTTP: opened by `initialize`, named by `Mcp-Session-Id`. A modern request never sees
//! one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::types::LoggingLevel;

use super::asking::Unanswered;
use super::changes::Changes;
use super::in_flight::InFlight;
use super::news::News;
use super::streams::{Streams, Total};
use crate::limits::Limits;

/// What one legacy client is known by, and what it has running.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) peer: Arc<Peer>,
    pub(super) in_flight: Arc<InFlight>,
    pub(super) news: Arc<News>,
    /// Over HTTP, where its revision has such: the streams that can be resumed.
    pub(super) streams: Option<Arc<Streams>>,
    /// What we asked its client.
    pub(super) unanswered: Unanswered,
    level: Mutex<LoggingLevel>,
}

impl Session {
    pub(super) fn new(
        peer: Arc<Peer>,
        in_flight: Arc<InFlight>,
        changes: &Changes,
        limits: &Limits,
    ) -> Self {
        Self {
            peer,
            in_flight,
            news: News::new(changes),
            streams: None,
            unanswered: Unanswered::new(limits),
            level: Mutex::new(LoggingLevel::Info),
        }
    }

    /// Lets its streams be resumed.
    fn resumable(mut self, limits: &Limits, total: &Total) -> Self {
        self.streams = Streams::new(self.peer.revision, limits, total);
        self
    }

    /// For how long nothing was said or heard.
    fn idle(&self) -> Duration {
        if self
            .streams
            .as_ref()
            .is_some_and(|streams| streams.is_busy())
        {
            return Duration::ZERO;
        }
        self.news.idle()
    }

    /// Ends what is said and heard.
    pub(super) fn close(&self) {
        self.news.close();
        self.unanswered.close();
        self.streams.iter().for_each(|streams| streams.close());
    }

    /// The least severe log messages that the client wants; before it says so, what is not for debugging alone.
    pub(super) fn level(&self) -> LoggingLevel {
        *lock(&self.level)
    }

    pub(super) fn set_level(&self, level: LoggingLevel) {
        *lock(&self.level) = level;
    }
}

/// All sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    limits: Limits,
    /// What their streams keep.
    kept: Total,
    changes: Changes,
    table: Mutex<HashMap<String, Opened>>,
}

#[derive(Debug)]
struct Opened {
    session: Arc<Session>,
    used: Instant,
}

impl Opened {
    /// For how long there was no request, and no stream either.
    fn idle(&self) -> Duration {
        self.used.elapsed().min(self.session.idle())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.session.close();
    }
}

impl Sessions {
    pub(super) fn new(limits: &Limits, changes: &Changes) -> Self {
        Self {
            limits: limits.clone(),
            kept: Total::default(),
            changes: changes.clone(),
            table: Mutex::default(),
        }
    }

    /// Opens a session and names it.
    pub(super) fn open(&self, peer: Arc<Peer>) -> Result<String, getrandom::Error> {
        let name = random_name()?;
        let mut table = lock(&self.table);
        if table.len() >= self.limits.sessions {
            self.make_room(&mut table);
        }
        let in_flight = InFlight::new(self.limits.requests_per_connection);
        let session = Session::new(peer, in_flight, &self.changes, &self.limits);
        let session = Arc::new(session.resumable(&self.limits, &self.kept));
        table.insert(
            name.clone(),
            Opened {
                session,
                used: Instant::now(),
            },
        );
        Ok(name)
    }

    /// The session of this name, unless it has been idle too long. For any principal but the one that opened it there is
    /// none.
    pub(super) fn get(&self, name: &str, principal: Option<&Principal>) -> Option<Arc<Session>> {
        let mut table = lock(&self.table);
        let entry = table.get_mut(name)?;
        if entry.session.peer.principal.as_ref() != principal {
            return None;
        }
        if entry.idle() > self.limits.session_idle {
            table.remove(name);
            return None;
        }
        entry.used = Instant::now();
        Some(Arc::clone(&entry.session))
    }

    /// Ends the session of this name.
    pub(super) fn end(&self, name: &str) {
        lock(&self.table).remove(name);
    }

    /// Drops the sessions that have expired, and if none has, the one that has been idle longest.
    fn make_room(&self, table: &mut HashMap<String, Opened>) {
        table.retain(|_, entry| entry.idle() <= self.limits.session_idle);
        if table.len() >= self.limits.sessions {
            let idlest = table
                .iter()
                .max_by_key(|(_, entry)| entry.idle())
                .map(|(name, _)| name.clone());
            idlest.and_then(|name| table.remove(&name));
        }
    }
}

/// What nobody can guess: 128 bits from the system's random source, in hexadecimal.
pub(super) fn random_name() -> Result<String, getrandom::Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bits)))
}

/// A panic while the table is locked leaves it whole: each change is one insertion or removal.
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
        Sessions::new(&limits, &Changes::new())
    }

    #[test]
    fn a_session_lives_until_it_is_ended() {
        let sessions = sessions(10, Duration::from_secs(60));
        let name = sessions.open(peer()).unwrap();
        assert!(sessions.get(&name, None).is_some());
        sessions.end(&name);
        assert!(sessions.get(&name, None).is_none());
    }

    #[test]
    fn a_session_is_there_for_who_opened_it() {
        let sessions = sessions(10, Duration::from_secs(60));
        let [alice, bob] = ["alice", "bob"].map(Principal::new);
        let of = |principal: Option<&Principal>| {
            let peer = Peer::new(Revision::V2025_11_25, ClientCapabilities::new(), None);
            Arc::new(peer.principal(principal.cloned()))
        };
        for opener in [None, Some(&alice)] {
            let name = sessions.open(of(opener)).unwrap();
            for other in [None, Some(&alice), Some(&bob)] {
                let is_there = sessions.get(&name, other).is_some();
                assert_eq!(is_there, other == opener, "{opener:?} {other:?}");
            }
        }
    }

    #[test]
    fn an_idle_session_ends() {
        let sessions = sessions(10, Duration::ZERO);
        let name = sessions.open(peer()).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        assert!(sessions.get(&name, None).is_none());
    }

    #[test]
    fn one_above_the_limit_ends_the_idlest() {
        let sessions = sessions(2, Duration::from_secs(60));
        let names: Vec<_> = (0..3).map(|_| sessions.open(peer()).unwrap()).collect();
        let alive: Vec<_> = names
            .iter()
            .map(|name| sessions.get(name, None).is_some())
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
