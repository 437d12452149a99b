//! Tests servers that ask questions: of the user at the terminal, of a model, or without a
//! respondent.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::person::Person;
use crate::support::{Run, appears, example, plainly, run};

/// The revisions that ask with requests, and with results.
const ERAS: [&str; 2] = ["2025-11-25", "2026-07-28"];

fn questioner() -> String {
    example("questioner").to_str().unwrap().to_owned()
}

/// A user who calls a tool of the questioner.
fn person(words: &[&str], revision: &str) -> Person {
    let mut command = plainly();
    command.arg("call").args(words);
    command.args(["--revision", revision, "--", &questioner()]);
    Person::start(command)
}

/// Calls a tool without a user who could answer.
fn nobody(words: &[&str], revision: &str) -> Run {
    let server = ["--revision", revision, "--", &questioner()];
    run(&[&["call"], words, &server].concat())
}

#[test]
fn a_form_is_filled_in_field_by_field() {
    for revision in ERAS {
        let mut person = person(&["book"], revision);
        person
            .sees("server: warning: few\\u{1b}[2J seats\n")
            .sees("questioner asks:\n  | Whom shall I book for?\n  | \\u{1b}[31mNow.\n")
            .sees("\nYour name (text, at least 2 characters, required)\n> ")
            .types("A")
            .sees("Invalid value: ")
            .sees("> ")
            .types("Ada")
            .sees(
                "\nway (one of these, required)\n  1  By air\n  2  By sea\nEnter takes \"By sea\"\n> ",
            )
            .types("1")
            .sees("\ncopies (whole number, at least 1)\nEnter takes \"1\"; \"skip\" leaves it out\n> ")
            .types("")
            .sees("\npin (text)\nwarning: this looks like a secret")
            .sees("Enter leaves it out\n> ")
            .types("")
            .sees("\nThis will be sent to questioner:\n  name: Ada\n  way: a\n  copies: 1\n")
            .sees("Send it? ")
            .types("yes");
        let (status, printed) = person.wait();
        let seen = person.seen;
        assert_eq!(status, 0, "{seen}");
        assert_eq!(printed, "{\"copies\":1,\"name\":\"Ada\",\"way\":\"a\"}\n");
        assert!(
            !seen.contains("\u{1b}[2J") && !seen.contains("\u{1b}[31m"),
            "{seen:?}"
        );
        // These messages were not requested.
        assert!(!seen.contains("looking for seats") && !seen.contains("the questioner asks"));
    }
}

#[test]
fn whoever_does_not_want_to_answer_need_not() {
    for revision in ERAS {
        for (word, told) in [("decline", "Decline\n"), ("cancel", "Cancel\n")] {
            let mut person = person(&["book"], revision);
            person
                .sees("Your name")
                .sees("> ")
                .types(word)
                // The word could also be the answer.
                .sees(&format!("Is {word} what you fill in here? "))
                .types("");
            let (status, printed, seen) = person.ends();
            assert_eq!((status, printed.as_str()), (0, told), "{seen}");
        }
        let mut person = person(&["book"], revision);
        person.sees("Your name").sees("> ").leaves();
        let (status, printed, seen) = person.ends();
        assert_eq!((status, printed.as_str()), (0, "Cancel\n"), "{seen}");
    }
}

#[test]
fn an_interrupt_at_a_question_ends_the_command() {
    for revision in ERAS {
        let mut person = person(&["book"], revision);
        person.sees("Your name").sees("> ").interrupts();
        let (status, printed, seen) = person.ends();
        assert_eq!((status, printed.as_str()), (130, ""));
        assert!(seen.ends_with("> \nerror: interrupted\n"), "{seen:?}");
    }
}

#[test]
fn what_is_asked_at_once_is_asked_one_after_the_other() {
    for revision in ERAS {
        let mut person = person(&["both"], revision);
        let mut answered = Vec::new();
        for _ in 0..2 {
            person
                .sees(" asks:\n  | The ")
                .sees("\nname (text, required)\n> ");
            let asked = person.seen.matches(" asks:").count();
            let name = asked.to_string();
            person.types(&name).sees("Send it? ").types("y");
            answered.push(asked);
        }
        let (status, printed, seen) = person.ends();
        assert_eq!((status, answered), (0, vec![1, 2]), "{seen}");
        assert!(
            printed.contains("\"1\"") && printed.contains("\"2\""),
            "{printed}"
        );
    }
}

