//! `search`.

use serde_json::{Value, json};

use super::{Answer, Tools};
use crate::fixture::Fixture;

/// `file:number:text` of each line that was found, context with `-`.
fn found(answer: &Answer) -> Vec<String> {
    assert!(!answer.is_error, "{}", answer.text);
    let files = answer.structured["files"].as_array().unwrap().iter();
    let lines = files.flat_map(|file| {
        let uri = file["uri"].as_str().unwrap();
        let name = uri.strip_prefix("file:///docs/").unwrap().to_owned();
        file["lines"].as_array().unwrap().iter().map(move |line| {
            let mark = if line["isMatch"] == true { ':' } else { '-' };
            format!(
                "{name}{mark}{}{mark}{}",
                line["number"],
                line["text"].as_str().unwrap()
            )
        })
    });
    lines.collect()
}

fn four() -> Fixture {
    Fixture::new(&[
        ("a.rs", "fn alpha() {\n    beta();\n}\n"),
        ("src/deep/b.rs", "// Alpha, and alpha\nfn beta() {}\n"),
        ("src/notes.md", "alpha (draft)\n"),
        ("target/out.rs", "alpha\n"),
    ])
}

#[test]
fn lines_are_found_by_pattern_and_name() {
    let fixture = four();
    let tools = Tools::of(&fixture);
    for (arguments, expected) in [
        (
            json!({"pattern": "alpha"}),
            &[
                "a.rs:1:fn alpha() {",
                "src/deep/b.rs:1:// Alpha, and alpha",
                "src/notes.md:1:alpha (draft)",
                "target/out.rs:1:alpha",
            ][..],
        ),
        (json!({"pattern": "^alpha$"}), &["target/out.rs:1:alpha"]),
        (
            json!({"pattern": "fn \\w+\\(\\)"}),
            &["a.rs:1:fn alpha() {", "src/deep/b.rs:2:fn beta() {}"],
        ),
        (
            json!({"pattern": "(draft)", "literal": true}),
            &["src/notes.md:1:alpha (draft)"],
        ),
        (
            json!({"pattern": "DRAFT", "ignoreCase": true}),
            &["src/notes.md:1:alpha (draft)"],
        ),
        (
            json!({"pattern": "alpha", "glob": "*.md"}),
            &["src/notes.md:1:alpha (draft)"],
        ),
        (
            json!({"pattern": "alpha", "glob": "src/*"}),
            &["src/notes.md:1:alpha (draft)"],
        ),
        (
            json!({"pattern": "alpha", "uri": "docs/src", "glob": "/*.md"}),
            &["src/notes.md:1:alpha (draft)"],
        ),
        (
            json!({"pattern": "beta", "uri": "docs/a.rs"}),
            &["a.rs:2:    beta();"],
        ),
        (
            json!({"pattern": "beta", "uri": "docs/a.rs", "glob": "*.md"}),
            &[],
        ),
        (
            json!({"pattern": "alpha", "exclude": ["target", "deep"], "glob": "*.rs"}),
            &["a.rs:1:fn alpha() {"],
        ),
        (
            json!({"pattern": "beta\\(\\);", "context": 1}),
            &["a.rs-1-fn alpha() {", "a.rs:2:    beta();", "a.rs-3-}"],
        ),
        (json!({"pattern": "gamma"}), &[]),
    ] {
        let answer = tools.call("search", arguments.clone());
        assert_eq!(found(&answer), expected, "{arguments}");
    }
}

#[test]
fn files_and_directories_are_found_by_name_alone() {
    let fixture = four();
    let tools = Tools::of(&fixture);
    for (arguments, expected) in [
        (
            json!({"glob": "*.rs"}),
            &["docs/a.rs", "docs/src/deep/b.rs", "docs/target/out.rs"][..],
        ),
        (json!({"glob": "/*.rs"}), &["docs/a.rs"]),
        (
            json!({"glob": "src/**"}),
            &["docs/src/deep", "docs/src/deep/b.rs", "docs/src/notes.md"],
        ),
        (
            json!({"glob": "*", "uri": "docs/src", "exclude": ["deep"]}),
            &["docs/src/notes.md"],
        ),
        (json!({"glob": "deep"}), &["docs/src/deep"]),
        (
            json!({"glob": "*.rs", "limit": 2}),
            &["docs/a.rs", "docs/src/deep/b.rs"],
        ),
    ] {
        let answer = tools.call("search", arguments.clone());
        assert_eq!(answer.links(), expected, "{arguments}");
        assert_eq!(
            answer.structured["truncated"],
            arguments.get("limit").is_some()
        );
    }
}

