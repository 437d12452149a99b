//! Tests servers in the files of hosts: adding, replacing and removing them without other changes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::home::Home;
use crate::support::{Docs, PLAINLY, toolbox};

const COMMENTED: &str = "// mine\n{\n\t\"theme\": \"dark\", // at night\n\t\"mcpServers\": {\n\t\t\"o\": { \"command\": \"x\" },\n\t\t// the last\n\t},\n}";

/// The table of hosts in the documentation.
const GUIDE: &str = include_str!("../../../../docs/hosts/README.md");

/// Each host with its file for a user, and the one for a project.
const HOSTS: [(&str, &str, Option<&str>); 8] = [
    ("claude", ".claude.json", Some(".mcp.json")),
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        None,
    ),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        Some(".vscode/mcp.json"),
    ),
    ("cursor", ".cursor/mcp.json", Some(".cursor/mcp.json")),
    ("codex", ".codex/config.toml", Some(".codex/config.toml")),
    (
        "zed",
        ".config/zed/settings.json",
        Some(".zed/settings.json"),
    ),
    ("windsurf", ".codeium/windsurf/mcp_config.json", None),
    (
        "gemini",
        ".gemini/settings.json",
        Some(".gemini/settings.json"),
    ),
];

#[test]
fn what_is_installed_can_be_used_by_its_name() {
    let program = toolbox();
    let program = program.to_str().unwrap();
    for (host, user, project) in HOSTS {
        assert!(GUIDE.contains(&format!("| `{host}` |")), "{host}");
        let home = Home::new();
        let path = home.path().join(user);
        let told = home
            .run(&["install", host, "box", "--env", "A=1", "--", program])
            .succeeded();
        assert_eq!(told.text(), format!("changed {}: box\n", path.display()));
        let called = home.run(&["call", "box", "greet", "name=Ada"]).succeeded();
        assert_eq!(called.text(), "Hello, Ada!\n", "{host}");
        let words = ["install", host, "box", "--env", "A=1", "--", program];
        let again = home.run(&words).succeeded();
        assert_eq!(again.text(), format!("unchanged {}: box\n", path.display()));
        let other = home.run(&["install", host, "box", "--", program]);
        other.failed(
            2,
            &format!(
                "error: {} has another server box already: --force replaces it\n",
                path.display()
            ),
        );
        home.run(&[
            "install",
            host,
            "box",
            "http://127.0.0.1:1/",
            "--header",
            "X: y",
            "--force",
        ])
        .succeeded();
        let listed = home.run(&["servers"]).succeeded();
        let is_passed_on = host == "claude-desktop";
        let server = if is_passed_on {
            "npx -y mcp-remote http://127.0.0.1:1/ --header ***"
        } else {
            "http://127.0.0.1:1/"
        };
        let line = format!("box\t{host}\t{}\t{server}\n", path.display());
        assert_eq!(listed.text(), line);
        home.run(&["uninstall", host, "box"]).succeeded();
        let missing = format!("error: {} has no server box\n", path.display());
        home.run(&["uninstall", host, "box"]).failed(2, &missing);
        let of_project = home.run(&["install", host, "box", "--project", "--", program]);
        match project {
            Some(file) => {
                let path = home.path().join("projects/site").join(file);
                assert_eq!(
                    of_project.succeeded().text(),
                    format!("changed {}: box\n", path.display())
                );
                home.run(&["call", "box", "greet", "name=Ada"]).succeeded();
            }
            None => drop(of_project.failed(2, "error: this host has no file for a project\n")),
        }
    }
}

