//! The other replicas that this one has contacted. They show whether this replica has the common
//! keys and the right time.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use plainly_cluster::ReplicaId;
use tokio::time::Instant;

use super::here::Here;

/// The maximum difference between clocks, in milliseconds.
const CLOCK: u64 = 30_000;
/// The age below which a replica that has found no other with its keys is not ready. An older
/// replica continues to serve, because then the younger ones are wrong.
const YOUNG: Duration = Duration::from_secs(60);
/// The maximum number of known replicas.
const MOST: usize = 10_000;

/// The answer of another replica.
#[derive(Clone, Debug)]
pub(super) struct Met {
    /// The data about the replica; `None` if it can't read the question, because it has other keys
    /// or another name.
    pub(super) here: Option<Here>,
    /// The number of milliseconds by which its clock is ahead.
    pub(super) ahead: i64,
}

impl Met {
    /// A description of what is wrong with the replica or with this one, to follow the replica's
    /// name.
    pub(super) fn trouble(&self) -> Option<String> {
        if self.here.is_none() {
            return Some("has other keys, or another name".to_owned());
        }
        let is_off = self.ahead.unsigned_abs() > CLOCK;
        let seconds = self.ahead.unsigned_abs() / 1_000;
        let place = if self.ahead > 0 { "ahead" } else { "behind" };
        is_off.then(|| format!("has a clock that is {seconds} s {place}"))
    }
}

/// The reason why a replica does not match the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// No other replica has its keys.
    Keys,
    /// Its clock is this many milliseconds behind most others, or ahead if negative.
    Clock(i64),
}

/// The other replicas. In each round all are asked again.
#[derive(Debug, Default)]
pub(super) struct Known {
    others: HashMap<ReplicaId, Acquaintance>,
    round: u64,
}

#[derive(Debug)]
struct Acquaintance {
    met: Met,
    round: u64,
    at: Instant,
}

impl Known {
    /// Begins a round, and forgets replicas that did not answer in the last one.
    pub(super) fn begin(&mut self) {
        let last = self.round;
        self.others.retain(|_, entry| entry.round == last);
        self.round += 1;
    }

    /// Whether to ask this replica: it was not asked in this round or for at least `pause`.
    pub(super) fn wants(&self, id: ReplicaId, pause: Duration) -> bool {
        let has_room = self.others.len() < MOST;
        self.others.get(&id).map_or(has_room, |entry| {
            entry.round != self.round || entry.at.elapsed() >= pause
        })
    }

    /// Whether the last answer of this replica showed a problem.
    pub(super) fn troubles(&self, id: ReplicaId) -> bool {
        self.others
            .get(&id)
            .is_some_and(|entry| entry.met.trouble().is_some())
    }

    /// Records an answer, and returns whether it is the first one from a replica with listings that
    /// differ from `lists`.
    pub(super) fn note(&mut self, id: ReplicaId, met: Met, lists: Option<&str>) -> bool {
        let theirs = |met: &Met| met.here.as_ref().and_then(|here| here.lists.clone());
        let (new, round) = (theirs(&met), self.round);
        let at = Instant::now();
        let before = self.others.insert(id, Acquaintance { met, round, at });
        let before = before.and_then(|entry| theirs(&entry.met));
        let differs = new.is_some() && lists.is_some() && new.as_deref() != lists;
        differs && before != new
    }

    /// The replicas that answered in this round or in the previous one.
    pub(super) fn all(&self) -> impl Iterator<Item = (ReplicaId, &Met)> {
        self.others.iter().map(|(id, entry)| (*id, &entry.met))
    }

    /// The replicas that answered in this round.
    pub(super) fn met(&self) -> impl Iterator<Item = (ReplicaId, &Met)> {
        let present = self
            .others
            .iter()
            .filter(|(_, entry)| entry.round == self.round);
        present.map(|(id, entry)| (*id, &entry.met))
    }

