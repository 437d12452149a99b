//! Sessions of legacy clients over HTTP: opened by `initialize`, named by `Mcp-Session-Id`, and
//! ended by their clients or after being idle.

pub(super) mod ended;
pub(super) mod record;
pub(super) mod session;
pub(super) mod shared;
pub(super) mod streams;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plainly_errors::ProtocolError;
use plainly_protocol::peer::{Peer, Principal};

use self::ended::{EndedSession, SessionObserver};
use self::record::{SessionChange, SessionRecord};
use self::session::Session;
use self::shared::{FoundRecord, SharedSession, SharedSessions};
use super::changes::Changes;
use super::failure::incident::chain;
use super::in_flight::InFlight;
use super::random::random_name;
use crate::limits::Limits;
use plainly_transport::lock::Lock;
use plainly_transport::quota::{Holder, Quota, QuotaExhausted, QuotaPart, share_of};

/// All sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    limits: Limits,
    /// The quota of bytes that the sessions' streams store.
    pub(super) kept: Quota,
    /// The quota of questions that clients have not answered.
    pub(super) asked: Quota,
    /// The quota of bytes of the clients' `initialize` parameters.
    pub(super) said: Quota,
    /// The quota of bytes of the sessions' subscriptions, which all other subscriptions share.
    listened: Quota,
    changes: Changes,
    /// The sessions' records, if other servers also serve them.
    shared: Option<Arc<SharedSessions>>,
    pub(super) observer: SessionObserver,
    table: Lock<SessionTable>,
}

#[derive(Debug, Default)]
struct SessionTable {
    sessions: HashMap<Arc<str>, OpenSession>,
    /// The names of the sessions, in the order of their places.
    by_place: BTreeMap<Place, Arc<str>>,
    /// The places of each caller's sessions.
    of: HashMap<Holder, BTreeSet<Place>>,
    /// The number of uses and places so far.
    counted: u64,
}

/// A time at which a session was used, and the number of that use. Two uses may have the same time;
/// the number distinguishes and orders them.
type Use = (Instant, u64);

/// The place of a session in the order of use. It is one of the session's uses, but not always the
/// last: it is updated only when the order matters, because requests are many and evictions are
/// few.
type Place = Use;

#[derive(Debug)]
struct OpenSession {
    session: Arc<Session>,
    observer: SessionObserver,
    began: Instant,
    place: Place,
    /// The last request.
    used: Use,
    caller: Option<Holder>,
    /// The quota part for the client's `initialize` parameters.
    said: QuotaPart,
}

impl OpenSession {
    /// The time without a request or a stream, as of `now`.
    fn idle_at(&self, now: Instant) -> Duration {
        let unused = now.saturating_duration_since(self.used.0);
        unused.min(self.session.idle())
    }
}

impl Drop for OpenSession {
    // Whenever a session is removed from the table, its streams and questions end.
    fn drop(&mut self) {
        // Reported first, because a session is in use while it has a stream.
        self.observer.report(|| {
            let now = Instant::now();
            let age = now.saturating_duration_since(self.began);
            EndedSession {
                revision: self.session.peer.revision,
                transport: "http",
                duration: age.saturating_sub(self.idle_at(now)),
                error: None,
            }
        });
        self.session.close();
    }
}

impl Sessions {
    pub(super) fn new(
        limits: &Limits,
        changes: &Changes,
        listened: &Quota,
        shared: Option<Arc<SharedSessions>>,
    ) -> Self {
        Self {
            limits: limits.clone(),
            kept: Quota::new(limits.resumption.bytes_in_all),
            asked: Quota::new(limits.questions_in_all()),
            said: Quota::new(limits.sessions.bytes_in_all),
            listened: listened.clone(),
            changes: changes.clone(),
            shared,
            observer: SessionObserver::default(),
            table: Lock::default(),
        }
    }

    /// Reports the end of each session to `observer`.
    pub(super) fn observed(self, observer: SessionObserver) -> Self {
        Self { observer, ..self }
    }

    /// The number of open sessions.
    pub(super) fn count(&self) -> usize {
        self.table.lock().sessions.len()
    }

