//! `search` by words. The questions were written before the ranking; they are about the pages of
//! this project, and about 5,000 files, which are its sources with long ones cut.

mod tree;

use std::ops::Range;

use plainly::protocol::part::Part;
use serde_json::json;

use super::Tools;
use crate::fixture::{Fixture, SECRET};
use crate::table::rows;

/// The number of questions in each set of 100 whose section must be among the first five.
const ANSWERED: usize = 90;

/// A question, and the position of its answer.
struct Asked {
    words: &'static str,
    name: String,
    lines: Range<u64>,
}

fn position(text: &str, matches: impl Fn(&str) -> bool) -> Option<u64> {
    text.lines().position(matches).map(|line| line as u64)
}

/// The lines of Markdown below a heading, up to the next heading.
fn below(text: &str, heading: &str) -> Option<Range<u64>> {
    let is_heading =
        |line: &str| line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    let first = position(text, |line| {
        is_heading(line) && line.trim_start_matches('#').trim() == heading
    })?;
    let mut is_code = false;
    let next = text.lines().skip(first as usize + 1).position(|line| {
        is_code ^= line.starts_with("```");
        !is_code && is_heading(line)
    });
    Some(first..next.map_or(u64::MAX, |next| first + 1 + next as u64))
}

/// Asks all questions. Returns those whose section was not among the first five, with what was
/// found instead.
fn unanswered(tools: &Tools<'_>, questions: &[Asked]) -> Vec<String> {
    let mut wrong = Vec::new();
    for asked in questions {
        let answer = tools.call("search", json!({"words": asked.words, "limit": 5}));
        let files = answer.structured["files"].as_array().unwrap();
        let uris: Vec<&str> = files
            .iter()
            .map(|file| file["uri"].as_str().unwrap())
            .collect();
        let is_found = uris.iter().any(|uri| {
            let Some((
                uri,
                Ok(Part::Lines {
                    first,
                    last: Some(last),
                }),
            )) = Part::of(uri)
            else {
                return false;
            };
            uri == format!("file:///docs/{}", asked.name)
                && first < asked.lines.end
                && asked.lines.start < last
        });
        if !is_found {
            wrong.push(format!(
                "{}: {} {:?}, found {uris:?}",
                asked.words, asked.name, asked.lines
            ));
        }
    }
    wrong
}

#[test]
fn the_pages_that_answer_a_question_are_found_by_its_words() {
    let pages = tree::files(&tree::project().join("docs"), &[".md"]);
    let texts: Vec<_> = pages
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let fixture = Fixture::new(&texts);
    let questions: Vec<Asked> = rows(include_str!("ranking/docs.txt"), "questions")
        .map(|[words, page, heading]| {
            let (_, text) = pages.iter().find(|(name, _)| name == page).expect(page);
            let lines = below(text, heading).expect(heading);
            Asked {
                words,
                name: page.to_owned(),
                lines,
            }
        })
        .collect();
    assert_eq!(questions.len(), 100);
    let wrong = unanswered(&Tools::of(&fixture), &questions);
    assert!(wrong.len() <= 100 - ANSWERED, "{} {wrong:#?}", wrong.len());
}

#[test]
fn the_file_that_answers_a_question_is_found_among_5_000() {
    let secret = |(name, text): (String, String)| (name, text.replace(SECRET, ""));
    // No result may contain the fixture's secret, but its source is a file of the project.
    let tree: Vec<_> = tree::files_of_project().into_iter().map(secret).collect();
    assert!(tree.len() >= 5_000, "{}", tree.len());
    let texts: Vec<_> = tree.iter().map(|(name, text)| (&**name, &**text)).collect();
    let fixture = Fixture::new(&texts);
    let questions: Vec<Asked> = rows(include_str!("ranking/tree.txt"), "questions")
        .map(|[words, path, line]| {
            let stem = path.trim_end_matches("rs").trim_end_matches("md");
            let of_file = tree.iter().filter(|(name, _)| {
                let rest = name.strip_prefix(stem);
                rest.is_some_and(|rest| !rest.contains('/'))
            });
            let is_there = |(name, text): &&(String, String)| {
                (name == path || line != "//!") && text.contains(line)
            };
            let answer = { of_file }.find(is_there);
            let at = answer.and_then(|(_, text)| position(text, |one| one.contains(line)));
            Asked {
                words,
                name: answer.map_or(path, |(name, _)| name).to_owned(),
                // Sources change, so a question's answer may be gone.
                lines: at.map_or(0..0, |at| at..at + 1),
            }
        })
        .collect();
    assert_eq!(questions.len(), 100);
    let wrong = unanswered(&Tools::of(&fixture), &questions);
    assert!(wrong.len() <= 100 - ANSWERED, "{} {wrong:#?}", wrong.len());
}

/// The URIs found for the words, without their common prefix.
fn found(tools: &Tools<'_>, arguments: serde_json::Value) -> Vec<String> {
    let answer = tools.call("search", arguments);
    assert!(!answer.is_error, "{}", answer.text);
    let uris = answer.links().into_iter();
    uris.map(|uri| uri.strip_prefix("docs/").unwrap().to_owned())
        .collect()
}

