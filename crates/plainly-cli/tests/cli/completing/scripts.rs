//! Tests completions with servers that are scripts, and in shells.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::json;

use super::{candidates, home};
use crate::home::Home;
use crate::naming::heads;
#[cfg(target_os = "linux")]
use crate::person::Person;
#[cfg(target_os = "linux")]
use crate::support::toolbox;
use crate::support::{PATIENCE, PLAINLY, of, of_nobody};

/// The variable with the time limit for a server.
const TIMEOUT: &str = "PLAINLY_COMPLETION_TIMEOUT";

#[test]
fn a_server_that_does_not_answer_ends_with_the_wait() {
    let home = Home::new();
    let pid = home.path().join("pid");
    let script = format!(
        "echo $$ > {0}.part; mv {0}.part {0}; exec sleep 100",
        pid.display()
    );
    let servers =
        json!({ "mcpServers": { "silent": { "command": "sh", "args": ["-c", script] } } });
    home.allowed(".mcp.json", &servers.to_string());
    let completes = |timeout: Option<&str>| {
        let mut command = home.command(&["candidates", "--line", "plainly tools silent "]);
        match timeout {
            Some(timeout) => command.env(TIMEOUT, timeout),
            None => command.env_remove(TIMEOUT),
        };
        assert_eq!(of(command).succeeded().text(), "", "{timeout:?}");
    };
    for hurry in [None, Some("soon"), Some("0")] {
        completes(hurry);
    }
    // Repeats until the server had enough time to start.
    for seconds in 1.. {
        let start = Instant::now();
        completes(Some(&seconds.to_string()));
        assert!(start.elapsed().as_secs() >= seconds);
        if pid.exists() {
            break;
        }
    }
    let start = Instant::now();
    let pid = fs::read_to_string(pid).unwrap();
    // Waits until the process that adopted it has reaped it.
    let runs = || {
        Command::new("kill")
            .args(["-0", pid.trim()])
            .output()
            .unwrap()
    };
    while runs().status.success() {
        assert!(start.elapsed() < PATIENCE, "{pid} still runs");
    }
}

#[test]
fn bash_completes_words_with_colons_and_equals_signs() {
    let home = home();
    for (words, expected) in [
        ("plainly call box gr", "greet\n"),
        ("plainly read docs file : ///docs/i", "///docs/intro.md\n"),
        ("plainly call docs list_resources sort = s", "size\n"),
        (
            "plainly call docs list_resources sort =",
            "name\nsize\nmodified\n",
        ),
        ("plainly tools silent ''", "\n"),
    ] {
        let line = words
            .replace(" : ", ":")
            .replace(" =", "=")
            .replace("= ", "=")
            .replace("''", "");
        let script = format!(
            "source <(plainly completions bash); COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; _plainly; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = Command::new("bash");
        let programs = Path::new(PLAINLY).parent().unwrap().display();
        let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
        of_nobody(&mut bash)
            .args(["--norc", "-c", &script])
            .env("PATH", path);
        bash.env("HOME", home.path())
            .current_dir(home.path().join("projects/site"));
        if words.contains("silent") {
            bash.env(TIMEOUT, "0.2");
        }
        assert_eq!(of(bash).succeeded().text(), expected, "{line}");
    }
}

/// A server whose names look like options of the command, or like files of the user.
const SLY: &str = r#"while read -r line; do
    id=${line#*'"id":'}; id=${id%%,*}
    case $line in
        *server/discover*) result='{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"completions":{}}}' ;;
        *completion/complete*) result='{"resultType":"complete","completion":{"values":["@/etc/passwd","-","plain"]}}' ;;
        *prompts/list*) result='{"resultType":"complete","ttlMs":0,"cacheScope":"private","prompts":[{"name":"ask","arguments":[{"name":"text"}]}]}' ;;
        *) result='{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"--sample-with=sh -c id","inputSchema":{"type":"object"}},{"name":"fine","inputSchema":{"type":"object","properties":{"lang":{"enum":["@/etc/passwd","-","en"]},"f=@/etc/passwd":{}},"required":["lang"]}}]}' ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "${id%\}}" "$result"
done"#;