    /// Opens a session of `caller` and returns its name. `said` is the length of its `initialize`
    /// parameters in bytes.
    pub(super) async fn open(
        &self,
        peer: Arc<Peer>,
        caller: Option<Holder>,
        said: usize,
    ) -> Result<String, ProtocolError> {
        let name = random_name().map_err(not_random)?;
        let place = self.shared.as_ref().map(|shared| shared.place(&name));
        let place = place.transpose().map_err(not_random)?;
        // Before the client gets the name, so that every server knows the session.
        if let Some(place) = &place {
            place.create(SessionRecord::new(&peer, said)).await?;
        }
        self.begin(&name, peer, caller, said, place);
        Ok(name)
    }

    /// Begins a session in this process, unless it has already begun. Expired sessions are ended.
    /// If there are still too many, of this caller or in total, those that have been idle longest
    /// are ended.
    fn begin(
        &self,
        name: &str,
        peer: Arc<Peer>,
        caller: Option<Holder>,
        said: usize,
        place: Option<SharedSession>,
    ) -> Arc<Session> {
        let in_flight = InFlight::new(&self.limits);
        let topics = self.changes.subscribe(self.listened.part(caller.clone()));
        let session = Session::new(peer, in_flight, topics, &self.limits);
        let session = session.asked_among(&self.asked, caller.clone());
        let kept = self.kept.part(caller.clone());
        let session = session.shared(place).resumable(&self.limits, kept);
        let session = Arc::new(session);
        let mut table = self.table.lock();
        if let Some(opened) = table.sessions.get(name) {
            return Arc::clone(&opened.session);
        }
        let mut over = Vec::new();
        while let Some(expired) = table.take_idler_than(self.limits.sessions.idle) {
            over.push(expired);
        }
        // The caller's own sessions first, so that a caller that opens many ends none of another's.
        if let Some(caller) = &caller
            && table.count_of(caller) >= share_of(self.limits.sessions.open)
        {
            over.extend(table.take_idlest_of(caller));
        }
        if table.sessions.len() >= self.limits.sessions.open {
            over.extend(table.take_idlest());
        }
        let said = table.make_room(self.said.part(caller.clone()), said, &mut over);
        let observer = self.observer.clone();
        table.insert(name.into(), Arc::clone(&session), observer, caller, said);
        // Dropped outside the lock, because ending a session takes other locks.
        drop(table);
        drop(over);
        session
    }

    /// The session with this name, which exists only for the principal that opened it. A session
    /// that another server opened begins in this process as one of `caller`.
    pub(super) async fn get(
        &self,
        name: &str,
        principal: Option<&Principal>,
        caller: Option<Holder>,
    ) -> Result<Option<Arc<Session>>, ProtocolError> {
        let here = self.get_here(name, principal);
        let Some(shared) = &self.shared else {
            return Ok(here);
        };
        let Some(session) = here else {
            // Boxed, because sessions that are only in memory need no room for these futures.
            return Box::pin(self.join(shared, name, principal, caller)).await;
        };
        match Box::pin(session.catch_up()).await {
            Ok(true) => {}
            Ok(false) => {
                self.end_here(name);
                return Ok(None);
            }
            // In this case the server continues with the data that it has.
            Err(error) => {
                tracing::warn!(error = chain(&error), "a session could not be looked up");
            }
        }
        Ok(Some(session))
    }

    /// The session with this name that another server opened. It now begins in this process too.
    async fn join(
        &self,
        shared: &Arc<SharedSessions>,
        name: &str,
        principal: Option<&Principal>,
        caller: Option<Holder>,
    ) -> Result<Option<Arc<Session>>, ProtocolError> {
        let place = shared.place(name).map_err(not_random)?;
        let FoundRecord::Later(record, version) = place.find().await? else {
            return Ok(None);
        };
        let Some(peer) = record.peer(principal) else {
            return Ok(None);
        };
        let session = self.begin(name, Arc::new(peer), caller, record.said, Some(place));
        session.resume(&record, version).await;
        Ok(Some(session))
    }

    /// The session with this name, unless it has been idle in this process for too long.
    fn get_here(&self, name: &str, principal: Option<&Principal>) -> Option<Arc<Session>> {
        let mut table = self.table.lock();
        let used = table.next_use(Instant::now());
        let opened = table.sessions.get_mut(name)?;
        // Before any change, because a request from another principal must neither end a session
        // nor keep it from becoming idle.
        if opened.session.peer.principal.as_ref() != principal {
            return None;
        }
        if opened.idle_at(used.0) > self.limits.sessions.idle {
            let expired = table.remove(name);
            drop(table);
            drop(expired);
            return None;
        }
        opened.used = used;
        Some(Arc::clone(&opened.session))
    }

