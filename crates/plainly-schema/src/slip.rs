//! Typing slips: finds the word that was probably meant by one that is not in a list. Independent
//! of schemas.

use std::mem;

/// The maximum length, in bytes, of a text that may be a slip.
const LONGEST: usize = 64;

/// The minimum length, in bytes, of a part that may stand for the whole word.
const SHORTEST_PART: usize = 3;

/// The word that `text` is probably a slip of. `text` may differ in case or in up to a third of the
/// letters, lack the end, or lack everything before the last slash.
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
    // The distance takes time by the product of the lengths, and a value can be as long as a
    // message.
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

/// The distance of the words, if they are similar. A part that is left out counts as one slip;
/// among equals the number of letters decides.
fn nearness(text: &str, word: &str) -> Option<(usize, usize)> {
    let (part, whole) = match text.len() < word.len() {
        true => (text, word),
        false => (word, text),
    };
    let is_start = part.len() * 2 >= whole.len() && whole.starts_with(part);
    let is_name = whole.rsplit_once('/').is_some_and(|(_, name)| name == part);
    let is_part = part.len() >= SHORTEST_PART && (is_start || is_name);
    // In a short word, a changed letter makes another word, not a slip.
    let most = match is_part {
        true => usize::MAX,
        false => word.chars().count() / 3,
    };
    let distance = distance(text, word, most)?;
    let slips = if is_part { distance.min(1) } else { distance };
    Some((slips, distance))
}

/// The number of letters to add, remove, replace or swap with their neighbour to turn one word into
/// the other (optimal string alignment distance). `None` if it exceeds `most`, which is usually
/// clear after a few letters. Not the crate `strsim`, because a small server would need it for this
/// alone.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let length = other.chars().count();
    if one.chars().count().abs_diff(length) > most {
        return None;
    }
    // A row for each letter of `one`, with a column for each of `other`. Only three rows are needed
    // at a time.
    let mut above: Vec<usize> = (0..=length).collect();
    let (mut two_above, mut row) = (vec![0; length + 1], vec![0; length + 1]);
    let mut letter_above = None;
    let mut least_above = 0;
    for (line, letter) in one.chars().enumerate() {
        let mut here = line + 1;
        let mut least = here;
        row[0] = here;
        let mut other_before = None;
        for (column, other) in other.chars().enumerate() {
            here = (here + 1).min(above[column + 1] + 1);
            here = here.min(above[column] + usize::from(letter != other));
            if letter_above == Some(other) && other_before == Some(letter) {
                here = here.min(two_above[column - 1] + 1);
            }
            row[column + 1] = here;
            least = least.min(here);
            other_before = Some(other);
        }
        // Every later row is computed from the last two, and is not smaller.
        if least.min(least_above) > most {
            return None;
        }
        mem::swap(&mut two_above, &mut above);
        mem::swap(&mut above, &mut row);
        (letter_above, least_above) = (Some(letter), least);
    }
    Some(above[length]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_distance_is_that_of_strsim(
            one in "[abcé]{0,8}",
            other in "[abcé]{0,8}",
            most in 0_usize..9,
        ) {
            let distance = strsim::osa_distance(&one, &other);
            let expected = (distance <= most).then_some(distance);
            prop_assert_eq!(super::distance(&one, &other, most), expected);
        }
    }
}
