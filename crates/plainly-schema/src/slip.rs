//! Slips of the pen: which of some words was probably meant by one that is none of them. Knows nothing of schemas.

use std::{iter, mem};

/// Bytes of what may be a slip of another word.
const LONGEST: usize = 64;

/// Bytes of what may stand for a word that it is a part of.
const SHORTEST_PART: usize = 3;

/// The one of `words` that `text` is a slip of: other capitals, no more than one letter in three, the end left out, or all
/// before the last slash.
///
/// ```
/// use plainly_schema::closest;
///
/// assert_eq!(closest("serach", ["read", "search"].into_iter()), Some("search"));
/// assert_eq!(closest("warn", ["error", "warning"].into_iter()), Some("warning"));
/// assert_eq!(closest("version", ["example.com/version"].into_iter()), Some("example.com/version"));
/// assert_eq!(closest("write", ["read", "search"].into_iter()), None);
/// ```
pub fn closest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time by the product of the lengths, and a value can be as long as a message.
    if text.len() > LONGEST {
        return None;
    }
    let lower = text.to_lowercase();
    words
        .filter(|word| word.len() <= LONGEST)
        .filter_map(|word| Some((nearness(&lower, &word.to_lowercase())?, word)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// The distance of the words, if they are near: to leave out a part is one slip, and then each
/// letter counts.
fn nearness(text: &str, word: &str) -> Option<(usize, usize)> {
    let distance = distance(text, word);
    // In a short word one letter makes another word, not a slip.
    let is_slip = distance * 3 <= word.chars().count();
    let (part, whole) = match text.len() < word.len() {
        true => (text, word),
        false => (word, text),
    };
    let is_start = part.len() * 2 >= whole.len() && whole.starts_with(part);
    let is_name = whole.rsplit_once('/').is_some_and(|(_, name)| name == part);
    let is_part = part.len() >= SHORTEST_PART && (is_start || is_name);
    let slips = if is_part { distance.min(1) } else { distance };
    (is_slip || is_part).then_some((slips, distance))
}

/// The number of letters to add, leave out, replace or swap with their neighbour to make one word
/// of the other: the optimal string alignment distance. The crate `strsim` has it too, but a small
/// server would need it for this alone.
fn distance(one: &str, other: &str) -> usize {
    let mut above: Vec<usize> = (0..=other.chars().count()).collect();
    let mut two_above = above.clone();
    let mut letter_above = None;
    for (line, letter) in one.chars().enumerate() {
        let mut here = line + 1;
        let mut row = vec![here];
        let mut other_before = None;
        let before_both = iter::once(0).chain(two_above);
        for ((other, beside), swapped) in other.chars().zip(above.windows(2)).zip(before_both) {
            let &[diagonal, up] = beside else { break };
            here = (here + 1).min(up + 1);
            here = here.min(diagonal + usize::from(letter != other));
            if letter_above == Some(other) && other_before == Some(letter) {
                here = here.min(swapped + 1);
            }
            row.push(here);
            other_before = Some(other);
        }
        two_above = mem::replace(&mut above, row);
        letter_above = Some(letter);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_distance_is_that_of_strsim(one in "[abcé]{0,8}", other in "[abcé]{0,8}") {
            prop_assert_eq!(distance(&one, &other), strsim::osa_distance(&one, &other));
        }
    }
}
