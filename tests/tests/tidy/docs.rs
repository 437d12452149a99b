//! What documentation begins with: the first line can be understood without the code.

use std::collections::BTreeMap;

use crate::source::Crate;
use crate::workspace;

/// Whoever begins with these speaks of something that the reader can't see.
const RIDDLES: &[&str] = &[
    "As many", "Of", "So many", "Those", "What of", "Who", "Whom", "Whose",
];

/// How many such lines there are today, by crate. The numbers only get smaller.
const TODAY: &[(&str, usize)] = &[];

fn is_riddle(line: &str) -> bool {
    let rests = RIDDLES.iter().filter_map(|words| line.strip_prefix(words));
    rests
        .into_iter()
        .any(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn riddles(source: &Crate) -> Vec<String> {
    let docs = source
        .modules
        .iter()
        .flat_map(|module| module.facts.docs.iter().map(|doc| (&module.file, doc)));
    docs.filter(|(_, doc)| is_riddle(&doc.text))
        .map(|(file, doc)| format!("{file}:{}: {}", doc.line, doc.text))
        .collect()
}

#[test]
fn documentation_begins_with_what_a_thing_is() {
    let today: BTreeMap<_, _> = TODAY.iter().copied().collect();
    let mut wrong = String::new();
    for source in workspace::crates() {
        let found = riddles(source);
        let today = today.get(source.name.as_str()).copied();
        if found.len() != today.unwrap_or_default() {
            wrong += &format!("{}: {}\n{}\n", source.name, found.len(), found.join("\n"));
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn riddles_are_found_in_first_lines_alone() {
    let root = "
        /// Of what a server tells.
        ///
        /// The rest.
        struct A {
            /// So many at most.
            b: u8,
            /// The field.
            /// Of the first.
            c: u8,
        }
        // Who is this?
        /// Often.
        fn f() {}
        #[cfg(test)]
        mod tests {
            /// Whose is it?
            fn f() {}
        }";
    let source = Crate::made_up(&[("lib.rs", root)]);
    let expected = [
        "src/lib.rs:2: Of what a server tells.",
        "src/lib.rs:6: So many at most.",
    ];
    assert_eq!(riddles(&source), expected);
}