    /// Ends this session on all servers, and its streams in this process. A request whose client
    /// waits for the response is still answered, because a client that does not want the response
    /// cancels the request or closes the connection.
    pub(super) async fn end(
        &self,
        name: &str,
        session: &Arc<Session>,
    ) -> Result<(), ProtocolError> {
        if let Some(storing) = session.change(SessionChange::End)? {
            storing.await?;
        }
        self.end_here(name);
        if let Some(shared) = &self.shared {
            shared.tell_end(name);
        }
        Ok(())
    }

    /// Ends all sessions in this process. Other servers continue shared ones.
    pub(super) fn end_all(&self) {
        let ended = std::mem::take(&mut *self.table.lock());
        drop(ended);
    }

    /// The session with this name, if it has begun in this process.
    pub(super) fn find_here(&self, name: &str) -> Option<Arc<Session>> {
        let table = self.table.lock();
        let opened = table.sessions.get(name)?;
        Some(Arc::clone(&opened.session))
    }

    /// Ends this session in this process, because it has ended elsewhere.
    pub(super) fn end_here(&self, name: &str) {
        let ended = self.table.lock().remove(name);
        drop(ended);
    }
}

fn not_random(error: getrandom::Error) -> ProtocolError {
    ProtocolError::internal("No session could be opened").with_source(error)
}

impl SessionTable {
    /// Takes `bytes` from the quota, and ends sessions until there is room.
    fn make_room(
        &mut self,
        mut part: QuotaPart,
        bytes: usize,
        over: &mut Vec<OpenSession>,
    ) -> QuotaPart {
        while let Err(full) = part.grow(bytes) {
            let ended = match (full, part.holder()) {
                (QuotaExhausted::Share, Some(caller)) => self.take_idlest_of(caller),
                (QuotaExhausted::Share | QuotaExhausted::All, _) => self.take_idlest(),
            };
            let Some(mut ended) = ended else {
                // The part exceeds the quota even without other sessions.
                part.grow_anyway(bytes);
                break;
            };
            ended.said.shrink(ended.said.amount());
            over.push(ended);
        }
        part
    }

    fn insert(
        &mut self,
        name: Arc<str>,
        session: Arc<Session>,
        observer: SessionObserver,
        caller: Option<Holder>,
        said: QuotaPart,
    ) {
        let used = self.next_use(Instant::now());
        self.by_place.insert(used, Arc::clone(&name));
        if let Some(caller) = &caller {
            self.of.entry(caller.clone()).or_default().insert(used);
        }
        let opened = OpenSession {
            session,
            observer,
            began: used.0,
            place: used,
            used,
            caller,
            said,
        };
        self.sessions.insert(name, opened);
    }

    fn remove(&mut self, name: &str) -> Option<OpenSession> {
        let opened = self.sessions.remove(name)?;
        self.by_place.remove(&opened.place);
        if let Some(caller) = &opened.caller
            && let Some(places) = self.of.get_mut(caller)
        {
            places.remove(&opened.place);
            if places.is_empty() {
                self.of.remove(caller);
            }
        }
        Some(opened)
    }

    /// Moves a session to the place of a use at this time.
    fn move_to(&mut self, name: &str, at: Instant) {
        let place = self.next_use(at);
        if let Some(opened) = self.sessions.get_mut(name)
            && let Some(name) = self.by_place.remove(&opened.place)
        {
            let before = std::mem::replace(&mut opened.place, place);
            self.by_place.insert(place, name);
            let caller = opened.caller.as_ref();
            if let Some(places) = caller.and_then(|caller| self.of.get_mut(caller)) {
                places.remove(&before);
                places.insert(place);
            }
        }
    }

    fn next_use(&mut self, at: Instant) -> Use {
        self.counted += 1;
        (at, self.counted)
    }

    /// The number of this caller's sessions.
    fn count_of(&self, caller: &Holder) -> usize {
        self.of.get(caller).map_or(0, BTreeSet::len)
    }

