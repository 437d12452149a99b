//! Arguments that are meant to hurt: each call ends soon, with an answer that has an end or a problem that says what is
//! wrong, and the next good call is served.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Answer, Tools};
use crate::fixture::Fixture;

/// Any machine is fast enough for that.
const SOON: Duration = Duration::from_secs(20);

/// As much as answers have, with what is around their text.
const BOUND: usize = 2 << 20;

fn brief(arguments: &Value) -> String {
    format!("{:.99}", arguments.to_string())
}

fn call_soon(tools: &Tools<'_>, name: &str, arguments: &Value) -> Answer {
    let start = Instant::now();
    let answer = tools.call(name, arguments.clone());
    let took = start.elapsed();
    assert!(took < SOON, "{name} {}: {took:?}", brief(arguments));
    let size = answer.text.len() + answer.structured.to_string().len();
    assert!(size < BOUND, "{name} {}: {size} bytes", brief(arguments));
    let good = tools.text("read_resource", json!({"uri": "docs/y"}));
    assert_eq!(good, "ab\n", "after {name} {}", brief(arguments));
    answer
}

fn alternatives(count: usize) -> String {
    let all: Vec<String> = (0..count).map(|number| number.to_string()).collect();
    format!("{{{}}}", all.join(","))
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn hostile_arguments_are_refused_with_what_is_wrong() {
    let fixture = Fixture::new(&[("x", &"ab".repeat(1 << 20)), ("y", "ab\n")]);
    let tools = Tools::of(&fixture);
    let mebi = "x".repeat(1 << 20);
    for (name, arguments, expected) in [
        (
            "search",
            json!({"pattern": mebi}),
            "'pattern': it has more than 4096 bytes",
        ),
        (
            "search",
            json!({"pattern": mebi, "literal": true}),
            "'pattern': it has more than 4096 bytes",
        ),
        (
            "search",
            json!({"pattern": "(((((a{9}){9}){9}){9}){9}){9}"}),
            "Simplify it: use shorter repetitions",
        ),
        (
            "search",
            json!({"pattern": "\\pL{2000}"}),
            "Simplify it: use shorter repetitions",
        ),
        (
            "search",
            json!({"pattern": "a{99999999999}"}),
            "decimal literal invalid",
        ),
        (
            "search",
            json!({"pattern": "(".repeat(4_000)}),
            "unclosed group",
        ),
        (
            "search",
            json!({"pattern": format!("{}{}", "(".repeat(2_000), ")".repeat(2_000))}),
            "nested parentheses",
        ),
        (
            "search",
            json!({"pattern": "a\n"}),
            "anything on the next line",
        ),
        (
            "search",
            json!({"glob": mebi}),
            "'glob': a glob has at most 1024 bytes",
        ),
        (
            "search",
            json!({"glob": alternatives(10_000)}),
            "'glob': a glob has at most 1024 bytes",
        ),
        (
            "search",
            json!({"glob": "{".repeat(1_000)}),
            "In a glob, * stands for any characters",
        ),
        (
            "search",
            json!({"glob": "[".repeat(1_000)}),
            "In a glob, * stands for any characters",
        ),
        (
            "search",
            json!({"pattern": "a", "exclude": vec!["a"; 10_000]}),
            "10000 globs are more than the limit of 64",
        ),
        (
            "search",
            json!({"pattern": "a", "limit": u64::MAX}),
            "/limit: ",
        ),
        (
            "search",
            json!({"pattern": "a", "limit": -1}),
            "/limit: -1 is less than the minimum of 1",
        ),
        (
            "search",
            json!({"pattern": "a", "limit": 1.5}),
            "/limit: 1.5 is not of type",
        ),
        ("search", json!({"pattern": "a", "limit": mebi}), "/limit: "),
        (
            "search",
            json!({"pattern": "a", "context": 1e300}),
            "/context: ",
        ),
        (
            "search",
            json!({"pattern": "a", "context": -1}),
            "/context: -1 is less than the minimum of 0",
        ),
        (
            "search",
            json!({"pattern": 7, "glob": [], "uri": {}}),
            "/pattern: 7 is not of type",
        ),
        (
            "read_resource",
            json!({"uri": "docs/y", "offset": u64::MAX}),
            "'offset': the text has 1 lines",
        ),
        (
            "read_resource",
            json!({"uri": "docs/y", "tail": -1}),
            "/tail: -1 is less than the minimum of 0",
        ),
        (
            "read_resource",
            json!({"uri": "docs/y", "head": 1e20}),
            "Invalid arguments",
        ),
        (
            "read_resource",
            json!({"uri": "docs/y", "head": 1, "tail": 1}),
            "Use only head",
        ),
        ("read_resource", json!({"uri": ""}), "it names no resource"),
        (
            "read_resource",
            json!({"uri": mebi}),
            "'uri': it has more than 8192 bytes",
        ),
        (
            "read_resources",
            json!({"uris": vec![""; 50]}),
            "50 validation errors",
        ),
        (
            "read_resources",
            json!({"uris": vec!["docs/y"; 100_000]}),
            "has more than 50 items",
        ),
        (
            "list_resources",
            json!({"limit": 0}),
            "/limit: 0 is less than the minimum of 1",
        ),
        (
            "list_resources",
            json!({"uri": "docs", "after": mebi}),
            "'after': it is not a position in this listing",
        ),
        (
            "list_resources",
            json!({"uri": "docs", "after": ""}),
            "'after': it is not a position in this listing",
        ),
        (
            "list_resources",
            json!({"uri": "docs", "after": "file:///docs/../x"}),
            "'after': it is not a position",
        ),
        (
            "list_resources",
            json!({"uri": "docs", "sort": mebi}),
            "/sort: ",
        ),
        ("tree", json!({"depth": 1e9}), "/depth: "),
        (
            "tree",
            json!({"exclude": vec!["a"; 65]}),
            "65 globs are more than the limit of 64",
        ),
        (
            "tree",
            json!({"uri": mebi}),
            "'uri': it has more than 8192 bytes",
        ),
        (
            "stat_resource",
            json!({"uri": "docs/\u{1b}[31m\nx"}),
            "'file:///docs/%1B%5B31m%0Ax' was not found",
        ),
        (
            "stat_resource",
            json!({"uri": mebi, "\u{1b}": 1}),
            "unexpected",
        ),
    ] {
        let answer = call_soon(&tools, name, &arguments);
        assert!(
            answer.is_error,
            "{name} {}: {:.99}",
            brief(&arguments),
            answer.text
        );
        assert!(
            answer.text.contains(expected),
            "{name} {}: {:.999}",
            brief(&arguments),
            answer.text
        );
        assert!(
            answer.text.len() < 16 << 10,
            "{name} {}: {} bytes",
            brief(&arguments),
            answer.text.len()
        );
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn what_only_looks_hostile_is_answered() {
    let fixture = Fixture::new(&[("x", &"ab".repeat(1 << 20)), ("y", "ab\n"), ("n", "1")]);
    let tools = Tools::of(&fixture);
    let mebi = "x".repeat(1 << 20);
    let most = json!(u64::MAX);
    for (name, arguments, expected) in [
        (
            "search",
            json!({"pattern": "((a*)*)*b$c"}),
            "0 matches in 0 files, of 3 searched",
        ),
        ("search", json!({"pattern": ""}), "3 matches in 3 files"),
        ("search", json!({"pattern": "a\u{0}"}), "0 matches"),
        (
            "search",
            json!({"pattern": "a", "uri": ""}),
            "2 matches in 2 files",
        ),
        ("search", json!({"glob": ""}), "3 files and directories"),
        (
            "search",
            json!({"glob": alternatives(250)}),
            "0 files and directories",
        ),
        (
            "search",
            json!({"glob": "**/".repeat(341)}),
            "3 files and directories",
        ),
        (
            "search",
            json!({"glob": "*y", "exclude": vec!["*a".repeat(512); 64]}),
            "1 file or directory",
        ),
        (
            "read_resource",
            json!({"uri": "docs/y", "offset": 0, "limit": most}),
            "ab\n",
        ),
        (
            "read_resource",
            json!({"uri": "docs/y", "head": most}),
            "ab\n",
        ),
        (
            "read_resource",
            json!({"uri": "docs/y", "tail": most}),
            "ab\n",
        ),
        (
            "read_resource",
            json!({"uri": "docs/y", "head": 0}),
            "No line of 1.",
        ),
        (
            "read_resource",
            json!({"uri": "docs/x"}),
            "It is cut after 262144 of its 2097152 bytes.",
        ),
        (
            "read_resources",
            json!({"uris": [mebi, "docs/y"]}),
            "it has more than 8192 bytes",
        ),
        (
            "read_resources",
            json!({"uris": vec!["docs/x"; 50]}),
            "did not fit into this result",
        ),
        ("tree", json!({"exclude": vec![""; 64]}), "file:///docs/"),
    ] {
        let answer = call_soon(&tools, name, &arguments);
        assert!(
            !answer.is_error,
            "{name} {}: {:.99}",
            brief(&arguments),
            answer.text
        );
        assert!(
            answer.text.contains(expected),
            "{name} {}: {:.999}",
            brief(&arguments),
            answer.text
        );
    }
}
