//! Tests servers that are found by their names in the files of hosts.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::home::Home;
#[cfg(unix)]
use crate::person::Person;
use crate::support::{Serving, toolbox};

/// A program that prints its environment and arguments, and is no server.
const TELL: &str = "echo \"$A,$B,$1 in $(basename \"$(pwd)\")\" >&2; exit 3";

/// The output of that program, in the error of the command.
fn told(home: &Home, words: &[&str]) -> String {
    let run = home.run(words);
    assert_eq!(run.status, 3, "{}", run.stderr);
    let error = run.stderr.lines().find(|line| line.starts_with("error: "));
    let (_, told) = error.unwrap().rsplit_once(": ").unwrap();
    told.to_owned()
}

#[test]
fn every_command_takes_a_name() {
    let home = Home::new();
    let serving = Serving::toolbox();
    let started = json!({ "command": toolbox(), "args": [] });
    let servers = json!({ "mcpServers": { "box": started, "web": { "url": serving.url } } });
    home.allowed(".mcp.json", &servers.to_string());
    for name in ["box", "web"] {
        let called = home.run(&["call", name, "greet", "name=Ada"]).succeeded();
        assert_eq!(called.text(), "Hello, Ada!\n");
        let shown = home.run(&["tools", name, "greet"]).succeeded();
        let call = format!("plainly call {name} greet name=TEXT\n");
        assert!(shown.text().ends_with(&call), "{}", shown.text());
        for words in [
            &["discover", name][..],
            &["ls", name],
            &["templates", name],
            &["prompts", name],
            &["prompt", name, "poem", "about=sea"],
        ] {
            let run = home.run(words);
            assert!([0, 6].contains(&run.status), "{words:?}: {}", run.stderr);
        }
    }
}

/// The files of a user, nearest first, with their hosts and their keys.
const USER: [(&str, &str, &str); 8] = [
    (".claude.json", "claude", "mcpServers"),
    (
        ".config/Claude/claude_desktop_config.json",
        "claude-desktop",
        "mcpServers",
    ),
    (".config/Code/User/mcp.json", "vscode", "servers"),
    (".cursor/mcp.json", "cursor", "mcpServers"),
    (".codex/config.toml", "codex", "mcp_servers"),
    (".config/zed/settings.json", "zed", "context_servers"),
    (
        ".codeium/windsurf/mcp_config.json",
        "windsurf",
        "mcpServers",
    ),
    (".gemini/settings.json", "gemini", "mcpServers"),
];

/// The files of projects, farthest first, with their keys and their directories.
const PROJECTS: [(&str, &str, &str); 9] = [
    ("../.gemini/settings.json", "mcpServers", "projects"),
    ("../.zed/settings.json", "context_servers", "projects"),
    ("../mcp.json", "mcpServers", "projects"),
    ("../.mcp.json", "mcpServers", "projects"),
    (".codex/config.toml", "mcp_servers", "site"),
    (".cursor/mcp.json", "mcpServers", "site"),
    (".vscode/mcp.json", "servers", "site"),
    ("mcp.json", "servers", "site"),
    (".mcp.json", "mcpServers", "site"),
];

/// A file with one server, `s`, which prints this word.
fn saying(file: &str, key: &str, word: &str) -> String {
    if file.ends_with(".toml") {
        let args = format!("[\"-c\", '{TELL}', \"sh\", \"{word}\"]");
        return format!("# mine\n[{key}.s]\ncommand = \"sh\"\nargs = {args}\n");
    }
    let server = json!({ "command": "sh", "args": ["-c", TELL, "sh", word] });
    format!("// mine\n{}", json!({ key: { "s": server } }))
}