#[test]
fn a_file_is_as_it_was_but_for_the_entry() {
    let home = Home::new();
    let path = home.user("kept/mcp.json", COMMENTED);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let link = home.path().join(".cursor/mcp.json");
    fs::create_dir(link.parent().unwrap()).unwrap();
    symlink("../kept/mcp.json", &link).unwrap();
    let words = ["install", "cursor", "--", "npx", "-y", "@a/server-x@2"];
    let dry = home
        .run(&[&words[..2], &["--dry-run"], &words[2..]].concat())
        .succeeded();
    let change = "  \t\"theme\": \"dark\", // at night\n  \t\"mcpServers\": {\n  \t\t\"o\": { \"command\": \"x\" },\n\
        + \t\t\"server-x\": {\n+ \t\t\t\"command\": \"npx\",\n+ \t\t\t\"args\": [\"-y\", \"@a/server-x@2\"],\n+ \t\t},\n  \
        \t\t// the last\n  \t},\n  }\n";
    let expected = format!("{} would change:\n{change}", link.display());
    assert_eq!(dry.text(), expected);
    assert_eq!(fs::read_to_string(&path).unwrap(), COMMENTED);
    let told = home.run(&words).succeeded();
    let backup = home.path().join("kept/mcp.json.plainly-backup");
    let expected = format!(
        "changed {}: server-x\nsaved the previous version in {}\n",
        link.display(),
        backup.display()
    );
    assert_eq!(told.text(), expected);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let changed = fs::read_to_string(&path).unwrap();
    for part in COMMENTED.split("\t\t// the last") {
        assert!(changed.contains(part), "{changed}");
    }
    for path in [&path, &backup] {
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o640
        );
    }
    assert_eq!(fs::read_to_string(&backup).unwrap(), COMMENTED);
    home.run(&["uninstall", "cursor", "server-x"]).succeeded();
    assert_eq!(fs::read_to_string(&path).unwrap(), COMMENTED);
    // The first contents are kept for good, and the last contents beside them.
    let last = fs::read_to_string(home.path().join("kept/mcp.json.plainly-backup-last"));
    assert_eq!(last.unwrap(), changed);
    assert_eq!(fs::read_to_string(&backup).unwrap(), COMMENTED);
    home.run(&words).succeeded();
    home.run(&["install", "cursor", "other", "--", "x"])
        .succeeded();
    assert_eq!(fs::read_to_string(&backup).unwrap(), COMMENTED);
    let files = fs::read_dir(home.path().join("kept")).unwrap();
    assert_eq!(files.count(), 3);
}

#[test]
fn a_backup_is_not_written_through_a_link() {
    let home = Home::new();
    let path = home.project(".mcp.json", "{}");
    let elsewhere = home.user("elsewhere", "mine");
    let backup = path.with_file_name(".mcp.json.plainly-backup");
    symlink(&elsewhere, &backup).unwrap();
    home.run(&["install", "claude", "--project", "--", "x"])
        .succeeded();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
    assert_eq!(fs::read_link(&backup).unwrap(), elsewhere);
    let backup = path.with_file_name(".mcp.json.plainly-backup-last");
    assert_eq!(fs::read_to_string(&backup).unwrap(), "{}");
}

#[test]
fn no_install_undoes_another() {
    let home = Home::new();
    let installs = (0..12).map(|number| {
        let mut command = home.command(&["install", "cursor", &format!("s{number}"), "--", "x"]);
        command.stdout(Stdio::null()).spawn().unwrap()
    });
    for mut install in installs.collect::<Vec<_>>() {
        assert!(install.wait().unwrap().success());
    }
    let text = fs::read_to_string(home.path().join(".cursor/mcp.json")).unwrap();
    let servers: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        servers["mcpServers"].as_object().unwrap().len(),
        12,
        "{text}"
    );
}

#[test]
fn a_change_of_a_project_stays_in_it() {
    for is_directory in [false, true] {
        let home = Home::new();
        let victim = home.user("victim/mcp.json", "{}");
        let link = home.path().join("projects/site/.cursor");
        if is_directory {
            symlink("../../victim", &link).unwrap();
        } else {
            fs::create_dir(&link).unwrap();
            symlink("../../../victim/mcp.json", link.join("mcp.json")).unwrap();
        }
        let refused = home.run(&["install", "cursor", "--project", "--", "x"]);
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        let why = format!(
            "is a link out of the project {0}/projects/site, to {0}/victim/mcp.json",
            home.path().display()
        );
        assert!(refused.stderr.contains(&why), "{}", refused.stderr);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "{}");
        assert_eq!(fs::read_dir(victim.parent().unwrap()).unwrap().count(), 1);
    }
}

