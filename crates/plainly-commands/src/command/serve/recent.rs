//! The recent activity of the server, for its status page: counts, times and failures of each
//! method, and the clients. Its size is bounded, whatever clients send.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use plainly::errors::Code;
use plainly::errors::mistake::shortened;
use plainly::protocol::method::Method;
use plainly::server::{Operation, OperationOutcome};

use crate::explain::{for_answer, of_answer};

/// The most clients that are stored.
const CLIENTS: usize = 100;
/// The most failures that are stored.
const FAILURES: usize = 20;
/// The most bytes of a client's text.
const TEXT: usize = 200;
/// The period of the recent rate, in seconds.
pub(super) const RECENT: u64 = 60;
/// The row for methods that the protocol does not have.
const OTHER: &str = "other methods";

#[derive(Debug)]
pub(super) struct RecentActivity {
    state: Mutex<RecentState>,
    hasher: RandomState,
}

#[derive(Debug)]
pub(super) struct RecentState {
    pub(super) started: Instant,
    pub(super) methods: BTreeMap<&'static str, MethodActivity>,
    clients: HashMap<u64, ClientActivity>,
    pub(super) failures: VecDeque<RecentFailure>,
    /// The requests of each second of the last minute, with the number of that second.
    seconds: [(u64, u64); RECENT as usize],
}

#[derive(Debug, Default)]
pub(super) struct MethodActivity {
    pub(super) requests: u64,
    /// The failures of the server and of tools.
    pub(super) failures: u64,
    /// The mistakes of clients.
    pub(super) mistakes: u64,
    pub(super) total: Duration,
    pub(super) longest: Duration,
}

#[derive(Debug)]
pub(super) struct ClientActivity {
    pub(super) name: String,
    pub(super) principal: Option<String>,
    pub(super) address: Option<IpAddr>,
    pub(super) revision: &'static str,
    pub(super) requests: u64,
    pub(super) last: Instant,
}

#[derive(Debug)]
pub(super) struct RecentFailure {
    pub(super) at: SystemTime,
    pub(super) method: String,
    pub(super) name: Option<String>,
    pub(super) code: Option<Code>,
    pub(super) message: String,
    pub(super) advice: Option<String>,
    pub(super) incident: Option<String>,
    pub(super) is_mistake: bool,
}

impl RecentActivity {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(RecentState {
                started: Instant::now(),
                methods: BTreeMap::new(),
                clients: HashMap::new(),
                failures: VecDeque::new(),
                seconds: [(0, 0); RECENT as usize],
            }),
            hasher: RandomState::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, RecentState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, operation: &Operation<'_>) {
        let client = self.hasher.hash_one((
            operation.implementation.map(|it| (&it.name, &it.version)),
            operation.principal,
            operation.client,
        ));
        let failure = RecentFailure::of(operation);
        self.lock().note(operation, client, failure);
    }
}

impl RecentState {
    fn note(&mut self, operation: &Operation<'_>, client: u64, failure: Option<RecentFailure>) {
        let now = Instant::now();
        let second = now.duration_since(self.started).as_secs();
        let slot = &mut self.seconds[(second % RECENT) as usize];
        if slot.0 != second {
            *slot = (second, 0);
        }
        slot.1 += 1;
        let method = operation.method.and_then(Method::named);
        let row = self
            .methods
            .entry(method.map_or(OTHER, Method::name))
            .or_default();
        row.requests += 1;
        match &failure {
            Some(failure) if failure.is_mistake => row.mistakes += 1,
            Some(_) => row.failures += 1,
            None => {}
        }
        // A client may listen for any time.
        let duration = operation
            .duration
            .filter(|_| method != Some(Method::Listen));
        let duration = duration.unwrap_or_default();
        row.total += duration;
        row.longest = row.longest.max(duration);
        if let Some(failure) = failure {
            self.failures.truncate(FAILURES - 1);
            self.failures.push_front(failure);
        }
        self.note_client(operation, client, now);
    }

    fn note_client(&mut self, operation: &Operation<'_>, client: u64, now: Instant) {
        if let Some(known) = self.clients.get_mut(&client) {
            known.requests += 1;
            known.last = now;
            return;
        }
        if self.clients.len() >= CLIENTS {
            let clients = self.clients.iter();
            let oldest = clients
                .min_by_key(|(_, client)| client.last)
                .map(|(key, _)| *key);
            oldest.and_then(|key| self.clients.remove(&key));
        }
        let name = operation.implementation.map_or_else(
            || "unnamed".to_owned(),
            |client| text(&format!("{} {}", client.name, client.version)),
        );
        self.clients.insert(
            client,
            ClientActivity {
                name,
                principal: operation.principal.map(|it| text(it.as_str())),
                address: operation.client,
                revision: operation.revision.as_str(),
                requests: 1,
                last: now,
            },
        );
    }

    /// The requests of the last minute.
    pub(super) fn recent(&self) -> u64 {
        let now = self.started.elapsed().as_secs();
        let seconds = self.seconds.iter();
        let recent = seconds.filter(|(second, _)| now.saturating_sub(*second) < RECENT);
        recent.map(|(_, count)| count).sum()
    }

    /// The clients, most recently active first.
    pub(super) fn clients(&self) -> Vec<&ClientActivity> {
        let mut clients: Vec<_> = self.clients.values().collect();
        clients.sort_by_key(|client| std::cmp::Reverse(client.last));
        clients
    }
}

impl RecentFailure {
    fn of(operation: &Operation<'_>) -> Option<Self> {
        let error = operation.outcome.error();
        let has_tool_failed = matches!(operation.outcome, OperationOutcome::ToolFailed);
        let message = match error {
            Some(error) => text(&of_answer(error)),
            None if has_tool_failed => "the tool reports a failure".to_owned(),
            None => return None,
        };
        Some(Self {
            at: SystemTime::now(),
            method: text(operation.method.unwrap_or("no method")),
            name: operation.name.map(text),
            code: operation.outcome.code(),
            message,
            advice: error.map(|error| text(&for_answer(error))),
            incident: operation.outcome.incident().map(str::to_owned),
            is_mistake: operation.outcome.is_mistake(),
        })
    }
}

fn text(text: &str) -> String {
    shortened(text, TEXT).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_minute_is_recent() {
        let activity = RecentActivity::new();
        let mut state = activity.lock();
        state.started = Instant::now()
            .checked_sub(Duration::from_secs(100))
            .unwrap();
        state.seconds[30] = (30, 5);
        state.seconds[50] = (50, 3);
        state.seconds[40] = (100, 2);
        assert_eq!(state.recent(), 5);
    }
}