#[cfg(unix)]
#[test]
fn every_file_is_found_and_the_nearest_wins() {
    let home = Home::new();
    for (file, host, key) in USER.into_iter().rev() {
        home.user(file, &saying(file, key, host));
        assert_eq!(told(&home, &["ls", "s"]), format!(",,{host} in site"));
    }
    let listed = home.run(&["servers"]).succeeded();
    let hosts = listed.text().lines().map(|line| line.split('\t').nth(1));
    assert!(hosts.eq(USER.map(|(_, host, _)| Some(host))));
    let others = USER.len() - 1;
    assert_eq!(listed.text().matches("(not used: ").count(), others);
    for (file, key, directory) in PROJECTS {
        home.allowed(file, &saying(file, key, file));
        let expected = format!(",,{file} in {directory}");
        assert_eq!(told(&home, &["ls", "s"]), expected);
    }
    // Claude Code stores this server for this project alone.
    let server = json!({ "command": "sh", "args": ["-c", TELL, "sh", "own"] });
    let project = home.path().join("projects/site").display().to_string();
    let own = json!({ "projects": { project: { "mcpServers": { "s": server } } } });
    home.user(".claude.json", &own.to_string());
    assert_eq!(told(&home, &["ls", "s"]), ",,own in site");
    // Only this file is searched.
    home.project("other.toml", &saying("other.toml", "mcp_servers", "other"));
    let words = ["ls", "s", "--config", "other.toml"];
    assert_eq!(told(&home, &words), ",,other in site");
}

#[cfg(unix)]
#[test]
fn variables_and_options_reach_the_process() {
    let home = Home::new();
    let env = json!({ "A": "${A_KEY}", "B": "${env:NOT_SET:-b}" });
    let server = json!({ "command": "${SHELL_NAME:-sh}", "args": ["-c", TELL, "sh", "${userHome}"], "env": env, "cwd": "below" });
    let servers = json!({ "mcpServers": { "s": server } }).to_string();
    home.allowed(".mcp.json", &servers);
    home.project("below/file", "");
    let path = home.path().to_str().unwrap().to_owned();
    home.run(&["ls", "s"]).failed(
        2,
        &format!(
            "error: the server s in {}/projects/site/.mcp.json: the variable A_KEY is not set: set it, or use --env A_KEY=VALUE\n",
            path
        ),
    );
    let expected = format!("1,b,{path} in below");
    assert_eq!(told(&home, &["ls", "s", "--env", "A_KEY=1"]), expected);
    assert_eq!(told(&home, &["ls", "s", "--env", "A=1"]), expected);
    let elsewhere = format!("1,2,{path} in projects");
    assert_eq!(
        told(
            &home,
            &["ls", "s", "--env", "A=1", "--env", "B=2", "--cwd", ".."]
        ),
        elsewhere
    );
    let direct = [
        "ls", "--env", "A=1", "--cwd", "..", "--", "sh", "-c", TELL, "sh", "x",
    ];
    assert_eq!(told(&home, &direct), "1,,x in projects");
    home.run(&["ls", "s", "--env", "A=1", "--header", "X: y"])
        .failed(
            2,
            "error: s: --header only works with servers reached over HTTP\n",
        );
}

#[cfg(unix)]
#[test]
fn a_file_of_variables_is_read() {
    let home = Home::new();
    let server = json!({ "command": "sh", "args": ["-c", TELL], "env": { "B": "own" }, "envFile": "${workspaceFolder}/.env" });
    let servers = json!({ "servers": { "s": server } }).to_string();
    home.allowed(".vscode/mcp.json", &servers);
    let missing = home.run(&["ls", "s"]);
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.ends_with("/.env: there is no such file\n"));
    home.project(".env", "# mine\nA=\"1 2\"\nB=file\n");
    assert_eq!(told(&home, &["ls", "s"]), "1 2,own, in site");
    home.project(".env", "A=1\nS3CRET\n");
    let broken = home.run(&["ls", "s"]);
    let expected = "/.env:2:1: expected NAME=VALUE\n";
    assert!(broken.stderr.ends_with(expected), "{}", broken.stderr);
}

