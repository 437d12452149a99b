//! `search`.

use serde_json::{Value, json};

use super::{Answer, Tools, cases};
use crate::fixture::Fixture;

/// `file:number:text` for each found line; context lines have `-`.
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
    for (tool, arguments, expected) in cases("lines by pattern and name") {
        let answer = tools.call(tool, arguments.clone());
        assert_eq!(found(&answer).join(" & "), expected, "{arguments}");
    }
}

#[test]
fn files_and_directories_are_found_by_name_alone() {
    let fixture = four();
    let tools = Tools::of(&fixture);
    for (tool, arguments, expected) in cases("files by name") {
        let answer = tools.call(tool, arguments.clone());
        assert_eq!(answer.links().join(" & "), expected, "{arguments}");
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
        // The first file takes longest, so other threads find their hits earlier.
        let text = format!(
            "{}x {n}\nx\n",
            "filler\n".repeat(if n == 0 { 200_000 } else { 1 })
        );
        std::fs::write(fixture.root().join(format!("{n:03}")), text).unwrap();
    }
    let tools = Tools::of(&fixture);
    for _ in 0..5 {
        let answer = tools.call("search", json!({"pattern": "x", "limit": 5}));
        let expected = [
            "000:200001:x 0",
            "000:200002:x",
            "001:2:x 1",
            "001:3:x",
            "002:2:x 2",
        ];
        assert_eq!(found(&answer), expected);
        assert_eq!(answer.structured["truncated"], true);
        let expected = "\n5 matches in 3 files. There are more: narrow the search with uri, glob or a longer pattern, or raise limit.";
        assert!(answer.text.ends_with(expected), "{}", answer.text);
    }
    for limit in [1, 2] {
        let of_one = json!({"pattern": "x", "uri": "docs/001", "limit": limit});
        let answer = tools.call("search", of_one);
        assert_eq!(answer.structured["truncated"], limit == 1);
    }
}

#[test]
fn what_can_not_be_searched_is_counted() {
    let long = format!("needle\n{}\n", "a".repeat(17 << 20));
    let fixture = Fixture::new(&[("long", &long)]);
    std::fs::write(fixture.root().join("binary"), b"needle\n\0\n").unwrap();
    std::fs::write(fixture.root().join("latin1"), b"needle \xe9\n").unwrap();
    std::fs::write(fixture.root().join("latin1.txt"), b"needle \xe9\r\n\xe9").unwrap();
    std::fs::write(fixture.root().join("utf16"), b"\xff\xfen\0e\0e\0d\0").unwrap();
    let tools = Tools::of(&fixture);
    let answer = tools.call("search", json!({"pattern": "need"}));
    let expected = [
        "latin1:1:needle \u{fffd}",
        "latin1.txt:1:needle é",
        "utf16:1:need",
    ];
    assert_eq!(found(&answer), expected);
    let expected =
        "3 matches in 3 files, of 3 searched. Left out: 1 binary, 1 with lines over 16 MiB.";
    assert!(answer.text.ends_with(expected), "{}", answer.text);
    // Also matches non-ASCII characters, and the end of a line with any line ending.
    let answer = tools.call("search", json!({"pattern": "le é$"}));
    assert_eq!(found(&answer), ["latin1.txt:1:needle é"]);
}

#[test]
fn a_large_file_is_searched_in_its_own_encoding() {
    let fixture = Fixture::new(&[]);
    let mut content = b"caf\xe9\r\n".repeat(400_000);
    content.extend(b"na\xefve needle\r\n");
    std::fs::write(fixture.root().join("large.log"), content).unwrap();
    let answer = Tools::of(&fixture).call("search", json!({"pattern": "naïve needle$"}));
    assert_eq!(found(&answer), ["large.log:400001:naïve needle"]);
}

#[test]
fn a_mounted_file_that_is_missing_is_left_out_of_a_search_of_everything() {
    let around = tempfile::tempdir().unwrap();
    let single = around.path().join("single");
    std::fs::write(&single, "needle").unwrap();
    let fixture = Fixture::with(&[("a", "needle")], |builder| builder.mount(&single));
    std::fs::remove_file(single).unwrap();
    let tools = Tools::of(&fixture);
    for arguments in [json!({"pattern": "needle"}), json!({"words": "needle"})] {
        let answer = tools.call("search", arguments);
        assert_eq!(answer.structured["files"].as_array().unwrap().len(), 1);
    }
    let alone = json!({"uri": "single", "pattern": "needle"});
    assert!(tools.call("search", alone).is_error);
}

#[test]
fn a_file_of_any_size_is_searched() {
    let fixture = Fixture::with(&[("large", "and more\nneedle\n")], |builder| {
        builder.max_file_bytes(4)
    });
    let answer = Tools::of(&fixture).call("search", json!({"pattern": "needle"}));
    assert_eq!(found(&answer), ["large:2:needle"]);
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
    // A higher limit would not show more.
    let note = answer.structured["note"].as_str().unwrap();
    let expected = " There are more than an answer has room for: narrow the search with uri, glob or a longer pattern.";
    assert!(note.ends_with(expected), "{note}");
}

#[test]
fn what_is_no_question_is_said() {
    let fixture = four();
    let tools = Tools::of(&fixture);
    for (tool, arguments, expected) in cases("no questions") {
        let error = tools.error(tool, arguments);
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn a_pattern_takes_linear_time() {
    let fixture = Fixture::new(&[("x", &"a".repeat(200_000))]);
    let tools = Tools::of(&fixture);
    let answer = tools.call("search", json!({"pattern": "(a*)*(a*)*b"}));
    assert_eq!(answer.structured["files"], Value::Array(Vec::new()));
}
