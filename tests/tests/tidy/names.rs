//! A name of a type means one thing in a crate.

use std::collections::BTreeMap;

use crate::source::Crate;
use crate::workspace;

/// Names that mean nothing without the module around them.
const GENERIC: &[&str] = &["Error", "Inner", "Kind", "Result", "State"];

/// Names that mean two things today, by crate. The list only gets shorter.
const TODAY: &[(&str, &str)] = &[
    // One thing, with its feature and without.
    ("plainly-schema", "Pattern"),
];

/// Each name that several types have, with where they are.
fn doubled(source: &Crate) -> BTreeMap<&str, Vec<String>> {
    let mut names: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for module in &source.modules {
        for name in &module.facts.types {
            let place = format!("{}:{}", module.file, name.line);
            names.entry(name.text.as_str()).or_default().push(place);
        }
    }
    names.retain(|name, places| places.len() > 1 && !GENERIC.contains(name));
    names
}

#[test]
fn no_two_types_of_a_crate_have_one_name() {
    for source in workspace::crates() {
        let mut doubled = doubled(source);
        let today = TODAY.iter().find(|(name, _)| *name == source.name);
        let today = today.map_or("", |(_, names)| names).split_whitespace();
        let gone: Vec<_> = today
            .filter(|name| doubled.remove(name).is_none())
            .collect();
        assert!(doubled.is_empty(), "{}: {doubled:#?}", source.name);
        assert!(
            gone.is_empty(),
            "{} means one thing now: {gone:?}",
            source.name
        );
    }
}

#[test]
fn a_second_type_of_a_name_is_found_in_any_module() {
    let a = "struct Answer; struct Kind; #[cfg(test)] struct Alone; fn f() { enum Within {} } record! { struct Written { a: u8 } fn new(); }";
    let b = "type Answer = u8; enum Kind {} trait Within {} struct Alone; impl T for U { type Alone = u8; } struct Written;";
    let source = Crate::made_up(&[("lib.rs", "mod a; mod b;"), ("a.rs", a), ("b.rs", b)]);
    let names: Vec<_> = doubled(&source).into_keys().collect();
    assert_eq!(names, ["Answer", "Within", "Written"]);
}
