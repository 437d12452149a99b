//! Which proofs have been used: each for as long as it could be used again (RFC 9449, 11.1).

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use ring::digest::{SHA256, digest};

use super::window::WINDOW;
use crate::jose::refusal::ProofRefusal;

/// The most proofs that are remembered, in all and of one key. Beyond that new ones are refused: to forget one would let it be
/// used again.
const MOST: usize = 100_000;
const MOST_OF_ONE: usize = MOST / 10;
/// A proof may be as old as the window when it comes, or as young: for twice the window it could come again.
const KEPT: u64 = 2 * WINDOW + 1;

type Digest = [u8; 32];

/// The proofs that were used of late.
#[derive(Default)]
pub struct Replays(Mutex<Used>);

#[derive(Default)]
struct Used {
    proofs: HashSet<Digest>,
    of_key: HashMap<Digest, usize>,
    /// In the order in which they came: key, proof, and until when it is kept.
    order: VecDeque<(Digest, Digest, u64)>,
}

impl Replays {
    /// Remembers that the holder of this key has used the proof of this name.
    pub(super) fn remember(&self, key: &str, id: &str, now: u64) -> Result<(), ProofRefusal> {
        let key = digested(key.as_bytes());
        let proof = digested(&[&key, id.as_bytes()].concat());
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.forget(now);
        if used.proofs.contains(&proof) {
            return Err(ProofRefusal::Replayed);
        }
        let of_key = used.of_key.get(&key).copied().unwrap_or_default();
        if used.proofs.len() >= MOST || of_key >= MOST_OF_ONE {
            return Err(ProofRefusal::TooMany);
        }
        used.proofs.insert(proof);
        used.of_key.insert(key, of_key + 1);
        used.order.push_back((key, proof, now.saturating_add(KEPT)));
        Ok(())
    }
}

impl Used {
    fn forget(&mut self, now: u64) {
        while let Some((key, proof, until)) = self.order.front().copied() {
            if until > now {
                return;
            }
            self.order.pop_front();
            self.proofs.remove(&proof);
            if let Some(count) = self.of_key.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.of_key.remove(&key);
                }
            }
        }
    }
}

impl std::fmt::Debug for Replays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replays").finish_non_exhaustive()
    }
}

fn digested(bytes: &[u8]) -> Digest {
    let mut fixed = [0; 32];
    fixed.copy_from_slice(digest(&SHA256, bytes).as_ref());
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_remembered_for_as_long_as_it_could_be_used() {
        let seen = Replays::default();
        assert_eq!(seen.remember("a", "1", 1000), Ok(()));
        assert_eq!(seen.remember("b", "1", 1000), Ok(()));
        assert_eq!(seen.remember("a", "1", 1000), Err(ProofRefusal::Replayed));
        assert_eq!(seen.remember("a", "1", 1600), Err(ProofRefusal::Replayed));
        // A clock that goes back brings nothing back.
        assert_eq!(seen.remember("a", "1", 10), Err(ProofRefusal::Replayed));
        assert_eq!(seen.remember("a", "1", 1601), Ok(()));
        // Nothing is left of what could not come again.
        let used = seen.0.lock().unwrap();
        let lengths = (used.proofs.len(), used.of_key.len(), used.order.len());
        assert_eq!(lengths, (1, 1, 1));
    }

    #[test]
    fn nothing_that_was_used_is_shown() {
        let seen = Replays::default();
        seen.remember("a", "1", 1000).unwrap();
        assert_eq!(format!("{seen:?}"), "Replays { .. }");
    }

    #[test]
    fn a_flood_of_proofs_of_one_key_leaves_the_others_room() {
        let seen = Replays::default();
        for id in 0..MOST_OF_ONE {
            seen.remember("a", &id.to_string(), 0).unwrap();
        }
        assert_eq!(seen.remember("a", "new", 0), Err(ProofRefusal::TooMany));
        assert_eq!(seen.remember("a", "0", 0), Err(ProofRefusal::Replayed));
        for key in 0..9 {
            for id in 0..MOST_OF_ONE {
                seen.remember(&key.to_string(), &id.to_string(), 0).unwrap();
            }
        }
        assert_eq!(seen.remember("b", "new", 0), Err(ProofRefusal::TooMany));
        assert_eq!(seen.remember("b", "new", KEPT), Ok(()));
        let used = seen.0.lock().unwrap();
        assert_eq!(
            (used.proofs.len(), used.of_key.len(), used.order.len()),
            (1, 1, 1)
        );
    }
}