/// A browser for `$BROWSER` that writes its arguments to a file in a directory without spaces in
/// its path. A shell runs the script, because a process that is just being started may hold a new
/// file open, so that it can't be executed yet.
pub(crate) fn browser(directory: &Path) -> String {
    let path = directory.join("browser");
    let script =
        "printf '%s\\n' \"$#\" \"$1\" > \"$OPENED.part\"\nmv \"$OPENED.part\" \"$OPENED\"\n";
    fs::write(&path, script).unwrap();
    format!("sh {}", path.display())
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_page_is_opened_after_a_yes_and_by_no_shell() {
    let asked = "https://notes.example/sign-in?a=$(id)&b=1;c^d|e`'&%s%c%%25PATH%25";
    let url = "https://notes.example/sign-in?a=$(id)&b=1;c%5Ed%7Ce%60%27&%s%c%%25PATH%25";
    for revision in ERAS {
        for (answer, told) in [
            ("yes", "Accept\n"),
            ("decline", "Decline\n"),
            ("cancel", "Cancel\n"),
        ] {
            let directory = TempDir::new().unwrap();
            let opened = directory.path().join("opened");
            let mut command = plainly();
            command
                .env("BROWSER", browser(directory.path()))
                .env("OPENED", &opened)
                .args([
                    "call",
                    "visit",
                    &format!("url={asked}"),
                    "--revision",
                    revision,
                    "--",
                    &questioner(),
                ]);
            let mut person = Person::start(command);
            person
                .sees("questioner wants to open a page in your browser:\n  | Sign in there\n")
                .sees(&format!("  {url}\n  host: notes.example\nOpen it? "))
                .types("")
                .sees("Please type")
                .sees("Open it? ");
            assert!(!opened.exists());
            person.types(answer);
            let (status, printed, seen) = person.ends();
            assert_eq!((status, printed.as_str()), (0, told), "{seen}");
            let is_wanted = answer == "yes";
            if is_wanted {
                appears(&opened);
            }
            let opened = fs::read_to_string(opened).ok();
            assert_eq!(opened, is_wanted.then(|| format!("1\n{url}\n")));
        }
    }
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "there is always a browser there")]
fn whoever_has_no_browser_opens_the_page_themselves() {
    let mut command = plainly();
    command
        .env("PATH", "/nowhere")
        .args(["call", "visit", "url=https://notes.example/", "--"])
        .arg(questioner());
    let mut person = Person::start(command);
    person
        .sees("  https://notes.example/\n  host: notes.example\nOpen it? ")
        .types("yes")
        .sees("Cannot start a browser (No valid browsers detected.")
        .sees("open the page yourself.");
    let (status, printed, seen) = person.ends();
    assert_eq!((status, printed.as_str()), (0, "Accept\n"), "{seen}");
}

#[test]
fn answers_can_be_given_beforehand() {
    for revision in ERAS {
        for (answers, printed) in [
            (
                &["name=Ada", "way:=\"a\"", "copies=2"][..],
                "{\"copies\":2,\"name\":\"Ada\",\"way\":\"a\"}\n",
            ),
            (
                &["accept", "name=Ada"],
                "{\"copies\":1,\"name\":\"Ada\",\"way\":\"s\"}\n",
            ),
            (&["decline"], "Decline\n"),
            (&["cancel"], "Cancel\n"),
        ] {
            let answers: Vec<_> = answers.iter().flat_map(|it| ["--answer", *it]).collect();
            let run = nobody(&[&["book", "--quiet"], &*answers].concat(), revision);
            assert_eq!(run.succeeded().text(), printed);
        }
        let asks = "the server asks for name (text, at least 2 characters, required), way (one of these, required), \
                    copies (whole number, at least 1), pin (text)\n";
        for (answer, why) in [
            (
                "name=A",
                "invalid --answer name: \"A\" is shorter than 2 characters; ",
            ),
            (
                "copies=x",
                "invalid --answer copies: it must be a whole number such as 10; ",
            ),
            ("accept", "no answer for name: give it as --answer name=…; "),
        ] {
            let run = nobody(&["book", "--quiet", "--answer", answer], revision);
            run.failed(1, &format!("error: {why}{asks}"));
        }
        let words = ["book", "--answer", "name=Ada", "--answer", "nmae=Bob"];
        let typo = nobody(&words, revision);
        let warned = "warning: the server did not ask for nmae: that answer was not used\n";
        assert!(typo.stderr.ends_with(warned), "{}", typo.stderr);
    }
}

