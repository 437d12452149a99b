//! Tests servers of 2025-11-25 that require the user to visit a page before a call.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::asking::browser;
use crate::person::Person;
use crate::support::{Run, appears, of, plainly};

/// A server whose tool works after the page was opened, if the tool is `sign-in` or `told`. For
/// `told`, the server reports the visit.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  reply() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
  case $line in
  *'"initialize"'*) reply '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}';;
  *tools/list*) reply '"result":{"tools":[]}';;
  *tools/call*)
    case $line in *stubborn*) known=;; *) known=$OPENED;; esac
    if [ -e "$known" ]; then reply '"result":{"content":[{"type":"text","text":"signed in"}]}'; continue; fi
    reply '"error":{"code":-32042,"message":"no","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://notes.example/","message":"Sign in"}]}}'
    case $line in *told*)
      while [ ! -e "$OPENED" ]; do sleep 0.01; done
      echo '{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}'
    esac;;
  esac
done
"#;

fn call(tool: &str, options: &[&str], directory: &TempDir) -> Command {
    let mut command = plainly();
    command
        .env("BROWSER", browser(directory.path()))
        .env("OPENED", directory.path().join("opened"))
        .args(["call", tool, "--revision", "2025-11-25"])
        .args(options)
        .args(["--", "sh", "-c", SERVER]);
    command
}

const REFUSED: &str = "error: the server answered: no (UrlElicitationRequired -32042)\n help: open https://notes.example/ in a browser, then run the command again; on a terminal, the command opens it once you agree\n";

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_call_goes_on_when_the_person_is_done_at_the_page() {
    let directory = TempDir::new().unwrap();
    let opened = directory.path().join("opened");
    let mut person = Person::start(call("sign-in", &[], &directory));
    person
        .sees("wants to open a page in your browser:\n  | Sign in\n")
        .sees("  https://notes.example/\n  host: notes.example\nOpen it? ");
    assert!(!opened.exists());
    person.types("yes").sees("Press Enter when you are done");
    appears(&opened);
    assert_eq!(
        fs::read_to_string(opened).unwrap(),
        "1\nhttps://notes.example/\n"
    );
    person.types("");
    let (status, printed, seen) = person.ends();
    assert_eq!((status, printed.as_str()), (0, "signed in\n"), "{seen}");
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_call_goes_on_when_the_server_says_that_the_person_is_done() {
    let directory = TempDir::new().unwrap();
    let mut person = Person::start(call("told", &[], &directory));
    person.sees("Open it? ").types("yes");
    let (status, printed, seen) = person.ends();
    assert_eq!((status, printed.as_str()), (0, "signed in\n"), "{seen}");
}

#[test]
fn a_call_that_needs_a_visit_fails_where_there_is_none() {
    for (tool, answers) in [
        ("sign-in", &["decline"][..]),
        ("sign-in", &["yes", "cancel"]),
        // The user is asked only once for the same visit.
        ("stubborn", &["yes", ""]),
    ] {
        let directory = TempDir::new().unwrap();
        let mut person = Person::start(call(tool, &[], &directory));
        for answer in answers {
            person.sees("] ").types(answer);
        }
        let (status, printed, seen) = person.ends();
        assert_eq!((status, printed.as_str()), (6, ""), "{seen}");
        assert!(seen.ends_with(REFUSED), "{seen}");
    }
    for options in [&[][..], &["--answer", "accept"], &["--answer", "decline"]] {
        let directory = TempDir::new().unwrap();
        of(call("sign-in", options, &directory)).failed(6, REFUSED);
        let json: Run = of(call(
            "sign-in",
            &[options, &["--json"]].concat(),
            &directory,
        ));
        let error = &json.error_json()["error"];
        let url = &error["data"]["elicitations"][0]["url"];
        assert_eq!(
            (&error["code"], url),
            (&(-32042).into(), &"https://notes.example/".into())
        );
    }
    let directory = TempDir::new().unwrap();
    let mut person = Person::start(call("sign-in", &["--answer", "decline"], &directory));
    person.sees(REFUSED);
    assert_eq!(person.ends().0, 6);
}
