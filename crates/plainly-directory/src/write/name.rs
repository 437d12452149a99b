//! Valid names of new files and directories: those that most systems accept, so that a directory
//! can be copied elsewhere. Only the characters reserved by Windows are rejected on Windows alone.

use std::ffi::OsStr;

use plainly::store::WriteError;
use unicode_normalization::UnicodeNormalization;

use super::failure::{denied, invalid};
use crate::place::Place;

/// The maximum length of a name in file systems, in bytes.
const MAX_BYTES: usize = 255;

/// The names of devices on Windows, with any extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The names of devices on Windows that are followed by a digit.
const NUMBERED: [&str; 2] = ["COM", "LPT"];

/// The reserved characters.
const LETTERS: &[char] = if cfg!(windows) {
    &['<', '>', ':', '"', '\\', '|', '?', '*']
} else {
    &[]
};

/// Fails if the name can't be created in a directory. `leaving` is a name that will be gone from
/// the directory by then.
pub(super) fn check(
    place: &Place,
    name: &OsStr,
    leaving: Option<&OsStr>,
) -> Result<(), WriteError> {
    let name = name
        .to_str()
        .ok_or_else(|| invalid("a name is not UTF-8"))?;
    if let Some(why) = fault(name) {
        return Err(invalid(why));
    }
    let folded = fold(name);
    for entry in place.entries()? {
        let other = entry?.file_name();
        let is_alike =
            leaving != Some(&other) && other.to_str().is_some_and(|other| fold(other) == folded);
        // The same name was created meanwhile, so creating it will fail.
        if is_alike && other != *name {
            return Err(denied(
                "another name there differs from this one only in case or in its Unicode form",
            ));
        }
    }
    Ok(())
}

/// The reason why the name is invalid.
fn fault(name: &str) -> Option<&'static str> {
    if name.len() > MAX_BYTES {
        return Some("a name is longer than 255 bytes");
    }
    if name.chars().any(char::is_control) {
        return Some("a name has a control character in it");
    }
    if name.ends_with(['.', ' ']) {
        return Some("a name ends with a dot or a space");
    }
    if is_device(name) || name.contains(LETTERS) {
        return Some("a name is reserved on Windows");
    }
    None
}

fn is_device(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default();
    let stem = stem.trim_end_matches(' ');
    let is_numbered = |device: &&str| {
        let digit = stem
            .get(..device.len())
            .filter(|start| start.eq_ignore_ascii_case(device))
            .and_then(|start| stem.strip_prefix(start));
        digit.is_some_and(|digit| {
            let mut digits = digit.chars();
            let first = digits.next();
            first.is_some_and(|it| it.is_ascii_digit() || "¹²³".contains(it))
                && digits.next().is_none()
        })
    };
    DEVICES
        .iter()
        .any(|device| stem.eq_ignore_ascii_case(device))
        || NUMBERED.iter().any(is_numbered)
}

/// A form that is equal for all names that some file system treats as the same.
fn fold(name: &str) -> String {
    match name.is_ascii() {
        true => name.to_ascii_lowercase(),
        false => name.nfd().flat_map(char::to_lowercase).nfc().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_for_every_system_are_created() {
        let longest = "é".repeat(127) + "x";
        let too_long = longest.clone() + "x";
        let device = "a name is reserved on Windows";
        let end = "a name ends with a dot or a space";
        let control = "a name has a control character in it";
        for (name, expected) in [
            ("notes.md", None),
            ("a b", None),
            ("é", None),
            ("con-fig", None),
            ("console", None),
            ("COM", None),
            ("com10", None),
            ("LPTX", None),
            ("-rf", None),
            (&*longest, None),
            (&*too_long, Some("a name is longer than 255 bytes")),
            ("a\nb", Some(control)),
            ("\u{1b}[2J", Some(control)),
            ("\u{85}", Some(control)),
            ("a.", Some(end)),
            ("a ", Some(end)),
            ("CON", Some(device)),
            ("nul.txt", Some(device)),
            ("con .txt", Some(device)),
            ("Aux", Some(device)),
            ("com1", Some(device)),
            ("COM0.log", Some(device)),
            ("lpt²", Some(device)),
            ("CONIN$", Some(device)),
            ("aux:", Some(device)),
        ] {
            assert_eq!(fault(name), expected, "{name:?}");
        }
    }

    #[test]
    fn names_are_alike_but_for_case_and_form() {
        for (one, other, expected) in [
            ("a", "A", true),
            ("a", "b", false),
            ("\u{e9}", "e\u{301}", true),
            ("\u{c9}", "e\u{301}", true),
            ("K", "\u{212a}", true),
            ("ß", "ss", false),
        ] {
            assert_eq!(fold(one) == fold(other), expected, "{one} {other}");
        }
    }
}
