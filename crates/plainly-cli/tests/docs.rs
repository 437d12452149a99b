//! Tests that the documentation contains the tables of the code.

use plainly::errors::{
    Internal, InvalidParams, InvalidRequest, ProblemCode, Refusal, Revision, Unavailable, registry,
};
use plainly::protocol::method::methods;
use plainly::protocol::shape::{Elsewhere, features};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const ERRORS: &str = include_str!("../../../docs/errors.md");
const SERVE: &str = include_str!("../../../docs/serve-reference.md");
/// The pages about the commands that talk to servers.
const CLIENT: &str = concat!(
    include_str!("../../../docs/commands.md"),
    include_str!("../../../docs/sessions.md"),
    include_str!("../../../docs/debug.md"),
);

/// Fails with the sections that the page about errors does not contain exactly.
fn are_sections(expected: impl Iterator<Item = String>) {
    let missing: Vec<String> = expected
        .filter(|section| !ERRORS.contains(&format!("\n{section}\n\n")))
        .collect();
    assert!(missing.is_empty(), "add:\n{}", missing.join("\n\n"));
}

/// The text with its first letter in upper case.
fn sentence(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

#[test]
fn every_code_has_its_section() {
    are_sections(registry().iter().map(|entry| {
        format!(
            "### {} {}\n\n{}.\n\n- Revisions: {}\n- `data`: {}\n- HTTP status: {}\n\
             - Try again: {}\n- Do: {}",
            entry.code,
            entry.name,
            sentence(entry.meaning),
            entry.revisions,
            entry.data,
            entry.http_status(),
            entry.retry,
            entry.advice,
        )
    }));
}

#[test]
fn every_problem_has_its_section() {
    assert_eq!(ProblemCode::all().len(), 29);
    are_sections(ProblemCode::all().iter().map(|problem| {
        format!(
            "### {problem}\n\n{} Category {}; try again: {}; HTTP {}; JSON-RPC {}.",
            problem.meaning(),
            problem.category(),
            problem.retry(),
            problem.http_status(),
            problem.protocol_code(),
        )
    }));
}

/// The words that `T` can be parsed from, according to the error for another word.
fn words<T: DeserializeOwned>(empty: Value, skipped: usize) -> Vec<String> {
    let error = serde_json::from_value::<T>(empty).err();
    let said = error.expect("no word is empty").to_string();
    let names = said.split('`').skip(skipped).step_by(2);
    names.map(str::to_owned).collect()
}

fn kinds() -> Vec<String> {
    let empty = || json!({ "kind": "" });
    [
        words::<InvalidRequest>(empty(), 3),
        words::<InvalidParams>(empty(), 3),
        words::<Internal>(empty(), 3),
        words::<Unavailable>(empty(), 3),
    ]
    .concat()
}

#[test]
fn every_kind_has_its_section() {
    let missing: Vec<String> = kinds()
        .into_iter()
        .filter(|kind| !ERRORS.contains(&format!("\n### {kind}\n\n")))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_kind_and_every_refusal_is_explained() {
    let refusals = words::<Refusal>(json!(""), 3);
    for kind in kinds().into_iter().chain(refusals) {
        let told = assert_cmd::Command::new(env!("CARGO_BIN_EXE_plainly"))
            .args(["explain", &kind])
            .output()
            .unwrap();
        let told = String::from_utf8(told.stdout).unwrap();
        assert!(
            told.starts_with(&format!("kind          {kind} (")),
            "{kind}: {told}"
        );
    }
}

#[test]
fn every_option_is_documented() {
    let logins = include_str!("../../../docs/logins.md");
    let package = include_str!("../../../docs/guide/package.md");
    for (commands, page) in [
        (&["login", "logout", "logins"][..], logins),
        (&["serve"][..], SERVE),
        (&["package"][..], package),
        (
            &[
                "discover",
                "ls",
                "stat",
                "read",
                "watch",
                "templates",
                "skills",
                "tools",
                "call",
                "task get",
                "task wait",
                "task answer",
                "task cancel",
                "prompts",
                "prompt",
                "complete",
                "servers",
                "install",
                "uninstall",
                "shell",
                "replay",
                "explain",
                "completions",
            ],
            CLIENT,
        ),
    ] {
        for command in commands {
            let help = assert_cmd::Command::new(env!("CARGO_BIN_EXE_plainly"))
                .args(command.split(' ').chain(["--help"]))
                .output()
                .unwrap();
            let help = String::from_utf8(help.stdout).unwrap();
            let options = help
                .lines()
                .filter_map(|line| {
                    line.trim_start()
                        .strip_prefix("--")
                        .or(line.trim_start().get(4..)?.strip_prefix("--"))
                })
                .map(|rest| rest.split([' ', ',', '[']).next().unwrap());
            let mut known = 0;
            for option in options.filter(|option| !["help", ""].contains(option)) {
                let expected = format!("--{option}");
                let pages = [page, CLIENT, logins];
                let is_there = pages.iter().any(|page| page.contains(&expected));
                assert!(is_there, "{command}: --{option}");
                known += 1;
            }
            assert!(known > 0, "{command}: {help}");
        }
    }
}

#[test]
fn the_store_of_the_page_of_resources_is_the_example() {
    let page = include_str!("../../../docs/resources.md");
    let example = include_str!("../../plainly/examples/tree.rs");
    let between = |text: &'static str, after: &str, before: &str| {
        let (_, from) = text.split_once(after).expect(after);
        from.split_once(before).expect(before).0.trim_end()
    };
    let store = "\n/// Notes in folders";
    let found = between(page, store, "\n```");
    assert_eq!(found, between(example, store, "\n/// Returns two notes"));
}

#[test]
fn the_page_about_migrating_has_our_numbers_for_those_of_php() {
    let page = include_str!("../../../docs/guide/migrating.md");
    let (_, table) = page
        .split_once("| HTTP there, and here |\n|---|---|---|---|\n")
        .unwrap();
    let rows = table.lines().map_while(|line| line.strip_prefix("| "));
    let mut codes = 0;
    for cells in rows.map(|row| row.split(" | ").collect::<Vec<_>>()) {
        for name in cells[0].split('`').skip(1).step_by(2) {
            let code = ProblemCode::from(name);
            let number = code.protocol_code().to_string();
            assert!(cells[2].starts_with(&number), "{name}: {number}");
            let status = code.http_status().to_string();
            let here = cells[3].split([':', '|']).next().unwrap().trim();
            assert!(here.ends_with(&status), "{name}: {status}");
            codes += 1;
        }
    }
    assert_eq!(codes, 18);
}

/// A row with the presence of `name` in each revision; `None` if all have it, or none.
fn row(name: &str, is_in: impl Fn(Revision) -> bool, elsewhere: &str) -> Option<String> {
    let has = Revision::ALL.map(is_in);
    if [[true; 5], [false; 5]].contains(&has) {
        return None;
    }
    let cells = has.map(|has| if has { "yes" } else { elsewhere });
    Some(format!("| {name} | {} |", cells.join(" | ")))
}

#[test]
fn the_page_of_revisions_is_the_tables() {
    let methods = methods().iter().filter_map(|method| {
        let name = format!("`{}`", method.name);
        row(&name, |it| method.revisions.has(it), "–")
    });
    let features = features().iter().filter_map(|feature| {
        let elsewhere = match feature.elsewhere {
            Elsewhere::LeftOut => "–",
            Elsewhere::Rewritten => "rewritten",
            Elsewhere::Sent => "sent",
        };
        row(feature.name, |it| feature.revisions.has(it), elsewhere)
    });
    let codes = registry().iter().filter_map(|entry| {
        let name = format!("error `{}`, {}", entry.code, entry.name);
        row(&name, |it| entry.defined_in(it), "–")
    });
    let rows: Vec<String> = methods.chain(features).chain(codes).collect();
    let expected = rows.join("\n");
    let page = include_str!("../../../docs/revisions.md");
    assert!(
        page.contains(&format!("|---|---|---|---|---|---|\n{expected}\n\n")),
        "the table must be:\n{expected}"
    );
}
