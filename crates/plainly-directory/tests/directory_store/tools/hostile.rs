//! Hostile arguments. Each call ends soon, with a limited result or a problem that names the fault,
//! and the next valid call is served.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Answer, Tools, cases};
use crate::fixture::Fixture;

/// A time in which any machine finishes a call.
const SOON: Duration = Duration::from_secs(20);

/// The maximum size of a result, including the parts around its text, in bytes.
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
fn hostile_arguments_are_refused_with_what_is_wrong() {
    let fixture = Fixture::new(&[("x", &"ab".repeat(1 << 20)), ("y", "ab\n")]);
    let tools = Tools::of(&fixture);
    let nested = format!("{}{}", "(".repeat(2_000), ")".repeat(2_000));
    let more = [
        (json!({"pattern": nested}), "nested parentheses"),
        (
            json!({"glob": alternatives(10_000)}),
            "'glob': a glob has at most 1024 bytes",
        ),
    ];
    let more = more.map(|(arguments, expected)| ("search", arguments, expected.to_owned()));
    for (name, arguments, expected) in cases("hostile").chain(more) {
        let answer = call_soon(&tools, name, &arguments);
        let said = format!("{name} {}: {:.999}", brief(&arguments), answer.text);
        assert!(answer.is_error && answer.text.contains(&expected), "{said}");
        assert!(answer.text.len() < 16 << 10, "{said}");
    }
}

#[test]
fn what_only_looks_hostile_is_answered() {
    let fixture = Fixture::new(&[("x", &"ab".repeat(1 << 20)), ("y", "ab\n"), ("n", "1")]);
    let tools = Tools::of(&fixture);
    let alternatives = json!({"glob": alternatives(250)});
    let found = "0 files and directories".to_owned();
    let more = [("search", alternatives, found)];
    for (name, arguments, expected) in cases("only looks hostile").chain(more) {
        let answer = call_soon(&tools, name, &arguments);
        let said = format!("{name} {}: {:.999}", brief(&arguments), answer.text);
        assert!(
            !answer.is_error && answer.text.contains(&expected),
            "{said}"
        );
    }
}