#[test]
fn answers_that_contradict_each_other_are_a_mistake() {
    for (answers, why) in [
        (["decline", "a=1"], "stand alone"),
        (["a=1", "a:=2"], "duplicate answer \"a\""),
        (["a=1", "perhaps"], "accept, decline or cancel"),
    ] {
        let run = nobody(
            &["book", "--answer", answers[0], "--answer", answers[1]],
            ERAS[0],
        );
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

#[test]
fn where_nobody_can_answer_the_error_says_who_could() {
    for (tool, help) in [
        (
            "book",
            "run the command on a terminal, or give the answer with --answer accept or --answer NAME=TEXT",
        ),
        (
            "poem",
            "name a command that answers with --sample-with COMMAND",
        ),
        ("place", "name one with --root DIR"),
    ] {
        for revision in ERAS {
            let run = nobody(&[tool, "--quiet"], revision);
            assert!([5, 6].contains(&run.status), "{}", run.stderr);
            assert!(
                run.stderr.contains(help),
                "{tool} {revision}: {}",
                run.stderr
            );
        }
    }
    let run = nobody(
        &["visit", "url=https://a.example", "--answer", "accept"],
        ERAS[1],
    );
    assert_eq!(run.status, 6);
    assert!(run.stderr.contains("where you can agree"), "{}", run.stderr);
    let refused = nobody(
        &["visit", "url=https://a.example", "--answer", "cancel"],
        ERAS[1],
    );
    assert_eq!(refused.succeeded().text(), "Cancel\n");
}

#[test]
fn a_command_answers_for_a_model() {
    let model = "grep -q 'A poem?' && echo '{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"Roses\"},\"model\":\"m\"}'";
    for revision in ERAS {
        let run = nobody(&["poem", "--sample-with", model], revision);
        assert_eq!(run.succeeded().text(), "Roses\n");
        for (command, why) in [
            ("echo nonsense", "what it printed, it is not JSON"),
            ("echo '{}'", "it must print a result such as {\"role\""),
            ("echo broken >&2; exit 3", "broken"),
        ] {
            let run = nobody(&["poem", "--sample-with", command], revision);
            assert_ne!(run.status, 0);
            let told = format!("warning: the command of --sample-with failed: {why}");
            let told = run.stderr.contains(&told) || run.stderr.contains("exit status: 3: broken");
            assert!(told, "{}", run.stderr);
        }
    }
}

#[test]
fn roots_are_told_as_uris() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().canonicalize().unwrap().join("two words");
    fs::create_dir(&path).unwrap();
    let uri = format!("file://{}", path.display()).replace(' ', "%20");
    for revision in ERAS {
        let run = nobody(&["place", "--root", path.to_str().unwrap()], revision);
        assert_eq!(run.succeeded().text(), format!("{uri}\n"));
    }
    let run = nobody(&["place", "--root", "/does/not/exist"], ERAS[0]);
    assert_eq!(run.status, 2);
}

#[test]
fn the_level_of_what_a_server_says_can_be_chosen() {
    let warning = "server: warning: few\\u{1b}[2J seats\n";
    let info = "server: info: looking for seats\n";
    let stderr = "server: stderr: the questioner asks\n";
    for revision in ERAS {
        for (options, shown) in [
            (&[][..], &[warning][..]),
            (&["--server-log", "info"], &[info, warning]),
            (&["--server-log", "debug"], &[info, warning, stderr]),
            (&["--server-log", "error"], &[]),
            (&["--server-log", "off"], &[]),
            (&["--quiet"], &[]),
        ] {
            let words = [&["book", "--answer", "decline"], options].concat();
            let run = nobody(&words, revision);
            assert_eq!(run.status, 0, "{}", run.stderr);
            let mut lines: Vec<_> = run.stderr.split_inclusive('\n').collect();
            let mut expected = shown.to_vec();
            // The order of a process's two streams is undefined.
            lines.sort_unstable();
            lines.dedup();
            expected.sort_unstable();
            assert_eq!(lines, expected, "{options:?} {revision}");
        }
    }
}

#[test]
fn progress_is_a_bar_or_a_counter_and_logs_stand_above_it() {
    for revision in ["2025-03-26", "2026-07-28"] {
        for (total, shown) in [
            ("total:=4", "waiting for count  2/4  shelf\\u{1b}[2J 2"),
            ("total:=null", "waiting for count  2  shelf"),
        ] {
            let directory = TempDir::new().unwrap();
            let until = directory.path().join("until");
            let mut person = person(
                &["count", total, &format!("until={}", until.display())],
                revision,
            );
            person.sees(shown);
            fs::write(&until, "").unwrap();
            person.sees("server: error: one book is missing\n");
            let (status, printed) = person.wait();
            let seen = person.seen;
            assert_eq!((status, printed.as_str()), (0, "counted\n"), "{seen}");
            assert_eq!(seen.contains("=>"), total == "total:=4", "{seen:?}");
            assert!(!seen.contains("\u{1b}[2J "), "{seen:?}");
        }
    }
}

#[test]
fn what_a_command_waits_for_is_shown_unless_it_is_quiet() {
    let slow = ["--", "sleep", "100"];
    let started = |words: &[&str]| {
        let mut command = plainly();
        command.args(words);
        Person::start(command)
    };
    let mut person = started(&[&["tools"], &slow[..]].concat());
    person.sees("starting sleep").interrupts();
    let (status, _, seen) = person.ends();
    assert_eq!(status, 130);
    assert!(seen.ends_with("error: interrupted\n"), "{seen:?}");
    let mut person = started(&[&["tools", "--quiet", "--timeout", "2"], &slow[..]].concat());
    assert_eq!(person.wait().0, 3);
    assert!(person.seen.starts_with("error: "), "{:?}", person.seen);
}