#[test]
fn the_answer_reads_like_that_of_grep() {
    let fixture = Fixture::new(&[("a", "x\n1\n2\n3\nx\n"), ("b c", "x")]);
    let tools = Tools::of(&fixture);
    let answer = tools.call("search", json!({"pattern": "x", "context": 1}));
    assert_eq!(
        answer.text,
        "file:///docs/a\n1: x\n2- 1\n--\n4- 3\n5: x\nfile:///docs/b%20c\n1: x\n3 matches in 2 files, of 2 searched."
    );
    assert_eq!(answer.links(), ["docs/a", "docs/b%20c"]);
    let nothing = tools.text("search", json!({"pattern": "X"}));
    assert_eq!(
        nothing,
        "0 matches in 0 files, of 2 searched. The search is case-sensitive: try ignoreCase, or a shorter pattern."
    );
}

#[test]
fn the_first_matches_are_given_whichever_thread_was_faster() {
    let fixture = Fixture::new(&[]);
    for n in 0..300 {
        // The first file takes longest.
        let text = format!(
            "{}x {n}\nx\n",
            "filler\n".repeat(if n == 0 { 200_000 } else { 1 })
        );
        std::fs::write(fixture.root().join(format!("{n:03}")), text).unwrap();
    }
    let tools = Tools::of(&fixture);
    for _ in 0..5 {
        let answer = tools.call("search", json!({"pattern": "x", "limit": 5}));
        assert_eq!(
            found(&answer),
            [
                "000:200001:x 0",
                "000:200002:x",
                "001:2:x 1",
                "001:3:x",
                "002:2:x 2"
            ]
        );
        assert_eq!(answer.structured["truncated"], true);
        assert!(
            answer.text.contains("There are more: narrow the search"),
            "{}",
            answer.text
        );
    }
    let exactly = tools.call(
        "search",
        json!({"pattern": "x", "uri": "docs/001", "limit": 2}),
    );
    assert_eq!(exactly.structured["truncated"], false);
}

#[test]
fn what_can_not_be_searched_is_counted() {
    let fixture = Fixture::with(&[("large", "needle and more")], |builder| {
        builder.max_file_bytes(14)
    });
    std::fs::write(fixture.root().join("binary"), b"needle\n\0\n").unwrap();
    std::fs::write(fixture.root().join("latin1"), b"needle \xe9\n").unwrap();
    std::fs::write(fixture.root().join("utf16"), b"\xff\xfen\0e\0e\0d\0").unwrap();
    let tools = Tools::of(&fixture);
    let answer = tools.call("search", json!({"pattern": "need"}));
    assert_eq!(found(&answer), ["latin1:1:needle \u{fffd}", "utf16:1:need"]);
    assert!(
        answer
            .text
            .ends_with("2 matches in 2 files, of 2 searched. Left out: 1 binary, 1 too large."),
        "{}",
        answer.text
    );
}

#[test]
fn an_answer_has_an_end_however_long_the_lines_are() {
    let long = format!("{}needle{}\n", "a".repeat(10_000), "b".repeat(10_000)).repeat(700);
    let fixture = Fixture::new(&[("x", &long)]);
    let tools = Tools::of(&fixture);
    let answer = tools.call("search", json!({"pattern": "needle", "limit": 1000}));
    let lines = found(&answer);
    assert!(
        lines[0].contains("needle") && lines[0].len() < 600,
        "{}",
        lines[0]
    );
    assert!(answer.text.len() < 300 << 10, "{}", answer.text.len());
    assert_eq!(answer.structured["truncated"], true);
}

#[test]
fn what_is_no_question_is_said() {
    let fixture = four();
    let tools = Tools::of(&fixture);
    for (arguments, expected) in [
        (
            json!({}),
            "Use pattern to find lines in files, glob to find files by name, or both.",
        ),
        (
            json!({"pattern": "a(b"}),
            "'pattern': unclosed group, at character 2: `(b`. Put \\ before",
        ),
        (
            json!({"pattern": "x(?!y)"}),
            "look-around, including look-ahead and look-behind, is not supported",
        ),
        (
            json!({"glob": "{a"}),
            "'glob': \"{a\": unclosed alternate group",
        ),
        (
            json!({"glob": "*", "exclude": ["[z-a]"]}),
            "'exclude': \"[z-a]\": invalid range",
        ),
        (
            json!({"pattern": "x", "uri": "docs/source"}),
            "'file:///docs/source' was not found. Did you mean file:///docs/src?",
        ),
    ] {
        let error = tools.error("search", arguments);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_pattern_takes_linear_time() {
    let fixture = Fixture::new(&[("x", &"a".repeat(200_000))]);
    let tools = Tools::of(&fixture);
    let answer = tools.call("search", json!({"pattern": "(a*)*(a*)*b"}));
    assert_eq!(answer.structured["files"], Value::Array(Vec::new()));
}