/// A server that answers nothing, and passes on the headers that it receives.
pub(crate) fn heads() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (told, heads) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let lines = BufReader::new(stream.unwrap()).lines();
            let head = lines
                .map(Result::unwrap)
                .take_while(|line| !line.is_empty());
            let head: Vec<_> = head.collect();
            if told.send(head.join("\n").to_lowercase()).is_err() {
                return;
            }
        }
    });
    (url, heads)
}

#[test]
fn secrets_come_from_the_environment_or_a_file() {
    let (url, heads) = heads();
    let home = Home::new();
    home.project("headers", "# mine\r\nX-One: 1\r\n\nX-Two: two words\n");
    home.run(&[
        "ls",
        &url,
        "--header",
        "Authorization: Bearer ${HOME}",
        "--header",
        "@headers",
    ]);
    let head = heads.recv().unwrap();
    let path = home.path().to_str().unwrap().to_lowercase();
    for line in [
        &format!("authorization: bearer {path}"),
        "x-one: 1",
        "x-two: two words",
    ] {
        assert!(head.lines().any(|it| it == line), "{line}: {head}");
    }
    home.project("headers", "X-One: 1\nno secret\n");
    let refused = home.run(&["ls", &url, "--header", "@headers"]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.starts_with("error: headers: line 2: "),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains("secret"), "{}", refused.stderr);
    home.run(&["ls", &url, "--header", "X: ${NOT_SET}"])
        .failed(2, "error: --header X: the variable NOT_SET is not set\n");
    // The headers of a configured server, some of which are replaced.
    let (url, heads) = self::heads();
    let codex = format!(
        "[mcp_servers.s]\nurl = \"{url}\"\nbearer_token_env_var = \"TOKEN\"\nhttp_headers = {{ X-One = \"1\" }}\nenv_http_headers = {{ X-Two = \"TWO\" }}\n"
    );
    home.user(".codex/config.toml", &codex);
    home.run(&["ls", "s", "--env", "TOKEN=t", "--header", "x-two: 2"]);
    let head = heads.recv().unwrap();
    for line in ["authorization: bearer t", "x-one: 1", "x-two: 2"] {
        assert!(head.lines().any(|it| it == line), "{line}: {head}");
    }
    let asked = json!({ "servers": { "v": { "type": "http", "url": url, "headers": { "X": "${input:key}" } } } });
    home.allowed(".vscode/mcp.json", &asked.to_string());
    let refused = home.run(&["ls", "v"]);
    assert_eq!(refused.status, 2);
    assert!(
        refused
            .stderr
            .contains("only its host can ask for ${input:key}: "),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_is_not_found_or_broken_is_said() {
    let home = Home::new();
    let unknown = home.run(&["ls", "docs"]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown
            .stderr
            .contains("\"docs\" is neither the URL nor the name of a server: ")
    );
    assert!(
        !unknown.stderr.contains("configured servers are"),
        "{}",
        unknown.stderr
    );
    home.run(&["servers"]).failed(
        0,
        "warning: no servers are configured here: `plainly servers --help` lists the files that are \
         searched\n",
    );
    let servers = json!({ "mcpServers": {
        "docs": { "command": "/no/such", "disabled": true }, "web": { "url": "http://127.0.0.1:1/" }, "odd": {}
    } });
    home.allowed(".mcp.json", &servers.to_string());
    home.user(".cursor/mcp.json", "{\n  \"mcpServers\": {,\n");
    let unknown = home.run(&["ls", "dosc"]);
    let broken = format!("warning: {}/.cursor/mcp.json:2:18: ", home.path().display());
    assert!(unknown.stderr.starts_with(&broken), "{}", unknown.stderr);
    assert!(
        unknown
            .stderr
            .contains("of a server: did you mean docs? the configured servers are docs, odd, web"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn an_entry_that_is_disabled_or_wrong_is_named_with_its_file() {
    let home = Home::new();
    let servers = json!({ "mcpServers": {
        "docs": { "command": "/no/such", "disabled": true }, "web": { "url": "http://127.0.0.1:1/" }, "odd": {}
    } });
    home.allowed(".mcp.json", &servers.to_string());
    home.user(".cursor/mcp.json", "broken, and farther away");
    let disabled = home.run(&["ls", "docs"]);
    assert_eq!(disabled.status, 3);
    assert!(
        disabled.stderr.contains(".mcp.json: it is disabled\n"),
        "{}",
        disabled.stderr
    );
    assert!(!disabled.stderr.contains(".cursor"), "{}", disabled.stderr);
    let odd = home.run(&["ls", "odd"]);
    assert_eq!(odd.status, 2);
    assert!(
        odd.stderr
            .ends_with(".mcp.json: it has neither a command nor a URL\n"),
        "{}",
        odd.stderr
    );
    for (words, status, why) in [
        (
            &["servers", "--config", "none.json"][..],
            2,
            "error: none.json: there is no such file\n",
        ),
        (
            &["ls", "docs", "--config", "."],
            2,
            "error: .: it is not a file\n",
        ),
        (&["ls", "docs", "--cwd", "/"], 3, ""),
        (
            &["ls", "--cwd", "/no/such/directory", "--", "sh"],
            3,
            "error: cannot start \"sh\": no directory /no/such/directory to start it in\n help: \
             check the directory after --cwd\n",
        ),
        (
            &["ls", "web", "--cwd", "/"],
            2,
            "error: web: --cwd only works with servers that are started\n",
        ),
    ] {
        let run = home.run(words);
        assert_eq!(run.status, status, "{words:?}: {}", run.stderr);
        assert!(run.stderr.ends_with(why), "{words:?}: {}", run.stderr);
    }
    home.project("broken.toml", "[mcp_servers.a]\ncommand = \n");
    let broken = home.run(&["ls", "a", "--config", "broken.toml"]);
    assert_eq!(broken.status, 2);
    assert!(
        broken.stderr.starts_with("error: broken.toml:2:11: "),
        "{}",
        broken.stderr
    );
}

#[test]
fn a_listing_has_no_secrets() {
    let home = Home::new();
    let servers = json!({ "mcpServers": {
        "a": { "command": "npx", "args": ["-y", "server", "--api-key", "S3CRET"], "env": { "KEY": "S3CRET" } },
        "b": { "url": "https://me:S3CRET@h.example/mcp?key=S3CRET", "headers": { "Authorization": "Bearer S3CRET" } },
        "c\u{1b}[31m": { "command": "x", "disabled": true },
    } });
    home.allowed(".mcp.json", &servers.to_string());
    home.user(".cursor/mcp.json", &servers.to_string());
    let text = home.run(&["servers"]).succeeded();
    let json = home.run(&["servers", "--json"]).succeeded();
    for output in [text.text(), json.text()] {
        assert!(
            !output.contains("S3CRET") && !output.contains('\u{1b}'),
            "{output}"
        );
    }
    let path = home.path().display().to_string();
    let line = format!("a\tclaude\t{path}/projects/site/.mcp.json\tnpx -y server --api-key ***\n");
    assert!(text.text().starts_with(&line), "{}", text.text());
    assert!(text.text().contains("\tx (disabled)\n"), "{}", text.text());
    assert_eq!(text.text().matches(" (the same again)\n").count(), 3);
    let first: Value = json.json_lines().remove(1);
    let expected = json!({
        "name": "b", "host": "claude", "file": format!("{path}/projects/site/.mcp.json"),
        "server": "https://***@h.example/mcp?key=***", "given": ["Authorization"],
        "disabled": false, "allowed": true, "wrong": null, "hiddenBy": null, "differs": false,
    });
    assert_eq!(first, expected);
}

#[cfg(unix)]
#[test]
fn a_file_of_a_project_is_allowed_once_as_it_is() {
    let home = Home::new();
    let of_project = saying(".mcp.json", "mcpServers", "project");
    let path = home.project(".mcp.json", &of_project);
    let path = path.display();
    let own = home.user(".claude.json", &saying(".claude.json", "mcpServers", "own"));
    let hides = format!(
        "warning: s of {path} hides your own, of {}\n",
        own.display()
    );
    let refused = format!(
        "{hides}error: you have not allowed the file {path} of this project, where s starts: sh -c '{TELL}' sh project\n \
         help: look at the file, then run: plainly servers --allow {path}\n"
    );
    home.run(&["ls", "s"]).failed(2, &refused);
    // A command with JSON output asks no questions.
    let error = home.run(&["ls", "s", "--json"]);
    assert_eq!(error.status, 2);
    let listed = home.run(&["servers"]).succeeded();
    assert!(
        listed.text().contains(" project (not allowed yet)\n"),
        "{}",
        listed.text()
    );
    // The user knows a file that the command line names.
    assert_eq!(
        told(&home, &["ls", "s", "--config", ".mcp.json"]),
        ",,project in site"
    );
    let allowed = home.run(&["servers", "--allow", ".mcp.json"]).succeeded();
    assert!(allowed.text().ends_with(" project\n"), "{}", allowed.text());
    assert_eq!(told(&home, &["ls", "s"]), ",,project in site");
    let said = home.run(&["ls", "s"]).stderr;
    assert!(said.starts_with(&hides), "{said}");
    home.project(".mcp.json", &format!("{of_project} "));
    home.run(&["ls", "s"]).failed(2, &refused);
    // The user at a terminal is asked.
    for (answer, status) in [("", 2), ("no", 2), ("y", 3)] {
        let mut person = Person::start(home.command(&["ls", "s"]));
        let question = "Allow this file until it changes? [y/N] ";
        person.sees(" sh project\n").sees(question).types(answer);
        assert_eq!(person.wait().0, status, "{answer}: {}", person.seen);
    }
    assert_eq!(told(&home, &["ls", "s"]), ",,project in site");
}

#[test]
fn all_servers_are_checked_at_once() {
    let home = Home::new();
    let servers = json!({ "mcpServers": {
        "box": { "command": toolbox() },
        "gone": { "url": "http://127.0.0.1:1/mcp" },
        "off": { "command": "/no/such", "disabled": true },
        "odd": {},
    } });
    home.user(".cursor/mcp.json", &servers.to_string());
    home.project(
        ".mcp.json",
        r#"{"mcpServers": {"other": {"command": "/no/such"}}}"#,
    );
    let checked = home.run(&["servers", "--check"]);
    assert_eq!(checked.status, 3, "{}", checked.stderr);
    let expected = "error: 3 of 5 servers can't be reached\n";
    assert!(checked.stderr.ends_with(expected), "{}", checked.stderr);
    let rows: Vec<Vec<_>> = checked
        .text()
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let row = |name: &str| {
        let row = rows.iter().find(|row| row[0] == name).unwrap();
        (row[1], row[2], row[3])
    };
    let online = (
        "online",
        "2",
        concat!("toolbox ", env!("CARGO_PKG_VERSION")),
    );
    assert_eq!(row("box"), online);
    assert_eq!(row("off"), ("disabled", "-", ""));
    assert_eq!(row("other").0, "not allowed");
    assert_eq!((row("odd").0, row("gone").0), ("offline", "offline"));
    assert!(row("gone").2.contains("Connection refused"), "{rows:?}");
    let one = home.project(
        "one.json",
        &json!({ "mcpServers": { "box": { "command": toolbox() } } }).to_string(),
    );
    let checked = home
        .run(&[
            "servers",
            "--check",
            "--json",
            "--config",
            one.to_str().unwrap(),
        ])
        .succeeded();
    assert_eq!(checked.json()["tools"], 2);
}
