//! The documentation has the tables that the code has.

use plainly::errors::{ProblemCode, Revision, registry};
use plainly::protocol::method::methods;
use plainly::protocol::shape::{Elsewhere, features};

/// The cells of every row of every table of a page, without heads.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = page.lines().collect();
    let is_row = |line: &str| line.starts_with("| ");
    let of_body = |at: &usize| {
        let is_head = lines
            .get(at + 1)
            .is_some_and(|next| next.starts_with("|---"));
        is_row(lines[*at]) && !is_head
    };
    (0..lines.len())
        .filter(of_body)
        .map(|at| {
            lines[at]
                .trim_matches('|')
                .split(" | ")
                .map(str::trim)
                .collect()
        })
        .collect()
}

/// The cells of the rows of the one table whose head begins so.
fn table<'a>(page: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let (_, from) = page.split_once(head).expect(head);
    let end = from.find("\n\n").unwrap_or(from.len());
    let (_, body) = from[..end].split_once("\n|---").expect(head);
    rows(body)
}

#[test]
fn the_page_of_errors_is_the_registry() {
    let page = include_str!("../../../docs/errors.md");
    let codes = registry().iter().map(|entry| {
        vec![
            entry.code.to_string(),
            entry.name.to_owned(),
            entry.meaning.to_owned(),
            entry.revisions.to_string(),
            entry.data.to_owned(),
            entry.http_status(),
        ]
    });
    let expected: Vec<Vec<String>> = codes.collect();
    assert_eq!(table(page, "| code | name | meaning |"), expected);
}

#[test]
fn the_page_of_errors_has_every_problem() {
    let page = include_str!("../../../docs/errors.md");
    let problems = ProblemCode::all().iter().map(|problem| {
        vec![
            problem.to_string(),
            problem.category().to_string(),
            problem.retry().to_string(),
            problem.http_status().to_string(),
            problem.protocol_code().to_string(),
        ]
    });
    let expected: Vec<Vec<String>> = problems.collect();
    assert_eq!(expected.len(), 29);
    assert_eq!(table(page, "| problem | category |"), expected);
}

#[test]
fn every_option_is_documented() {
    for (commands, page) in [
        (&["serve"][..], include_str!("../../../docs/serve.md")),
        (
            &[
                "discover",
                "ls",
                "stat",
                "read",
                "watch",
                "tools",
                "call",
                "prompts",
                "prompt",
                "codes",
                "explain",
                "completions",
            ],
            include_str!("../../../docs/client.md"),
        ),
    ] {
        for command in commands {
            let help = assert_cmd::Command::new(env!("CARGO_BIN_EXE_plainly"))
                .args([command, "--help"])
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
                .map(|rest| rest.split([' ', ',']).next().unwrap());
            let mut known = 0;
            for option in options.filter(|option| !["help", ""].contains(option)) {
                let expected = format!("--{option}");
                assert!(page.contains(&expected), "{command}: --{option}");
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
    let found = between(page, store, "\nlet notes");
    assert_eq!(found, between(example, store, "\n/// Two notes"));
}

/// What each revision makes of `name`, as a row; nothing if all have it, or none.
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