    /// Removes and returns this caller's session that has been idle longest; among equals, the one
    /// used least recently.
    fn take_idlest_of(&mut self, caller: &Holder) -> Option<OpenSession> {
        let places = self.of.get(caller)?.iter();
        // A linear search, because a caller has few sessions. For all sessions together it took too
        // long (`take_idlest`).
        let names = places.filter_map(|place| self.by_place.get(place));
        let now = Instant::now();
        let opened = names.filter_map(|name| Some((name, self.sessions.get(name)?)));
        let idlest = opened.max_by_key(|(_, it)| (it.idle_at(now), Reverse(it.used)));
        let name = Arc::clone(idlest?.0);
        self.remove(&name)
    }

    /// Removes and returns the session that has been idle longest; if none is idle, the one used
    /// least recently.
    fn take_idlest(&mut self) -> Option<OpenSession> {
        self.take_idler_than(Duration::ZERO).or_else(|| {
            let sessions = self.sessions.iter();
            let name = Arc::clone(sessions.min_by_key(|(_, opened)| opened.used)?.0);
            self.remove(&name)
        })
    }

    /// Removes and returns the session that has been idle longest, if that is longer than `most`.
    fn take_idler_than(&mut self, most: Duration) -> Option<OpenSession> {
        // At most one step per session, because sessions found in use move in the order and could
        // be found again.
        for _ in 0..self.by_place.len() {
            let ((place, _), name) = self.by_place.first_key_value()?;
            let (now, name) = (Instant::now(), Arc::clone(name));
            let unmoved = now.saturating_duration_since(*place);
            if unmoved <= most {
                return None;
            }
            let idle = self.sessions.get(&name)?.idle_at(now);
            if idle >= unmoved {
                return self.remove(&name);
            }
            // The session has been used since, or has an open stream, which counts as use.
            self.move_to(&name, now.checked_sub(idle).unwrap_or(now));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
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
        (limits.sessions.open, limits.sessions.idle) = (most, idle);
        Sessions::new(&limits, &Changes::new(), &Quota::new(0), None)
    }

    fn open_in(
        sessions: &Sessions,
        peer: Arc<Peer>,
        caller: Option<Holder>,
        said: usize,
    ) -> Result<String, ProtocolError> {
        let opened = sessions.open(peer, caller, said).now_or_never();
        opened.expect("nothing is waited for")
    }

    #[test]
    fn a_session_lives_until_it_is_ended() {
        let sessions = sessions(10, Duration::from_secs(60));
        let name = open_in(&sessions, peer(), None, 0).unwrap();
        assert!(sessions.get_here(&name, None).is_some());
        sessions.end_here(&name);
        assert!(sessions.get_here(&name, None).is_none());
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
            let name = open_in(&sessions, of(opener), None, 0).unwrap();
            for other in [None, Some(&alice), Some(&bob)] {
                let is_there = sessions.get_here(&name, other).is_some();
                assert_eq!(is_there, other == opener, "{opener:?} {other:?}");
            }
        }
    }

    #[test]
    fn an_idle_session_ends() {
        let sessions = sessions(10, Duration::ZERO);
        let name = open_in(&sessions, peer(), None, 0).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        assert!(sessions.get_here(&name, None).is_none());
    }

    #[test]
    fn one_above_the_limit_ends_the_idlest() {
        let sessions = sessions(2, Duration::from_secs(60));
        let names: Vec<_> = (0..3)
            .map(|_| open_in(&sessions, peer(), None, 0).unwrap())
            .collect();
        let alive: Vec<_> = names
            .iter()
            .map(|name| sessions.get_here(name, None).is_some())
            .collect();
        assert_eq!(alive, [false, true, true]);
    }

    #[tokio::test]
    async fn who_listens_or_came_again_is_not_the_idlest() {
        let sessions = sessions(3, Duration::from_secs(60));
        let names: Vec<_> = (0..3)
            .map(|_| open_in(&sessions, peer(), None, 0).unwrap())
            .collect();
        let listening = sessions.get_here(&names[0], None).unwrap();
        let stream = listening.subscription.open(Vec::new()).ok();
        assert!(sessions.get_here(&names[1], None).is_some());
        open_in(&sessions, peer(), None, 0).unwrap();
        open_in(&sessions, peer(), None, 0).unwrap();
        // First the session without further requests ends, then the one without a stream.
        let alive = |name: &String| sessions.get_here(name, None).is_some();
        let alive: Vec<_> = names.iter().map(alive).collect();
        assert_eq!(alive, [true, false, false]);
        drop(stream);
    }

