//! The proofs that have been used, each for as long as it could be used again (RFC 9449, 11.1).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use ring::digest::{SHA256, digest};

use super::window::WINDOW;
use crate::jose::refusal::ProofRefusal;

/// The most proofs that are stored, in all and per holder: about 100 MB at most. Beyond that, new
/// proofs are rejected, because a removed proof could be used again.
const MOST: usize = 1_000_000;
const SHARE: usize = 10;
/// The seconds by which a proof may be older than this process, because clocks differ.
const LEEWAY: u64 = 5;

/// Half of a SHA-256, which is enough to prevent collisions.
type Digest = u128;

/// The proofs that were used recently.
#[derive(Debug)]
pub struct Replays {
    /// The earliest accepted time of a proof. An earlier proof may have been used at the previous
    /// process.
    since: u64,
    most: usize,
    used: Mutex<UsedProofs>,
}

#[derive(Default)]
struct UsedProofs {
    proofs: HashSet<Digest>,
    of_holder: HashMap<Digest, usize>,
    /// Holders and proofs, by the second in which the proof was made.
    made_at: BTreeMap<u64, Vec<(Digest, Digest)>>,
}

/// A proof that is valid unless it was used before.
pub(super) struct RightProof<'a> {
    pub(super) holder: &'a str,
    pub(super) key: &'a str,
    pub(super) id: &'a str,
    pub(super) made_at: u64,
}

impl Default for Replays {
    /// An empty list, which accepts proofs of any time.
    fn default() -> Self {
        Self::starting_at(0)
    }
}

impl Replays {
    /// The list of a server that starts at this time, in seconds since 1970.
    pub fn starting_at(now: u64) -> Self {
        Self {
            since: now.saturating_sub(LEEWAY),
            most: MOST,
            used: Mutex::default(),
        }
    }

    /// Whether a proof of this time could have been used before this list began.
    pub(super) fn may_have_missed(&self, made_at: u64) -> bool {
        made_at < self.since
    }

    /// Stores that this proof was used.
    pub(super) fn remember(&self, proof: &RightProof<'_>, now: u64) -> Result<(), ProofRefusal> {
        let holder = digested(&[proof.holder]);
        let name = digested(&[proof.key, proof.id]);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.forget(now);
        if used.proofs.contains(&name) {
            return Err(ProofRefusal::Replayed);
        }
        let own = used.of_holder.get(&holder).copied().unwrap_or_default();
        if used.proofs.len() >= self.most || own >= self.most / SHARE {
            return Err(ProofRefusal::TooMany);
        }
        used.proofs.insert(name);
        used.of_holder.insert(holder, own + 1);
        let of_second = used.made_at.entry(proof.made_at).or_default();
        of_second.push((holder, name));
        Ok(())
    }
}

impl UsedProofs {
    /// Removes the proofs that are too old to be accepted again.
    fn forget(&mut self, now: u64) {
        while let Some(oldest) = self.made_at.first_entry()
            && oldest.key().saturating_add(WINDOW) < now
        {
            for (holder, proof) in oldest.remove() {
                self.proofs.remove(&proof);
                if let Some(count) = self.of_holder.get_mut(&holder) {
                    *count -= 1;
                    if *count == 0 {
                        self.of_holder.remove(&holder);
                    }
                }
            }
        }
    }
}

impl std::fmt::Debug for UsedProofs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UsedProofs").finish_non_exhaustive()
    }
}

/// The digest of these texts. Each is hashed first, so that no other texts have the same digest.
fn digested(texts: &[&str]) -> Digest {
    let mut all = Vec::new();
    for text in texts {
        all.extend_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    }
    let mut half = [0; 16];
    half.copy_from_slice(&digest(&SHA256, &all).as_ref()[..16]);
    u128::from_be_bytes(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof<'a>(holder: &'a str, id: &'a str, made_at: u64) -> RightProof<'a> {
        RightProof {
            holder,
            key: "k",
            id,
            made_at,
        }
    }

    #[test]
    fn a_proof_is_remembered_for_as_long_as_it_could_be_used() {
        let seen = Replays::default();
        let use_at = |id, made_at, now| seen.remember(&proof("a", id, made_at), now);
        for (id, made_at) in [("1", 1000), ("2", 1300), ("3", 700)] {
            assert_eq!(use_at(id, made_at, 1000), Ok(()));
            let last = made_at + WINDOW;
            assert_eq!(use_at(id, made_at, last), Err(ProofRefusal::Replayed));
            // If the clock is set back, the proof is still known.
            assert_eq!(use_at(id, made_at, 10), Err(ProofRefusal::Replayed));
        }
        assert_eq!(use_at("1", 1000, 1301), Ok(()));
        // All proofs that can't be used again are removed.
        use_at("4", 2000, 2000).unwrap();
        let used = seen.used.lock().unwrap();
        let lengths = (used.proofs.len(), used.of_holder.len(), used.made_at.len());
        assert_eq!(lengths, (1, 1, 1));
    }

    #[test]
    fn nothing_that_was_used_is_shown() {
        let seen = Replays::default();
        seen.remember(&proof("alice", "1", 1000), 1000).unwrap();
        assert!(!format!("{seen:?}").contains("alice"));
    }

    /// The bound is per holder rather than per key, because an authorization server binds tokens to
    /// any key.
    #[test]
    fn a_flood_of_proofs_of_one_holder_leaves_the_others_room() {
        let seen = Replays {
            most: 100,
            ..Replays::default()
        };
        let use_one = |holder: &str, key: &str, id: usize| {
            let id = id.to_string();
            let proof = RightProof {
                holder,
                key,
                id: &id,
                made_at: 0,
            };
            seen.remember(&proof, 0)
        };
        for number in 0..10 {
            use_one("a", &number.to_string(), 0).unwrap();
        }
        assert_eq!(use_one("a", "new", 0), Err(ProofRefusal::TooMany));
        assert_eq!(use_one("a", "0", 0), Err(ProofRefusal::Replayed));
        for other in 0..9 {
            for id in 0..10 {
                use_one(&other.to_string(), &format!("of {other}"), id).unwrap();
            }
        }
        assert_eq!(use_one("b", "new", 0), Err(ProofRefusal::TooMany));
        let later = seen.remember(&proof("b", "new", WINDOW + 1), WINDOW + 1);
        assert_eq!(later, Ok(()));
    }
}
