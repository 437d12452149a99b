//! The error for a model if a URI doesn't exist.

use crate::table::cases;
use serde_json::json;

use super::Tools;
use crate::fixture::Fixture;

#[test]
fn what_was_meant_is_guessed_from_what_is_there() {
    let fixture = Fixture::new(&[
        ("guide/intro.md", ""),
        ("guide/setup.md", ""),
        ("zebra.png", ""),
        ("empty/", ""),
    ]);
    let tools = Tools::of(&fixture);
    for (uri, expected) in cases::<(&str, &str)>(include_str!("missing.txt"), "what was meant") {
        for tool in ["read_resource", "stat_resource", "list_resources", "tree"] {
            let answer = tools.call(tool, json!({"uri": uri}));
            assert!(
                answer.is_error && answer.text.ends_with(expected),
                "{tool} {uri}: {}",
                answer.text
            );
            let problem = &answer.result.meta.as_ref().unwrap()["dev.plainly/problem"];
            assert_eq!(problem["code"], "NOT_FOUND");
        }
    }
    let error = tools.error("read_resource", json!({"uri": "https://example.com/x"}));
    assert!(
        error.contains(
            "https://example.com/x is not a URI of this server. URIs start with file:///docs"
        ),
        "{error}"
    );
    let error = tools.error("read_resource", json!({"uri": "x".repeat(9_000)}));
    assert!(
        error.contains("it has more than 8192 bytes") && error.len() < 200,
        "{error}"
    );
}

#[test]
fn a_long_list_of_names_is_cut() {
    let fixture = Fixture::new(&[]);
    for n in 0..30 {
        std::fs::write(fixture.root().join(format!("{n:02}")), "").unwrap();
    }
    let error = Tools::of(&fixture).error("stat_resource", json!({"uri": "docs/other"}));
    assert!(error.ends_with("18, 19 and more: list them."), "{error}");
}

#[test]
fn what_is_hidden_is_never_guessed() {
    let fixture = Fixture::new(&[
        (".env", "x"),
        (".gitignore", "private\n"),
        ("private", "x"),
        ("public", "x"),
    ]);
    let tools = Tools::of(&fixture);
    for name in ["env", ".env", ".env.", "private", "privat", ".gitignore"] {
        let error = tools.error("read_resource", json!({"uri": format!("docs/{name}")}));
        let said = error.split_once("was not found.").unwrap().1;
        assert!(
            !said.contains("env") && !said.contains("private") && !said.contains("gitignore"),
            "{error}"
        );
    }
}
