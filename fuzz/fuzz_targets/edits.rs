//! Edits of a text. All or none must be applied; line endings and the mark must be kept; and the
//! inverse edit must restore the text.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::store::tools::edits::{Edit, apply};

const LIMIT: usize = 1 << 12;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    text: &'a str,
    is_wide: bool,
    edits: Vec<Change<'a>>,
}

#[derive(Arbitrary, Debug)]
struct Change<'a> {
    /// The start of the piece in the text, unless `other` is the piece.
    start: u8,
    length: u8,
    other: Option<&'a str>,
    new: &'a str,
    all: bool,
}

/// The text with uniform line endings.
fn uniform(text: &str, is_wide: bool) -> String {
    let text = text.replace('\r', "");
    if is_wide {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}

fn piece<'a>(text: &'a str, change: &Change<'a>) -> &'a str {
    let start = text.floor_char_boundary(change.start.into());
    let end = text.floor_char_boundary(start + usize::from(change.length));
    change.other.unwrap_or(&text[start..end.max(start)])
}

fuzz_target!(|input: Input<'_>| {
    let text = uniform(input.text, input.is_wide);
    let changes = input.edits.iter();
    let pieces: Vec<(String, String, bool)> = changes
        .map(|change| {
            let old = uniform(piece(&text, change), false);
            (old, uniform(change.new, !input.is_wide), change.all)
        })
        .collect();
    let edits: Vec<Edit<'_>> = pieces
        .iter()
        .map(|(old, new, all)| match all {
            true => Edit::new(old, new).all(),
            false => Edit::new(old, new),
        })
        .collect();
    let edited = match apply(text.as_bytes(), &edits, LIMIT) {
        Ok(edited) => edited,
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in problems {
                assert!(!problem.fault.to_string().is_empty());
                assert!(problem.edit.is_none_or(|edit| edit < edits.len()));
            }
            return;
        }
    };
    let after = &edited.text;
    assert!(after.len() <= LIMIT);
    assert!(!text.starts_with('\u{feff}') || after.starts_with('\u{feff}'));
    if text.contains('\n') {
        assert_eq!(*after, uniform(after, input.is_wide));
    }
    let is_same = uniform(after, false) == uniform(&text, false);
    assert!(edited.diff("text").is_empty() == is_same);
    let [edit] = edits.as_slice() else { return };
    let has_mark = edit.old.contains('\u{feff}') || edit.new.contains('\u{feff}');
    if !edited.loose.is_empty() || edit.all || has_mark || !after.contains('\n') {
        return;
    }
    // The inverse edit only applies if the new text occurs once.
    if let Ok(undone) = apply(after.as_bytes(), &[Edit::new(edit.new, edit.old)], LIMIT)
        && undone.loose.is_empty()
    {
        assert_eq!(undone.text, text);
    }
});
