//! Tests `plainly skills`: listing skills without reading them, and printing verified ones.

use serde_json::{Value, json};

use crate::fake::fake_with;
use crate::support::{Serving, run};

const MAIN: &str = "skill://acme/refunds/SKILL.md";
const INSTRUCTIONS: &str =
    "---\nname: refunds\ndescription: Refunds customers\n---\n\nAsk first.\n";
const DIGEST: &str = "sha256:d1a2b6d691fa11567f724920867bc427086f2edacf17cc46aa43ba60edda3813";

/// Serves `answer` as a server with skills.
fn fake(answer: fn(&str, &Value) -> Value) -> String {
    fake_with(json!({ "io.modelcontextprotocol/skills": {} }), answer)
}

/// A skill whose only file has this URI.
fn skill(uri: &str, name: &str, description: &str) -> Value {
    let file = json!({ "uri": uri, "digest": DIGEST, "size": INSTRUCTIONS.len() });
    json!({ "uri": uri, "frontmatter": { "name": name, "description": description }, "resources": [file] })
}

fn listed() -> Value {
    let (support, review) = (
        "skill://acme/support/SKILL.md",
        "skill://team/review/SKILL.md",
    );
    json!([
        skill(MAIN, "refunds", "Refunds customers"),
        skill(support, "support", "Two\nlines \u{1b}[2J"),
        skill(review, "review", "d"),
        skill("skill://other/review/SKILL.md", "review", "d"),
    ])
}

fn unread(method: &str, _: &Value) -> Value {
    match method {
        "skills/list" => json!({ "result": { "skills": listed() } }),
        _ => json!({ "error": { "code": -32603, "message": "nobody may read here" } }),
    }
}

fn honest(method: &str, params: &Value) -> Value {
    let contents = json!([{ "uri": params["uri"], "text": INSTRUCTIONS }]);
    json!({ "result": match method {
        "skills/list" => json!({ "skills": listed() }),
        "skills/get" => json!({ "skill": skill(MAIN, "refunds", "Refunds customers") }),
        _ => json!({ "contents": contents }),
    }})
}

fn tampering(method: &str, params: &Value) -> Value {
    let text = INSTRUCTIONS.replace("Ask first", "Pay first");
    match method {
        "resources/read" => {
            json!({ "result": { "contents": [{ "uri": params["uri"], "text": text }] } })
        }
        _ => honest(method, params),
    }
}

fn dynamic(_: &str, _: &Value) -> Value {
    let mut skill = skill(MAIN, "refunds", "Refunds customers");
    skill["resources"] = "dynamic".into();
    json!({ "result": { "skill": skill } })
}

#[test]
fn skills_are_listed_and_not_read() {
    let url = fake(unread);
    let all = run(&["skills", &url]).succeeded();
    let lines: Vec<_> = all.text().lines().collect();
    assert_eq!(
        lines,
        [
            "skill://acme/refunds/SKILL.md\tRefunds customers",
            "skill://acme/support/SKILL.md\tTwo",
            "skill://team/review/SKILL.md\td",
            "skill://other/review/SKILL.md\td",
        ]
    );
    let objects = run(&["skills", &url, "--json"]).succeeded().json_lines();
    assert_eq!(Value::from(objects), listed());
}

#[test]
fn instructions_are_printed_as_they_are() {
    let url = fake(honest);
    for one in ["refunds", MAIN] {
        let shown = run(&["skills", &url, one]).succeeded();
        assert_eq!(shown.text(), INSTRUCTIONS);
    }
    let object = run(&["skills", &url, "refunds", "--json"])
        .succeeded()
        .json();
    let expected = json!({ "skill": listed()[0], "instructions": INSTRUCTIONS });
    assert_eq!(object, expected);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("SKILL.md");
    let written = run(&["skills", &url, "refunds", "-o", path.to_str().unwrap()]).succeeded();
    assert_eq!(written.text(), "");
    assert_eq!(std::fs::read_to_string(path).unwrap(), INSTRUCTIONS);
}

#[test]
fn nothing_is_printed_that_is_not_what_the_server_lists() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("SKILL.md");
    let url = fake(tampering);
    for more in [&[][..], &["-o", path.to_str().unwrap()]] {
        let run = run(&[&["skills", &url, "refunds"], more].concat());
        assert_eq!((run.status, run.text()), (1, ""));
        let expected = format!(
            "error: {MAIN} is not what the server lists: its digest is sha256:3846b7ca22bccc95fcf2335dbd2c98054828da39e2236f9af66d46e9ec4f0f88 instead of {DIGEST}; don't use the skill\n help: list the skills again: they may have changed\n"
        );
        assert_eq!(run.stderr, expected);
    }
    assert!(!path.exists());
    let failed = run(&["skills", &url, "refunds", "--json"]);
    assert_eq!((failed.status, failed.text()), (1, ""));
    assert_eq!(failed.error_json()["error"]["kind"], "failure");
    run(&["skills", &fake(dynamic), MAIN]).failed(
        1,
        &format!("error: the skill {MAIN} can't be verified: its content is dynamic\n"),
    );
}

#[test]
fn what_is_no_skill_or_one_of_several_is_said() {
    let url = fake(honest);
    let help =
        " help: `plainly skills` lists the skills; a URI also finds one that is not listed\n";
    for (name, near) in [("refund", "; did you mean refunds?"), ("zzz", "")] {
        let expected = format!("error: no such skill: {name}{near}\n{help}");
        run(&["skills", &url, name]).failed(6, &expected);
    }
    run(&["skills", &url, "review"]).failed(
        6,
        "error: 2 skills are named review\n help: choose one by its URI: \
         skill://team/review/SKILL.md, skill://other/review/SKILL.md\n",
    );
    run(&["skills", &url, "-o", "x"]).failed(
        2,
        "error: -o writes the instructions of one skill: name it\n",
    );
}

#[test]
fn a_server_without_skills_has_an_empty_listing() {
    let serving = Serving::toolbox();
    let none = run(&["skills", &serving.url]);
    assert_eq!((none.status, none.text()), (0, ""));
    assert_eq!(none.stderr, "warning: this server has no skills\n");
    let one = run(&["skills", &serving.url, "refunds"]);
    assert_eq!((one.status, one.text()), (6, ""));
    let expected = "error: the server has no skills: it did not declare the capability that `skills/list` needs\n";
    assert!(one.stderr.starts_with(expected), "{}", one.stderr);
}