#[test]
fn words_of_others_are_neither_options_nor_names_of_files() {
    let home = Home::new();
    let servers = json!({ "mcpServers": {
        "sly": { "command": "sh", "args": ["-c", SLY] },
        "--record=x": { "command": "sh" },
    } });
    home.user(".claude.json", &servers.to_string());
    home.project("--record=y", "");
    for (line, expected) in [
        ("plainly tools ", &["sly"][..]),
        ("plainly tools sly ", &["fine"]),
        ("plainly call sly fine ", &["lang="]),
        ("plainly call sly fine lang=", &["lang=en"]),
        (
            "plainly call sly fine lang:=",
            &[r#"lang:="@/etc/passwd""#, r#"lang:="-""#, r#"lang:="en""#],
        ),
        ("plainly prompt sly ask text=", &["text=plain"]),
        ("plainly serve ", &[]),
        ("plainly tools -- ", &[]),
    ] {
        assert_eq!(candidates(&home, line), expected, "{line:?}");
    }
    let shown = home.run(&["tools", "sly", "fine"]).succeeded();
    let call = "\nplainly call sly fine 'lang:=\"@/etc/passwd\"'\n";
    assert!(shown.text().ends_with(call), "{}", shown.text());
}

#[test]
fn nothing_in_a_project_runs_before_its_file_is_allowed() {
    let home = Home::new();
    let (url, heads) = heads();
    let run = home.path().join("ran");
    let script = format!("echo >> {}", run.display());
    let servers = json!({ "mcpServers": {
        "local": { "command": "sh", "args": ["-c", script] },
        "remote": { "url": format!("{url}/${{SECRET}}") },
    } });
    let complete = |name: &str| {
        let mut command =
            home.command(&["candidates", "--line", &format!("plainly tools {name} ")]);
        command.env("SECRET", "s3cret");
        of(command).succeeded().text().to_owned()
    };
    home.project(".mcp.json", &servers.to_string());
    for name in ["local", "remote"] {
        assert_eq!(complete(name), "");
    }
    assert!(!run.exists() && heads.try_recv().is_err());
    // The server is only used after it was allowed, and until the file changes.
    home.allowed(".mcp.json", &servers.to_string());
    complete("local");
    assert!(run.exists());
    fs::remove_file(&run).unwrap();
    home.project(".mcp.json", &format!("{servers}\n"));
    complete("local");
    assert!(!run.exists());
}

/// A program that finds this plainly, for this user, in the project.
#[cfg(target_os = "linux")]
fn beside_plainly(home: &Home, program: &str, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    let programs = Path::new(PLAINLY).parent().unwrap().display();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    of_nobody(&mut command).args(words).env("PATH", path);
    command.env("HOME", home.path()).env("PS1", "ready> ");
    command.current_dir(home.path().join("projects/site"));
    command
}

#[cfg(target_os = "linux")]
#[test]
fn shells_complete_a_word_that_is_empty_yet() {
    let home = Home::new();
    let servers = json!({ "mcpServers": { "box": { "command": toolbox() } } });
    home.user(".claude.json", &servers.to_string());
    for (shell, words, setup) in [
        (
            "bash",
            &["--norc", "--noprofile", "-i"][..],
            "source <(plainly completions bash)",
        ),
        (
            "zsh",
            &["-f", "-i"],
            "autoload -U compinit; compinit -D -u; source <(plainly completions zsh)",
        ),
    ] {
        if !is_there(shell) {
            continue;
        }
        // The shell needs its own controlling terminal, because it would use that of the tests
        // otherwise.
        let words = [&["--ctty", shell][..], words].concat();
        let mut person = Person::start(beside_plainly(&home, "setsid", &words));
        person.sees("ready> ").types(setup).sees("ready> ");
        // There is only one server, so its name is inserted.
        person.types("plainly tools \t > completed; echo done=$? >&2; exit");
        person.sees("done=0");
        person.wait();
        let completed = home.path().join("projects/site/completed");
        let listed = fs::read_to_string(completed).unwrap();
        assert!(listed.starts_with("greet\t"), "{shell}: {listed}");
    }
    if is_there("fish") {
        let script = "plainly completions fish | source; complete -C 'plainly tools '";
        let fish = beside_plainly(&home, "fish", &["--no-config", "-c", script]);
        let completed = of(fish).succeeded();
        assert!(
            completed.text().starts_with("box\t"),
            "{}",
            completed.text()
        );
    }
}

/// Whether the shell is installed. The test reports when it is not.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "it is read where a run is looked at")]
fn is_there(shell: &str) -> bool {
    let is_there = Command::new(shell).arg("-c").arg("true").output().is_ok();
    if !is_there {
        println!("skipped: there is no {shell}");
    }
    is_there
}