#[test]
fn what_is_installed_in_a_project_is_allowed_unless_others_are_there() {
    let home = Home::new();
    let program = toolbox();
    let install = [
        "install",
        "claude",
        "box",
        "--project",
        "--",
        program.to_str().unwrap(),
    ];
    home.project(".mcp.json", "{}");
    home.run(&install).succeeded();
    home.run(&["discover", "box"]).succeeded();
    home.project(
        ".mcp.json",
        r#"{"mcpServers": {"other": {"command": "x"}}}"#,
    );
    home.run(&install).succeeded();
    let refused = home.run(&["discover", "box"]);
    assert!(
        refused.stderr.starts_with("error: you have not allowed "),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_change_is_printed_without_secrets_and_only_if_asked_for() {
    let home = Home::new();
    let neighbours = json!({ "mcpServers": {
        "a": { "command": "x", "args": ["--pat", "S3CRET-1", "plain"], "env": { "MY_KEY": "S3CRET-2", "A": "1" } },
        "b": { "url": "https://h/?key=S3CRET-3", "headers": { "X-Own": "S3CRET-4" } },
    } });
    let text = format!("{neighbours:#}");
    let own = ["API_KEY=S3CRET-5", "TOKEN=S3\"CRET-6", "PASSWORD=z9"];
    let own = own.map(|variable| ["--env", variable]).concat();
    for (host, file) in [
        ("cursor", ".cursor/mcp.json"),
        ("codex", ".codex/config.toml"),
    ] {
        if host == "cursor" {
            home.user(file, &text);
        }
        for format in [&[][..], &["--json"]] {
            let words = [
                &["install", host, "c", "--dry-run"][..],
                format,
                &own,
                &["--", "y"],
            ];
            let dry = home.run(&words.concat()).succeeded();
            for secret in ["S3CRET", "CRET-6", "z9"] {
                assert!(!dry.text().contains(secret), "{}", dry.text());
            }
            assert!(dry.text().contains("API_KEY"), "{}", dry.text());
            assert!(dry.text().contains("***"), "{}", dry.text());
        }
        let words = [&["install", host, "c", "--json"], &own[..], &["--", "y"]];
        let told = home.run(&words.concat()).succeeded();
        assert_eq!(told.json_lines()[0].get("change"), None);
        let uninstall = ["uninstall", host, "a", "--dry-run"];
        if host == "cursor" {
            let dry = home.run(&uninstall).succeeded();
            assert!(dry.text().contains("\"plain\""), "{}", dry.text());
            assert!(!dry.text().contains("S3CRET"), "{}", dry.text());
        } else {
            let about = fs::metadata(home.path().join(file)).unwrap();
            assert_eq!(about.permissions().mode() & 0o777, 0o600);
        }
    }
}

#[test]
fn what_is_not_in_the_file_may_be_elsewhere() {
    let home = Home::new();
    let site = home.path().join("projects/site");
    let servers = json!({ "mcpServers": { "mine": { "command": "x" } } });
    let all = json!({ "projects": { site.to_str().unwrap(): servers } });
    let own = home.user(".claude.json", &all.to_string());
    let shared = json!({ "mcpServers": { "ours": { "command": "x" } } });
    let shared = home.project(".mcp.json", &shared.to_string());
    let (own, shared, site) = (own.display(), shared.display(), site.display());
    for (words, expected) in [
        (
            &["mine"][..],
            format!(
                "{own} has no server mine but for the project {site}: in {site}, run claude mcp remove --scope local mine"
            ),
        ),
        (
            &["ours"],
            format!("{own} has no server ours, but {shared} has: use --project in {site}"),
        ),
    ] {
        let words = [&["uninstall", "claude"], words].concat();
        home.run(&words).failed(2, &format!("error: {expected}\n"));
    }
}

#[test]
fn directories_are_served_by_plainly() {
    let home = Home::new();
    let docs = Docs::new();
    let told = home
        .run(&["install", "zed", docs.str(), "--json"])
        .succeeded()
        .json();
    assert_eq!(told["name"], json!("docs"));
    let listed = home.run(&["ls", "docs"]).succeeded();
    assert!(
        listed.text().contains("file:///docs/intro.md\n"),
        "{}",
        listed.text()
    );
    let own = [
        "install",
        "cursor",
        "own",
        "--",
        "plainly",
        "serve",
        docs.str(),
    ];
    home.run(&own).succeeded();
    let own = started(&home.path().join(".cursor/mcp.json"), "mcpServers", "own");
    assert_eq!(own, [PLAINLY, "serve", docs.str()]);
    let missing = home.run(&["install", "zed", "/no/such"]);
    assert_eq!(missing.status, 2, "{}", missing.stderr);
    assert!(!Path::new(&home.path().join(".config/zed/settings.json.plainly-backup")).exists());
    let skills = home
        .run(&["install", "zed", "--skills", docs.str(), "--json"])
        .succeeded()
        .json();
    assert_eq!(
        skills["name"],
        json!("skills"),
        "without a directory beside"
    );
}

#[test]
fn what_cannot_be_installed_is_refused_and_nothing_changes() {
    let home = Home::new();
    let path = home.user(".cursor/mcp.json", "{\n  \"mcpServers\": {,\n");
    for (words, status, why) in [
        (
            &["install", "cursor", "a", "--", "x"][..],
            1,
            "was not changed: ",
        ),
        (&["uninstall", "cursor", "a"], 1, "was not changed: "),
        (&["install", "zed"], 2, "the server is missing: "),
        (&["install", "zed", "http://h/"], 2, "<NAME> is missing"),
        (
            &["install", "zed", "a", "b", "--", "x"],
            2,
            "a name and a URL, a command after --",
        ),
        (
            &["install", "zed", "a", "http://h/", "--env", "A=b"],
            2,
            "--env A only works with a command",
        ),
        (
            &["install", "zed", "a", "--header", "X: y", "--", "x"],
            2,
            "--header X only works with a URL",
        ),
        (
            &["install", "zed", "a", "http://h/", "--header", "@f"],
            2,
            "no host reads headers from a file",
        ),
        (
            &["install", "emacs", "a", "http://h/"],
            2,
            "[possible values: claude",
        ),
    ] {
        let run = home.run(words);
        assert_eq!(run.status, status, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(why), "{words:?}: {}", run.stderr);
    }
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    assert!(!home.path().join(".config").exists());
}

#[test]
fn variables_are_written_as_the_host_spells_them() {
    let home = Home::new();
    let url = "https://notes.example.com/mcp";
    for (host, file, headers, expected) in [
        (
            "cursor",
            ".cursor/mcp.json",
            &["Authorization: Bearer ${TOKEN}"][..],
            &[r#""Authorization": "Bearer ${env:TOKEN}""#][..],
        ),
        (
            "claude",
            ".claude.json",
            &["X-Own: ${env:KEY}"],
            &[r#""X-Own": "${KEY}""#],
        ),
        (
            "codex",
            ".codex/config.toml",
            &[
                "Authorization: Bearer ${TOKEN}",
                "X-Own: ${KEY}",
                "X-Two: 2",
            ],
            &[
                r#"bearer_token_env_var = "TOKEN""#,
                r#"env_http_headers = { X-Own = "KEY" }"#,
                r#"http_headers = { X-Two = "2" }"#,
            ],
        ),
    ] {
        let headers = headers.iter().flat_map(|header| ["--header", header]);
        let words: Vec<_> = ["install", host, "notes", url]
            .into_iter()
            .chain(headers)
            .collect();
        home.run(&words).succeeded();
        let text = fs::read_to_string(home.path().join(file)).unwrap();
        for line in expected {
            assert!(text.contains(line), "{host}: {text}");
        }
    }
    let passed = "install codex s --env KEY=${KEY} --env A=1 -- x";
    let passed: Vec<_> = passed.split(' ').collect();
    home.run(&passed).succeeded();
    let text = fs::read_to_string(home.path().join(".codex/config.toml")).unwrap();
    assert!(
        text.contains("env = { A = \"1\" }\nenv_vars = [\"KEY\"]\n"),
        "{text}"
    );
}

#[test]
fn a_variable_that_a_host_can_not_have_is_refused() {
    let home = Home::new();
    let url = "https://notes.example.com/mcp";
    for (host, header, why) in [
        (
            "zed",
            "X: ${KEY}",
            "--header X: this host replaces no variables: give the value of KEY itself",
        ),
        (
            "codex",
            "X: a ${KEY}",
            "--header X: this host accepts a variable only as a whole: ",
        ),
        (
            "vscode",
            "X: ${KEY:-a}",
            "--header X: this host supports no defaults of variables: use ${KEY}",
        ),
    ] {
        let refused = home.run(&["install", host, "notes", url, "--header", header]);
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
}

/// The command and the arguments of the server in this file.
fn started(file: &Path, key: &str, name: &str) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let root: Value = serde_json::from_str(&text).unwrap();
    let entry = &root[key][name];
    let words = [&entry["command"]]
        .into_iter()
        .chain(entry["args"].as_array().unwrap());
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn paths_lead_to_the_same_files_from_everywhere() {
    let home = Home::new();
    for file in ["x/server.js", "main.py", "docs/a.md", "serve/a.md"] {
        home.project(file, "");
    }
    let site = home.path().join("projects/site").display().to_string();
    for (words, expected) in [
        (
            "node ./x/server.js x/none.js",
            "node SITE/x/server.js x/none.js",
        ),
        ("python main.py -v", "python SITE/main.py -v"),
        (
            "./x/server.js --root=./docs .",
            "SITE/x/server.js --root=SITE/docs SITE",
        ),
    ] {
        let line = format!("install cursor s --force -- {words}");
        home.run(&line.split(' ').collect::<Vec<_>>()).succeeded();
        let file = home.path().join(".cursor/mcp.json");
        let words = started(&file, "mcpServers", "s").join(" ");
        assert_eq!(words, expected.replace("SITE", &site));
    }
    for (words, root) in [
        ("s -- x", format!("{site}/docs")),
        ("./docs", format!("{site}/docs")),
        ("s --project --portable -- x", "./docs".to_owned()),
    ] {
        let line = format!("install cursor --force --env ROOT=./docs --env N=1 {words}");
        home.run(&line.split(' ').collect::<Vec<_>>()).succeeded();
        let folder = match words.contains("--project") {
            true => site.clone().into(),
            false => home.path().to_owned(),
        };
        let file = fs::read_to_string(folder.join(".cursor/mcp.json")).unwrap();
        let file: Value = serde_json::from_str(&file).unwrap();
        let name = words.split(' ').next().unwrap().trim_start_matches("./");
        let expected = json!({ "ROOT": root, "N": "1" });
        assert_eq!(file["mcpServers"][name]["env"], expected, "{words}");
    }
    let unclear = home.run(&["install", "zed", "s", "--", "plainly", "serve", "docs"]);
    let warning = "warning: serve is a directory here, and the host starts the server elsewhere: write ./serve for the directory\n";
    assert_eq!((unclear.status, unclear.stderr.as_str()), (0, warning));
}

#[test]
fn a_project_can_be_shared() {
    let home = Home::new();
    let site = home.path().join("projects/site");
    home.project("docs/a.md", "");
    home.user("projects/other/a.md", "");
    for (host, file, key, docs) in [
        (
            "vscode",
            ".vscode/mcp.json",
            "servers",
            "${workspaceFolder}/docs",
        ),
        ("claude", ".mcp.json", "mcpServers", "./docs"),
    ] {
        home.run(&[
            "install",
            host,
            "docs",
            "--project",
            "--portable",
            "--hidden",
        ])
        .succeeded();
        let expected = ["plainly", "serve", docs, "--stdio", "--hidden"];
        assert_eq!(started(&site.join(file), key, "docs"), expected);
    }
    let shared = ["--project", "--portable", "--"];
    home.run(
        &[
            &["install", "claude", "s"],
            &shared[..],
            &["node", "docs/a.md"],
        ]
        .concat(),
    )
    .succeeded();
    assert_eq!(
        started(&site.join(".mcp.json"), "mcpServers", "s"),
        ["node", "./docs/a.md"]
    );
    let outside = home.run(&["install", "claude", "../other", "--project", "--portable"]);
    assert_eq!(outside.status, 2);
    assert!(
        outside.stderr.contains("/projects/other is not in "),
        "{}",
        outside.stderr
    );
    let own = home.run(&["install", "claude", "docs", "--portable"]);
    assert_eq!(own.status, 2, "{}", own.stderr);
    let url = home.run(&["install", "claude", "a", "http://h/", "--hidden"]);
    assert!(
        url.stderr.contains("--hidden only works with directories"),
        "{}",
        url.stderr
    );
}
