//! Functions of one step, files of one idea: each fits on a screen or a few, and a file says first what it is.

use std::collections::BTreeMap;

use crate::source::{Crate, Module};
use crate::workspace;

const FUNCTION: usize = 60;
const FILE: usize = 450;

fn too_long<'a>(modules: impl Iterator<Item = &'a Module>) -> Vec<String> {
    let mut ends: BTreeMap<_, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for module in modules {
        let last = module.facts.words.last().map_or(0, |word| word.line);
        let end = ends.entry(&module.file).or_default();
        *end = last.max(*end);
        let functions = module.facts.functions.iter();
        let long = functions.filter(|(_, lines)| *lines > FUNCTION);
        found.extend(
            long.map(|(name, lines)| format!("{}: {}, {lines} lines", module.file, name.text)),
        );
    }
    let long = ends.into_iter().filter(|(_, lines)| *lines > FILE);
    found.extend(long.map(|(file, lines)| format!("{file}, {lines} lines")));
    found
}

#[test]
fn nothing_is_too_long_to_be_read_at_once() {
    assert_eq!(too_long(workspace::modules()), [""; 0]);
}

#[test]
fn what_is_too_long_is_found_without_its_tests() {
    let source = |lines: usize, before: usize| {
        let long = "\n".repeat(lines - 2);
        let text = format!(
            "{}impl A {{ pub fn long() {{{long}\n}} }}\n#[cfg(test)]\nmod tests {{{} fn f() {{}} }}",
            "\n".repeat(before),
            "\n".repeat(FILE),
        );
        too_long(Crate::made_up(&[("lib.rs", &text)]).modules.iter())
    };
    assert_eq!(source(60, 390), [""; 0]);
    assert_eq!(source(61, 0), ["src/lib.rs: long, 61 lines"]);
    assert_eq!(source(60, 391), ["src/lib.rs, 451 lines"]);
}

#[test]
fn every_file_says_first_what_it_is() {
    let mut files = workspace::files(&[".rs"]);
    files.retain(|file| !file.text.starts_with("//! "));
    let silent: Vec<_> = files.into_iter().map(|file| file.path).collect();
    assert_eq!(silent, [""; 0]);
}
