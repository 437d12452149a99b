//! Tests `prompts` and `prompt`.

use serde_json::json;

use crate::support::{Docs, REVISIONS, Target};

#[test]
fn prompts_are_listed_on_every_revision() {
    for target in Target::toolbox() {
        for revision in REVISIONS {
            let listed = target.run("prompts", &["--revision", revision]).succeeded();
            assert_eq!(listed.text(), "poem\tAsks for a poem\nfarewell\tFarewell\n");
        }
        let objects = target.run("prompts", &["--json"]).succeeded().json_lines();
        assert_eq!(objects.len(), 2);
        let arguments = json!([
            { "name": "about", "description": "What it is about.", "required": true },
            { "name": "lines", "description": "How many lines it has.", "required": false },
        ]);
        assert_eq!(objects[0]["arguments"], arguments);
    }
}

#[test]
fn a_prompt_is_filled_in_and_says_who_speaks_where_several_do() {
    for target in Target::toolbox() {
        for revision in REVISIONS {
            let words = ["poem", "about=a = b", "lines=2", "--revision", revision];
            let said = "user:\nWrite 2 lines about a = b.\nassistant:\nIn which language?\n";
            assert_eq!(target.run("prompt", &words).succeeded().text(), said);
        }
        let alone = target.run("prompt", &["farewell"]).succeeded();
        assert_eq!(alone.text(), "Say goodbye.\n");
        let whole = target.run("prompt", &["farewell", "--json"]).succeeded();
        let content = json!({ "type": "text", "text": "Say goodbye." });
        let message = json!({ "role": "user", "content": content });
        assert_eq!(whole.json()["messages"], json!([message]));
    }
}

#[test]
fn arguments_that_are_wrong_are_told_by_us_or_by_the_server() {
    for target in Target::toolbox() {
        for (words, told) in [
            (&["poem", "lines"][..], "\"lines\" is not a prompt argument"),
            (
                &["poem", "lines=1", "lines=2"],
                "duplicate argument \"lines\"",
            ),
        ] {
            let run = target.run("prompt", words);
            assert_eq!(run.status, 2);
            assert!(run.stderr.contains(told), "{}", run.stderr);
        }
        let run = target.run("prompt", &["poem", "about=a", "lines=many"]);
        assert_eq!(run.status, 6);
        assert!(run.stderr.contains("/lines: \"many\""), "{}", run.stderr);
        let told = ": its arguments are about (required), lines\n";
        assert!(run.stderr.ends_with(told), "{}", run.stderr);
    }
}

#[test]
fn a_prompt_that_is_not_there_is_refused_with_those_that_are() {
    for target in Target::toolbox() {
        let run = target.run("prompt", &["ode"]);
        assert_eq!(run.status, 6);
        let told = "error: no such prompt: ode\n help: `plainly prompts ";
        assert!(run.stderr.starts_with(told), "{}", run.stderr);
        let error = &target.run("prompt", &["ode", "--json"]).error_json()["error"];
        let expected = json!({ "kind": "unknown_prompt", "name": "ode" });
        assert_eq!(error["data"], expected);
    }
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let listed = target.run("prompts", &[]);
        assert_eq!((listed.status, listed.text()), (0, ""));
        assert_eq!(listed.stderr, "warning: this server has no prompts\n");
        let said = target.run("prompt", &["ode"]).stderr;
        assert!(said.contains("the server has no prompts: "), "{said}");
    }
}

#[test]
fn an_argument_is_completed_on_every_revision() {
    for target in Target::toolbox() {
        for revision in REVISIONS {
            let complete = |words: &[&str]| {
                target.run("complete", &[words, &["--revision", revision]].concat())
            };
            let all = complete(&["poem", "about"]).succeeded();
            assert_eq!(all.text(), "autumn\naugust\nspring\n");
            let begun = complete(&["poem", "about", "au", "--given", "lines=2"]).succeeded();
            assert_eq!(begun.text(), "autumn\naugust\n");
            let object = complete(&["poem", "about", "sp", "--json"]).succeeded();
            assert_eq!(object.json()["values"], json!(["spring"]));
        }
        for (words, status, told) in [
            (&["poem"][..], 2, "<ARGUMENT> is missing"),
            (&["poem", "about", "--given", "lines"], 2, "use KEY=TEXT"),
            (&["poem", "abuot"], 6, "did you mean \"about\"?"),
            (&["ode", "about"], 6, "Unknown prompt: ode"),
        ] {
            let run = target.run("complete", words);
            assert_eq!(run.status, status, "{}", run.stderr);
            assert!(run.stderr.contains(told), "{}", run.stderr);
        }
    }
}