    #[test]
    fn where_all_are_busy_the_one_used_least_recently_ends() {
        for last in [0, 1] {
            let sessions = sessions(2, Duration::from_secs(60));
            let names = [(); 2].map(|()| open_in(&sessions, peer(), None, 0).unwrap());
            let get = |name: &String| sessions.get_here(name, None);
            let open = |name: &String| get(name).unwrap().subscription.open(Vec::new());
            let streams = names.each_ref().map(open);
            assert!(get(&names[last]).is_some());
            open_in(&sessions, peer(), None, 0).unwrap();
            assert!(get(&names[last]).is_some() && get(&names[1 - last]).is_none());
            drop(streams);
        }
    }

    #[tokio::test]
    async fn a_caller_ends_its_own_and_nobody_elses() {
        let mut limits = Limits::default();
        limits.sessions.open = 24;
        let sessions = Sessions::new(&limits, &Changes::new(), &Quota::new(0), None);
        let [alice, bob] = ["alice", "bob"].map(Principal::new);
        let open = |principal: Option<&Principal>| {
            let peer = Peer::new(Revision::V2025_11_25, ClientCapabilities::new(), None);
            let peer = peer.principal(principal.cloned());
            let caller = Holder::of(principal, None);
            (
                open_in(&sessions, Arc::new(peer), caller, 0).unwrap(),
                principal.cloned(),
            )
        };
        let is_there = |(name, whose): &(String, Option<Principal>)| {
            sessions.get_here(name, whose.as_ref()).is_some()
        };
        let others: Vec<_> = [Some(&bob), None, None, None, None].map(open).into();
        let mut own: Vec<_> = [Some(&alice); 3].map(open).into();
        assert!(own.iter().chain(&others).all(is_there));
        // The first has an open stream, and the second was used after the third.
        let first = sessions.get_here(&own[0].0, Some(&alice)).unwrap();
        let stream = first.subscription.open(Vec::new()).ok();
        assert!(is_there(&own[1]));
        own.push(open(Some(&alice)));
        let alive: Vec<_> = own.iter().map(is_there).collect();
        assert_eq!(alive, [true, true, false, true]);
        assert!(others.iter().all(is_there));
        drop(stream);
        for (name, _) in own.iter().chain(&others) {
            sessions.end_here(name);
        }
        let table = sessions.table.lock();
        assert!(table.of.is_empty() && table.by_place.is_empty());
    }

    #[test]
    fn what_clients_say_about_themselves_ends_sessions_of_who_says_most() {
        let mut limits = Limits::default();
        limits.sessions.bytes_in_all = 80;
        let sessions = Sessions::new(&limits, &Changes::new(), &Quota::new(0), None);
        let [loud, quiet] = [1, 2].map(|last| Holder::of(None, Some([127, 0, 0, last].into())));
        let open = |caller: &Option<Holder>, said| {
            let name = open_in(&sessions, peer(), caller.clone(), said);
            name.unwrap()
        };
        let own = open(&quiet, 10);
        let names: Vec<_> = (0..100).map(|_| open(&loud, 4)).collect();
        let alive = |name: &&String| sessions.get_here(name, None).is_some();
        assert_eq!(names.iter().filter(alive).count(), 2);
        assert!(alive(&&own));
        // A single session may exceed the share, and even the quota.
        let names = [open(&loud, 60), open(&loud, 90)];
        assert_eq!(names.iter().filter(alive).count(), 1);
        assert!(!alive(&&own));
    }

    #[test]
    fn what_has_expired_goes_when_others_come() {
        let sessions = sessions(100, Duration::from_millis(1));
        for _ in 0..10 {
            open_in(&sessions, peer(), None, 0).unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
        open_in(&sessions, peer(), None, 0).unwrap();
        let table = sessions.table.lock();
        assert_eq!((table.sessions.len(), table.by_place.len()), (1, 1));
    }

    #[test]
    fn names_are_visible_ascii_and_never_repeat() {
        let sessions = sessions(100_000, Duration::from_secs(60));
        let names: std::collections::HashSet<_> = (0..10_000)
            .map(|_| open_in(&sessions, peer(), None, 0).unwrap())
            .collect();
        assert_eq!(names.len(), 10_000);
        assert!(
            names
                .iter()
                .all(|name| name.bytes().all(|byte| byte.is_ascii_graphic()))
        );
    }
}