    /// The reason why this replica, which has the age `age`, does not match the replicas that
    /// answered in this round.
    pub(super) fn mismatch(&self, age: Duration, before: Option<Mismatch>) -> Option<Mismatch> {
        let all = self.met().collect::<Vec<_>>();
        let serving = all.iter().filter_map(|(_, met)| {
            let here = met.here.as_ref().filter(|here| here.lists.is_some())?;
            Some((met.ahead, here.up))
        });
        let serving = serving.collect::<Vec<_>>();
        if serving.is_empty() {
            let is_foreign = all.iter().any(|(_, met)| met.here.is_none());
            let is_young = age < YOUNG || before == Some(Mismatch::Keys);
            return (is_foreign && is_young).then_some(Mismatch::Keys);
        }
        let (others, near): (Vec<_>, Vec<_>) = serving
            .into_iter()
            .partition(|(ahead, _)| ahead.unsigned_abs() > CLOCK);
        let oldest = |some: &[(i64, u64)]| some.iter().map(|(_, up)| *up).max().unwrap_or(0);
        let own = oldest(&near).max(age.as_secs());
        let is_outvoted = match others.len().cmp(&(near.len() + 1)) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => oldest(&others) > own,
            std::cmp::Ordering::Greater => true,
        };
        let mut ahead = others.iter().map(|(ahead, _)| *ahead).collect::<Vec<_>>();
        ahead.sort_unstable();
        is_outvoted.then(|| Mismatch::Clock(ahead[ahead.len() / 2]))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keys => f.write_str(
                "the other replicas have other keys or another name: give all the same keys, and the server the same name",
            ),
            Self::Clock(ahead) => {
                let seconds = ahead.unsigned_abs() / 1_000;
                let place = if *ahead > 0 { "behind" } else { "ahead of" };
                write!(
                    f,
                    "the clock of this machine is {seconds} s {place} those of other replicas: set it",
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// A replica that serves, whose clock is ahead, and which started `up` seconds ago.
    fn serving(ahead: i64, up: u64) -> Met {
        let here = Some(Here {
            up,
            lists: Some("a".to_owned()),
            ..Here::default()
        });
        Met { here, ahead }
    }

    fn foreign() -> Met {
        let (here, ahead) = (None, 0);
        Met { here, ahead }
    }

    /// A replica that only asks, as the status command does.
    fn asking() -> Met {
        let (here, ahead) = (Some(Here::default()), HOUR);
        Met { here, ahead }
    }

    fn mismatch(others: &[Met], age: u64, before: Option<Mismatch>) -> Option<Mismatch> {
        let mut known = Known::default();
        known.begin();
        for (number, met) in others.iter().enumerate() {
            let id = format!("{number:016x}").parse().unwrap();
            known.note(id, met.clone(), None);
        }
        known.mismatch(Duration::from_secs(age), before)
    }

    #[test]
    fn the_younger_of_replicas_with_other_keys_is_wrong() {
        let keys = Some(Mismatch::Keys);
        for (others, age, before, expected) in [
            (vec![], 0, None, None),
            (vec![foreign()], 3, None, keys),
            (vec![foreign()], 61, None, None),
            (vec![foreign()], 61, keys, keys),
            (vec![foreign(), asking()], 3, None, keys),
            (vec![foreign(), serving(0, 9)], 3, None, None),
            (vec![], 61, keys, None),
        ] {
            let found = mismatch(&others, age, before);
            assert_eq!(found, expected, "{others:?}, {age} s");
        }
    }

    #[test]
    fn most_clocks_are_right_and_of_two_the_older_one() {
        let behind = Some(Mismatch::Clock(HOUR));
        for (others, expected) in [
            (vec![serving(20_000, 900)], None),
            (vec![serving(HOUR, 900)], behind),
            (vec![serving(HOUR, 1)], None),
            (
                vec![serving(HOUR, 1), serving(HOUR + 5, 2)],
                Some(Mismatch::Clock(HOUR + 5)),
            ),
            (vec![serving(-HOUR, 900), serving(5, 2)], None),
            (vec![asking()], None),
        ] {
            assert_eq!(mismatch(&others, 100, None), expected, "{others:?}");
        }
        let why = Mismatch::Clock(-HOUR).to_string();
        assert_eq!(
            why,
            "the clock of this machine is 3600 s ahead of those of other replicas: set it"
        );
    }

    #[test]
    fn other_lists_are_news_once() {
        let id = "0123456789abcdef".parse().unwrap();
        let mut known = Known::default();
        let mut note = |met: Met, lists| {
            known.begin();
            known.note(id, met, lists)
        };
        assert!(!note(serving(0, 1), Some("a")));
        assert!(!note(asking(), Some("b")));
        assert!(note(serving(0, 1), Some("b")));
        assert!(!note(serving(0, 2), Some("b")));
        assert!(!note(serving(0, 3), None));
    }
}