#[test]
fn a_section_is_shown_below_its_headings_and_can_be_read_on() {
    let text = "# Keys\nAll of them.\n\n## Rotate\nRotate a key\nnow and then.\n\nEach old key\nexpires.\n\n## Else\nNothing.\n";
    let fixture = Fixture::new(&[("keys.md", text), ("other.txt", "else")]);
    let tools = Tools::of(&fixture);
    let answer = tools.call("search", json!({"words": "expired keys", "limit": 1}));
    assert_eq!(
        answer.text,
        "file:///docs/keys.md#line=3,10\n1: # Keys\n--\n4- ## Rotate\n5: Rotate a key\n--\n8: Each old key\n9: expires.\n1 section, \
         of 2 files searched. There are more, which have less in common with the words: raise limit."
    );
    assert_eq!(answer.links(), ["docs/keys.md#line=3,10"]);
    let uri = "file:///docs/keys.md#line=3,10";
    let read = tools.text("read_resource", json!({"uri": uri}));
    assert!(
        read.starts_with("## Rotate\nRotate a key") && !read.contains("Else"),
        "{read}"
    );
    let several = tools.text("read_resources", json!({"uris": [uri]}));
    assert!(
        several.contains("## Rotate") && !several.contains("Else"),
        "{several}"
    );
    let nothing = tools.text("search", json!({"words": "unheard"}));
    assert_eq!(
        nothing,
        "0 sections, of 2 files searched. Try other words, or pattern."
    );
}

#[test]
fn words_are_found_in_the_encodings_that_are_read() {
    let fixture = Fixture::new(&[]);
    // The text is longer than the ranked part, whose end would cut a character.
    let long = "cafe 語\n".to_owned() + &"これは日本語のテキストです。\n".repeat(40_000);
    let (long, ..) = encoding_rs::SHIFT_JIS.encode(&long);
    for (name, content) in [
        ("latin.txt", &b"Le caf\xe9 est ouvert.\n"[..]),
        ("wide.txt", b"\xff\xfec\0a\0f\0\xe9\0"),
        ("long.txt", &long),
    ] {
        std::fs::write(fixture.root().join(name), content).unwrap();
    }
    let text = Tools::of(&fixture).text("search", json!({"words": "café cafe"}));
    for line in ["1: Le café est ouvert.", "1: café", "1: cafe 語"] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn what_is_found_is_what_is_there_now() {
    let fixture = Fixture::new(&[
        ("a.md", "# Alpha\n"),
        ("b/c.md", "beta\n"),
        (".gitignore", ""),
    ]);
    let tools = Tools::of(&fixture);
    let files = |words: &str| found(&tools, json!({"words": words}));
    let root = fixture.root();
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    assert_eq!(files("alpha"), ["a.md#line=0,1"]);
    write("a.md", "# Gamma\n");
    assert_eq!(
        (files("alpha"), files("gamma")),
        (vec![], vec!["a.md#line=0,1".into()])
    );
    write("b/d.md", "\ngammas");
    assert_eq!(files("gamma"), ["a.md#line=0,1", "b/d.md#line=0,2"]);
    write(".gitignore", "b");
    assert_eq!(files("gamma beta"), ["a.md#line=0,1"]);
    write(".gitignore", "");
    std::fs::remove_file(root.join("a.md")).unwrap();
    assert_eq!(files("gamma"), ["b/d.md#line=0,2"]);
    std::fs::rename(root.join("b"), root.join("beta")).unwrap();
    assert_eq!(files("gamma"), ["beta/d.md#line=0,2"]);
}

#[test]
fn nothing_is_found_but_what_is_listed_and_asked_for() {
    let fixture = Fixture::with(
        &[
            (".hidden/a.md", "needle"),
            (".gitignore", "ignored.md"),
            ("ignored.md", "needle"),
            ("private.pem", "needle"),
            ("src/a.rs", "needle"),
            ("src/deep/b.rs", "needle"),
            ("src/deep/b.md", "needle"),
            ("large.md", &"needle\n".repeat(99)),
        ],
        |builder| builder.max_file_bytes(99),
    );
    std::fs::write(fixture.root().join("needle.bin"), b"\0").unwrap();
    let tools = Tools::of(&fixture);
    for (arguments, expected) in [
        (
            json!({"words": "needle"}),
            "large.md#line=0,99, private.pem#line=0,1, src/a.rs#line=0,1, src/deep/b.md#line=0,1, src/deep/b.rs#line=0,1, needle.bin",
        ),
        (
            json!({"words": "needle", "glob": "*.rs"}),
            "src/a.rs#line=0,1, src/deep/b.rs#line=0,1",
        ),
        (
            json!({"words": "needle", "uri": "docs/src", "exclude": ["deep"]}),
            "src/a.rs#line=0,1",
        ),
        (
            json!({"words": "needle", "uri": "docs/src/a.rs"}),
            "src/a.rs#line=0,1",
        ),
        (json!({"words": "a rs", "limit": 1}), "src/a.rs#line=0,1"),
        (json!({"words": "secret beside mount"}), ""),
    ] {
        assert_eq!(
            found(&tools, arguments.clone()).join(", "),
            expected,
            "{arguments}"
        );
    }
    let answer = tools.text("search", json!({"words": "needle"}));
    let expected = "6 sections, of 6 files searched, 1 of them by name alone.";
    assert!(answer.ends_with(expected), "{answer}");
}
