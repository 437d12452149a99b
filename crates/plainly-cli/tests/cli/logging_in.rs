//! Tests logins: the ways to log in, the stored data, and commands that need a login.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::asking::browser;
use crate::authorizing::server as refusing;
use crate::home::Home;
use crate::person::Person;
use crate::protected::{MARK, Protected, agree, parameter};
use crate::support::{PATIENCE, Run, appears, get, of, plainly};

/// The binary for the user of this home, whose browser writes the URL to a file.
fn command(home: &Home, words: &[&str]) -> Command {
    let mut command = plainly();
    command
        .args(words)
        .env("HOME", home.path())
        .env("BROWSER", browser(home.path()))
        .env("OPENED", opened(home))
        .env_remove("CI")
        .current_dir(home.path());
    command
}

fn run(home: &Home, words: &[&str]) -> Run {
    of(command(home, words))
}

fn opened(home: &Home) -> PathBuf {
    home.path().join("opened")
}

fn credentials(home: &Home) -> PathBuf {
    home.path().join(".local/state/plainly/credentials.json")
}

/// The URL that the browser was started with, after it was.
fn page(home: &Home) -> String {
    appears(&opened(home));
    let text = fs::read_to_string(opened(home)).unwrap();
    fs::remove_file(opened(home)).unwrap();
    text.lines().nth(1).unwrap().to_owned()
}

/// A private key for these tests only.
const KEY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../plainly-oauth/tests/keys/p256.pem"
);

/// A user who logs in with a browser that is redirected back.
fn log_in(home: &Home, server: &Protected) -> (i32, String, String) {
    let mut person = Person::start(command(home, &["login", &server.url]));
    person.sees("requires a login: ");
    let (head, _) = get(&agree(&page(home)));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    person.ends()
}

/// A user who has logged in.
fn logged_in(server: &Protected) -> Home {
    let home = Home::new();
    let (status, _, seen) = log_in(&home, server);
    assert_eq!(status, 0, "{seen}");
    home
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_login_is_kept_for_every_command_until_it_is_ended() {
    let (server, home) = (Protected::new(), Home::new());
    let (status, printed, seen) = log_in(&home, &server);
    let (url, issuer) = (&server.url, &server.issuer);
    let said = format!(
        "{url} requires a login: opening {issuer} in your browser, for the scope mcp:read\n\n  \
         {issuer}"
    );
    assert!(seen.contains(&said), "{seen}");
    assert!(seen.contains("use --no-browser"), "{seen}");
    assert_eq!(status, 0, "{seen}");
    let place = credentials(&home);
    let expected = format!(
        "You are logged in.\nserver        {url}\nissuer        {issuer}\nscope         mcp:read\n\
         ends          in 60 minutes, and is renewed\nkept in       '{}'\n",
        place.display()
    );
    assert_eq!(printed.replace("59 minutes", "60 minutes"), expected);
    assert_eq!(mode(&place), 0o600);

    run(&home, &["tools", url]).succeeded();
    let again = run(&home, &["login", url, "--no-browser"]).succeeded();
    let already = "You are logged in already; --force logs in again.\n";
    assert!(again.text().starts_with(already), "{}", again.text());
    assert_eq!(server.sent("/authorize").len(), 1);
    assert_eq!(server.sent("/register").len(), 1);

    let listed = run(&home, &["logins", "--json"]).succeeded().json();
    assert_eq!(listed["server"], **url);
    assert_eq!(listed["issuer"], **issuer);
    assert_eq!(listed["scope"], serde_json::json!(["mcp:read"]));
    assert_eq!(listed["isRenewable"], true);
    let table = run(&home, &["logins"]).succeeded();
    assert!(
        table
            .text()
            .starts_with(&format!("{url}\t{issuer}\t-\tmcp:read\tin "))
    );

    let ended = run(&home, &["logout", url]).succeeded();
    let said = format!("{url}: logged out: the tokens are revoked.\n");
    assert_eq!(ended.text(), said);
    let revoked = server.sent("/revoke");
    let tokens: Vec<_> = revoked
        .iter()
        .map(|it| parameter(it, "token").unwrap())
        .collect();
    assert_eq!(
        tokens,
        [format!("{MARK}-refresh-1"), format!("{MARK}-access-1")]
    );
    assert_eq!(run(&home, &["tools", url]).status, 7);
    let ended = run(&home, &["logout", url]).succeeded();
    assert_eq!(ended.text(), format!("{url}: you were not logged in.\n"));
    let none = run(&home, &["logins"]);
    assert_eq!(
        none.stderr,
        "warning: there are no logins: start one with `plainly login URL`\n"
    );
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_login_that_ends_is_renewed_and_one_that_can_not_be_is_wanted_again() {
    let server = Protected::new();
    server.state().lifetime = 1;
    let home = logged_in(&server);
    let grants = |server: &Protected| -> Vec<_> {
        let sent = server.sent("/token");
        let grants = sent.iter().map(|it| parameter(it, "grant_type").unwrap());
        grants.collect()
    };
    let start = Instant::now();
    while grants(&server).len() < 2 {
        assert!(start.elapsed() < PATIENCE, "it does not end");
        run(&home, &["tools", &server.url]).succeeded();
    }
    assert_eq!(grants(&server)[1], "refresh_token");
    // Simulates another client that has used the refresh token.
    server.state().given += 1;
    let refused = run(&home, &["tools", &server.url]);
    assert_eq!(refused.status, 7, "{}", refused.stderr);
    let help = format!("log in with `plainly login {}`", server.url);
    assert!(refused.stderr.contains(&help), "{}", refused.stderr);
}

/// The old refresh token is spent, so the new one must not be lost.
#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_renewal_is_finished_even_if_its_command_is_stopped() {
    let server = Protected::new();
    let home = logged_in(&server);
    let file = credentials(&home);
    let mut kept: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    kept["grants"][0]["renew_at"] = 1.into();
    fs::write(&file, kept.to_string()).unwrap();
    server.state().is_held = true;
    let mut person = Person::start(command(&home, &["tools", &server.url]));
    let start = Instant::now();
    while server.sent("/token").len() < 2 {
        assert!(start.elapsed() < PATIENCE, "it is not renewed");
        thread::sleep(Duration::from_millis(10));
    }
    person
        .interrupts()
        .sees("waiting for the login to be renewed");
    server.state().is_held = false;
    assert_eq!(person.wait().0, 130);
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.contains(&format!("{MARK}-refresh-2")), "{kept}");
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn one_logs_in_again_where_only_some_requests_say_where() {
    let (server, home) = (Protected::new(), Home::new());
    let url = &*server.url;
    server.state().is_lazy = true;
    let login = run(&home, &["login", url, "--device"]).succeeded();
    let said =
        format!("{url} lets clients in without a login, and names no authorization server.\n");
    assert_eq!(login.text(), said);
    for options in [&["--force"][..], &["--scope", "mcp:write"]] {
        let refused = run(&home, &[&["login", url, "--device"], options].concat());
        assert_eq!(refused.status, 7, "{options:?}: {}", refused.stderr);
        let said = "names no authorization server";
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    let mut person = Person::start(command(&home, &["tools", url]));
    person.sees("requires a login: ");
    get(&agree(&page(&home)));
    assert_eq!(person.ends().0, 0);
    for options in [&["--scope", "mcp:read mcp:write"][..], &["--force"]] {
        let words = [&["login", url, "--json", "--no-browser"], options].concat();
        let mut program = Program::start(command(&home, &words));
        let page = program.next("page");
        let asked = serde_json::json!(["mcp:read", "mcp:write"]);
        assert_eq!(page["scope"], asked, "{options:?}");
        get(&agree(page["url"].as_str().unwrap()));
        assert_eq!(program.next("login")["isNew"], true, "{options:?}");
        assert!(program.child.wait().unwrap().success());
    }
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_command_on_a_terminal_has_its_user_log_in() {
    let (server, home) = (Protected::new(), Home::new());
    let mut person = Person::start(command(&home, &["tools", &server.url]));
    person.sees("requires a login: opening ").sees("mcp:read\n");
    get(&agree(&page(&home)));
    let (status, printed, seen) = person.ends();
    assert_eq!((status, printed.as_str()), (0, "echo\t-\n"), "{seen}");
    run(&home, &["tools", &server.url]).succeeded();
}

#[test]
fn nobody_is_asked_where_nobody_expects_it() {
    let (server, home) = (Protected::new(), Home::new());
    let url = &server.url;
    let told = format!(
        "error: {url} requires a login with the scope \"mcp:read\", and there is no user to ask\n \
         help: log in with `plainly login {url}`, or give a token: --bearer @FILE, or --bearer env:NAME\n"
    );
    run(&home, &["tools", url]).failed(7, &told);
    let mut in_ci = command(&home, &["tools", url]);
    in_ci.env("CI", "true");
    for command in [in_ci, command(&home, &["tools", url, "--no-login"])] {
        let (status, printed, seen) = Person::start(command).ends();
        assert_eq!((status, printed.as_str(), seen), (7, "", told.clone()));
    }
    let (status, _, seen) = Person::start(command(&home, &["tools", url, "--json"])).ends();
    let error: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(
        (status, &error["error"]["kind"]),
        (7, &"unauthorized".into())
    );
    assert_eq!(error["error"]["authorization"]["kind"], "login-required");
    assert_eq!(
        error["error"]["help"],
        format!(
            "log in with `plainly login {url}`, or give a token: --bearer @FILE, or --bearer env:NAME"
        )
    );
    let login = run(&home, &["login", url]);
    assert_eq!(login.status, 7);
    assert!(login.stderr.contains("--no-browser"), "{}", login.stderr);
    assert_eq!(server.sent("/register"), [""; 0]);
    assert!(!opened(&home).exists());
}

#[test]
fn the_address_where_a_browser_ends_elsewhere_is_pasted() {
    let (server, home) = (Protected::new(), Home::new());
    let mut person = Person::start(command(&home, &["login", &server.url, "--no-browser"]));
    person.sees("Open this page in a browser").sees("Address: ");
    let mut lines = person.seen.lines();
    let page = lines.find_map(|line| line.strip_prefix("  http://"));
    let address = agree(&format!("http://{}", page.unwrap()));
    assert!(address.contains(MARK));
    let elsewhere = address.replace("/callback", "/elsewhere");
    person.types(&elsewhere);
    person
        .sees("\nInvalid address: this is not the address that the browser was redirected to.\nAddress: ")
        .types(&address);
    let (status, printed) = person.wait();
    let seen = person.seen;
    assert_eq!(status, 0, "{seen}");
    for shown in [&seen, &printed] {
        assert!(!shown.contains(MARK) && !shown.contains("code="), "{shown}");
        assert!(!shown.contains("elsewhere"), "{shown}");
    }
    assert!(printed.starts_with("You are logged in.\n"), "{printed}");
    assert!(!opened(&home).exists());
    run(&home, &["tools", &server.url]).succeeded();
}

#[test]
fn an_account_is_named_if_the_authorization_server_says_it() {
    let (server, home) = (Protected::new(), Home::new());
    let (url, issuer) = (&server.url, &server.issuer);
    server.state().account = Some("ada@example.com");
    let login = run(&home, &["login", url, "--device"]);
    assert_eq!(login.status, 0, "{}", login.stderr);
    let told = format!("issuer        {issuer}\naccount       ada@example.com\nscope ");
    assert!(login.text().contains(&told), "{}", login.text());
    let again = run(&home, &["login", url, "--json"]).succeeded().json();
    assert_eq!(again["account"], "ada@example.com");
    let listed = run(&home, &["logins"]).succeeded();
    let row = format!("{url}\t{issuer}\tada@example.com\tmcp:read\tin ");
    assert!(listed.text().starts_with(&row), "{}", listed.text());
    // No other part of the ID token is stored.
    let kept = fs::read_to_string(credentials(&home)).unwrap();
    assert!(
        !kept.contains("id_token") && !kept.contains("e30."),
        "{kept}"
    );
    // The name is another party's text.
    server.state().account = Some("\u{202e}ada");
    let forced = run(&home, &["login", url, "--device", "--force"]);
    assert_eq!(forced.status, 0, "{}", forced.stderr);
    let told = "\naccount       \\u{202e}ada\n";
    assert!(forced.text().contains(told), "{}", forced.text());
}

#[test]
fn a_code_is_entered_at_another_device() {
    let (server, home) = (Protected::new(), Home::new());
    let login = run(&home, &["login", &server.url, "--device"]);
    assert_eq!(login.status, 0, "{}", login.stderr);
    let issuer = &server.issuer;
    let shown = format!(
        "{} requires a login, for the scope mcp:read. On any device, open\n\n  {issuer}/enter\n\nand enter the code\n\n  WDJB-MJHT\n\n\
         or open {issuer}/enter?code=WDJB-MJHT there\n",
        server.url
    );
    assert_eq!(login.stderr, shown);
    run(&home, &["tools", &server.url]).succeeded();
}

#[test]
fn a_page_that_no_browser_may_be_given_is_not_opened() {
    let (server, home) = (Protected::new(), Home::new());
    for page in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ms-settings:about",
        "http://login.example/$(touch opened)",
        "https://login.example/`touch opened`",
        "https://login.example/ a\nb",
        "https://me@login.example/",
        "https://169.254.169.254/",
    ] {
        server.state().page = Some(page);
        for options in [&[][..], &["--no-browser"], &["--device"]] {
            let words = [&["login", &*server.url][..], options].concat();
            let (status, printed, seen) = Person::start(command(&home, &words)).ends();
            assert_eq!(
                (status, printed.as_str()),
                (7, ""),
                "{words:?} {page}: {seen}"
            );
            assert!(seen.starts_with("error: "), "{page}: {seen}");
            assert!(!opened(&home).exists(), "{page}");
        }
    }
    assert_eq!(server.sent("/token"), [""; 0]);
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_page_reaches_the_browser_as_one_word_that_no_shell_reads() {
    let (server, home) = (Protected::new(), Home::new());
    for page in [
        "https://login.example/$(touch${IFS}pwned)",
        "https://login.example/authorize?a=$(touch$IFS'pwned')",
        "https://login.example/;touch$IFS@pwned;?a=&&touch&b=%s%c%25PATH%25!c*",
    ] {
        server.state().page = Some(page);
        let mut person = Person::start(command(&home, &["login", &server.url]));
        // Quotation marks and braces are rejected before. Other characters only make an unusual
        // URL.
        if page.contains(['\'', '{']) {
            assert_eq!(person.wait().0, 7, "{page}: {}", person.seen);
            assert!(!opened(&home).exists(), "{page}");
            continue;
        }
        person.sees("opening https://login.example");
        appears(&opened(&home));
        let words = fs::read_to_string(opened(&home)).unwrap();
        fs::remove_file(opened(&home)).unwrap();
        assert!(words.starts_with(&format!("1\n{page}")), "{words}");
        assert_eq!(words.lines().count(), 2, "{words}");
        person.interrupts();
        assert_eq!(person.wait().0, 130);
    }
    assert!(!home.path().join("pwned").exists());
}

#[test]
fn a_login_can_be_stopped() {
    let (server, home) = (Protected::new(), Home::new());
    let words = ["login", &server.url, "--no-browser"];
    let mut person = Person::start(command(&home, &words));
    person.sees("Address: ");
    assert!(!person.is_echoed());
    assert_eq!(person.interrupts().wait().0, 130);
    assert!(person.is_echoed());
    assert_eq!(run(&home, &["tools", &server.url]).status, 7);
}

#[test]
fn a_server_that_names_nobody_who_gives_tokens_is_asked_about() {
    let home = Home::new();
    let (url, _tokens) = refusing("401 Unauthorized");
    for options in [&["--no-browser"][..], &["--device"]] {
        let words = [&["login", &*url][..], options].concat();
        let refused = run(&home, &words);
        assert_eq!(refused.status, 7, "{}", refused.stderr);
        let said = format!("error: {url} requires credentials, but names no authorization server");
        assert!(refused.stderr.starts_with(&said), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("--bearer @FILE"),
            "{}",
            refused.stderr
        );
    }
}

/// A program that lets a user log in, and reads the events.
struct Program {
    child: Child,
    events: Box<dyn Iterator<Item = Value>>,
}

impl Program {
    fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let events = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        Self {
            child,
            events: Box::new(events),
        }
    }

    fn next(&mut self, event: &str) -> Value {
        let next = self.events.next().unwrap();
        assert_eq!(next["event"], event, "{next}");
        next
    }
}

#[test]
fn a_program_is_told_what_to_do_in_json() {
    let (server, home) = (Protected::new(), Home::new());
    let words = ["login", &server.url, "--json", "--no-browser"];
    let mut program = Program::start(command(&home, &words));
    let page = program.next("page");
    assert_eq!(page["issuer"], server.issuer);
    let mut stdin = program.child.stdin.take().unwrap();
    writeln!(stdin, "no address").unwrap();
    program.next("mistake");
    // Two lines at once count as two.
    let address = agree(page["url"].as_str().unwrap());
    let both = format!("nor this\n{address}\n");
    stdin.write_all(both.as_bytes()).unwrap();
    program.next("mistake");
    let login = program.next("login");
    assert_eq!(
        (&login["isNew"], &login["server"]),
        (&true.into(), &(*server.url).into())
    );
    assert!(program.events.next().is_none());
    assert!(program.child.wait().unwrap().success());

    let words = ["login", &server.url, "--json", "--device", "--force"];
    let mut program = Program::start(command(&home, &words));
    assert_eq!(program.next("device")["code"], "WDJB-MJHT");
    assert_eq!(program.next("login")["isNew"], true);
    assert!(program.child.wait().unwrap().success());
    let ended = run(&home, &["logout", "--all", "--json"]).succeeded();
    assert_eq!(ended.json()["tokens"], "revoked");
    let kept = fs::read_to_string(credentials(&home)).unwrap();
    assert!(!kept.contains("registered"), "{kept}");
}

#[test]
fn a_login_for_more_is_another_one_and_a_forced_one_registers_anew() {
    let server = Protected::new();
    let home = logged_in(&server);
    for (words, asked, registered) in [
        (&["--scope", "mcp:read"][..], None, 1),
        (&["--scope", "mcp:write"], Some("mcp:write"), 2),
        (&["--force"], Some("mcp:read"), 3),
    ] {
        let words = [&["login", &server.url, "--json", "--no-browser"], words].concat();
        let mut program = Program::start(command(&home, &words));
        if let Some(asked) = asked {
            let page = program.next("page");
            assert_eq!(page["scope"], serde_json::json!([asked]), "{words:?}");
            get(&agree(page["url"].as_str().unwrap()));
        }
        let login = program.next("login");
        assert_eq!(login["isNew"], asked.is_some(), "{words:?}");
        assert!(program.child.wait().unwrap().success());
        assert_eq!(server.sent("/register").len(), registered, "{words:?}");
    }
}

#[test]
fn a_login_with_less_than_was_asked_for_names_what_is_missing() {
    let (server, home) = (Protected::new(), Home::new());
    server.state().granted = Some("mcp:read");
    let words = [
        "login",
        &server.url,
        "--json",
        "--no-browser",
        "--scope",
        "mcp:read notes:burn",
    ];
    let mut program = Program::start(command(&home, &words));
    let page = program.next("page");
    get(&agree(page["url"].as_str().unwrap()));
    assert_eq!(program.next("login")["isNew"], true);
    let output = program.child.wait_with_output().unwrap();
    assert!(output.status.success());
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(
        warning.contains("did not grant the scope notes:burn"),
        "{warning}"
    );
}

#[test]
fn a_login_with_less_than_the_earlier_one_is_not_kept_unless_forced() {
    let server = Protected::new();
    let home = logged_in(&server);
    let kept = || fs::read_to_string(credentials(&home)).unwrap();
    let earlier = kept();
    server.state().granted = Some("mcp:read");
    let mut words = vec![
        "login",
        &server.url,
        "--json",
        "--no-browser",
        "--scope",
        "notes:burn",
    ];
    let mut program = Program::start(command(&home, &words));
    let page = program.next("page");
    get(&agree(page["url"].as_str().unwrap()));
    let output = program.child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    let error = String::from_utf8(output.stderr).unwrap();
    let why = "did not grant the scope notes:burn, so the earlier login stays; ";
    assert!(error.contains(why), "{error}");
    assert_eq!(kept(), earlier);
    words.push("--force");
    let mut program = Program::start(command(&home, &words));
    let page = program.next("page");
    get(&agree(page["url"].as_str().unwrap()));
    let granted = serde_json::json!(["mcp:read"]);
    assert_eq!(program.next("login")["scope"], granted);
    assert!(program.child.wait().unwrap().success());
    assert_ne!(kept(), earlier);
}

#[test]
fn a_login_that_is_refused_says_so() {
    let (server, home) = (Protected::new(), Home::new());
    server.state().denial = Some("access_denied");
    let words = ["login", &server.url, "--json", "--no-browser"];
    let mut program = Program::start(command(&home, &words));
    let page = program.next("page");
    get(&agree(page["url"].as_str().unwrap()));
    let output = program.child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    let about = &error["error"]["authorization"];
    assert_eq!(
        (&about["kind"], &about["error"]),
        (&"denied".into(), &"access_denied".into())
    );
    assert_eq!(about["issuer"], server.issuer);
}

#[test]
fn clients_and_workloads_are_let_in_without_a_login() {
    let (server, home) = (Protected::new(), Home::new());
    home.user("secret", &format!("{MARK}-of-client\n"));
    home.user("jwt", &format!("{MARK}.jwt\n"));
    let let_in = |options: &str| {
        let options = options.split(' ').collect::<Vec<_>>();
        let words = [&["tools", &*server.url][..], &options].concat();
        run(&home, &words).succeeded();
    };
    let_in("--client-id batch --client-secret @secret");
    let_in("--workload-token jwt --scope a --scope b");
    let_in(&format!("--client-id signer --client-key {KEY}"));
    let mut of_environment = command(&home, &["tools", &server.url]);
    of_environment
        .env("PLAINLY_CLIENT_ID", "batch")
        .env("PLAINLY_CLIENT_SECRET", format!("{MARK}-of-client"))
        .env("PLAINLY_ISSUER", &server.issuer);
    of(of_environment).succeeded();
    let sent = server.sent("/token");
    let sent = sent.iter().map(|sent| {
        let value = |name| parameter(sent, name).unwrap_or_default();
        [value("client_id"), value("scope"), value("assertion")]
    });
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [
            ["batch", "mcp:read", ""],
            ["", "a b", &format!("{MARK}.jwt")],
            ["signer", "mcp:read", ""],
            ["batch", "mcp:read", ""],
        ]
    );
    assert!(!credentials(&home).exists());
}

#[test]
fn no_other_authorization_server_gets_to_know_of_a_client() {
    let (server, home) = (Protected::new(), Home::new());
    home.user("secret", &format!("{MARK}-of-client\n"));
    for proof in [
        ["--client-secret", "@secret"],
        ["--client-key", KEY],
        ["--workload-token", "secret"],
    ] {
        let client = ["tools", &server.url, "--client-id", "batch", "--issuer"];
        let elsewhere = [&client[..], &["https://login.example"], &proof].concat();
        let refused = run(&home, &elsewhere);
        assert_eq!(refused.status, 7);
        let said = "the client id is for https://login.example";
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    assert_eq!(server.sent("/token"), [""; 0]);
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_name_is_as_good_as_a_url() {
    let (server, home) = (Protected::new(), Home::new());
    let servers =
        serde_json::json!({ "mcpServers": { "notes": { "type": "http", "url": server.url } } });
    home.user(".mcp.json", &servers.to_string());
    run(&home, &["servers", "--allow", ".mcp.json"]).succeeded();
    let mut person = Person::start(command(&home, &["login", "notes"]));
    person.sees("requires a login: ");
    get(&agree(&page(&home)));
    assert_eq!(person.ends().0, 0);
    run(&home, &["tools", "notes"]).succeeded();
    run(&home, &["tools", &server.url]).succeeded();
    run(&home, &["logout", "notes"]).succeeded();
    assert_eq!(run(&home, &["tools", "notes"]).status, 7);
    assert_eq!(run(&home, &["login", "nobody", "--device"]).status, 2);
    // The host's token takes precedence.
    let servers = serde_json::json!({ "mcpServers": { "notes": {
        "type": "http", "url": server.url, "headers": { "Authorization": "Bearer of-the-host" }
    } } });
    home.user(".mcp.json", &servers.to_string());
    run(&home, &["servers", "--allow", ".mcp.json"]).succeeded();
    let refused = run(&home, &["tools", "notes"]);
    assert_eq!(refused.status, 7);
    assert!(
        refused.stderr.contains("HTTP status 401"),
        "{}",
        refused.stderr
    );
    let both = run(&home, &["tools", "notes", "--workload-token", "f"]);
    assert_eq!(both.status, 2, "{}", both.stderr);
}

#[test]
fn what_is_given_wrongly_is_a_mistake_without_its_secret() {
    let (server, home) = (Protected::new(), Home::new());
    let url = &server.url;
    home.user("empty", "\n");
    home.user("key.pem", MARK);
    for (options, told) in [
        (
            &["--client-id", "a", "--client-secret", "s3cret"][..],
            "--client-secret takes @FILE or env:NAME",
        ),
        (
            &["--client-id", "a", "--client-secret", "@missing"],
            "cannot read missing",
        ),
        (
            &["--client-id", "a", "--client-secret", "@empty"],
            "there is no secret in empty",
        ),
        (
            &["--client-id", "a", "--client-secret", "env:NOT_SET"],
            "NOT_SET",
        ),
        (
            &["--client-id", "a", "--client-key", "key.pem"],
            "cannot use the key in key.pem",
        ),
        (
            &["--client-id", "a", "--header", "Authorization: s3cret"],
            "or the client's options",
        ),
        (&["--tolerate", "everything"], "issuer-slash"),
    ] {
        let refused = run(&home, &[&["tools", url][..], options].concat());
        assert_eq!(refused.status, 2, "{options:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(told),
            "{options:?}: {}",
            refused.stderr
        );
        assert!(
            !refused.stderr.contains(MARK),
            "{options:?}: {}",
            refused.stderr
        );
    }
    assert_eq!(server.state().requests, []);
}

#[test]
fn one_logs_in_in_one_way() {
    let (server, home) = (Protected::new(), Home::new());
    for (options, told) in [
        (
            &["--device", "--no-browser"][..],
            "--device and --no-browser",
        ),
        (
            &["--device", "--callback-port", "80"],
            "--device and --callback-port",
        ),
        (&["--bearer", "@f"], "--bearer"),
        (&["--no-login"], "--no-login"),
        (&["--", "sh"], "servers over HTTP"),
    ] {
        let refused = run(&home, &[&["login", &*server.url][..], options].concat());
        assert_eq!(refused.status, 2, "{options:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(told),
            "{options:?}: {}",
            refused.stderr
        );
    }
    assert_eq!(server.state().requests, []);
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn a_file_that_others_can_read_is_refused_where_a_login_is_wanted_and_nowhere_else() {
    let server = Protected::new();
    let home = logged_in(&server);
    let file = credentials(&home);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let before = fs::read(&file).unwrap();
    let command = format!("run `chmod 600 '{}'`", file.display());
    for words in [
        &["tools", &*server.url][..],
        &["login", &server.url, "--device"],
        &["logout", &server.url],
        &["logins"],
    ] {
        let refused = run(&home, words);
        assert_ne!(refused.status, 0, "{words:?}");
        assert!(
            refused.stderr.contains(&command),
            "{words:?}: {}",
            refused.stderr
        );
        assert!(
            !refused.stderr.contains(MARK),
            "{words:?}: {}",
            refused.stderr
        );
    }
    assert_eq!(fs::read(&file).unwrap(), before);
    server.state().is_locked = false;
    let let_in = run(&home, &["tools", &server.url]);
    assert_eq!((let_in.status, let_in.text()), (0, "echo\t-\n"));
    assert!(let_in.stderr.starts_with("warning: "), "{}", let_in.stderr);
}

#[test]
fn a_server_that_lets_everybody_in_leaves_no_trace() {
    let (server, home) = (Protected::new(), Home::new());
    server.state().is_locked = false;
    run(&home, &["tools", &server.url]).succeeded();
    assert_eq!(server.state().requests, []);
    let mut nowhere = command(&home, &["tools", &server.url]);
    nowhere.env("HOME", "");
    of(nowhere).succeeded();
    let login = run(&home, &["login", &server.url, "--device"]).succeeded();
    let said = "lets clients in without a login, and names no authorization server.\n";
    assert_eq!(login.text(), format!("{} {said}", server.url));
    assert!(!home.path().join(".local").exists());
}

#[test]
#[cfg_attr(target_os = "macos", ignore = "no variable chooses the browser there")]
fn no_secret_is_told_anywhere() {
    let server = Protected::new();
    server.state().account = Some("ada");
    let home = logged_in(&server);
    server.state().lifetime = 1;
    let kept = "session.jsonl";
    let mut told = String::new();
    for words in [
        &["login", &*server.url, "--device", "--force"][..],
        &["tools", &server.url],
        &["discover", &server.url, "--json"],
    ] {
        let options = ["--trace=full", "--record", kept, "--log", "trace"];
        let run = run(&home, &[words, &options].concat());
        assert_eq!(run.status, 0, "{words:?}: {}", run.stderr);
        told += &run.stderr;
        told += run.text();
        told += &fs::read_to_string(home.path().join(kept)).unwrap();
        fs::remove_file(home.path().join(kept)).unwrap();
    }
    told += run(&home, &["logins", "--json"]).text();
    let logout = run(&home, &["logout", &server.url, "--log", "trace"]);
    told += &logout.stderr;
    assert!(told.contains("authorization: ***"), "{told}");
    let line = told.lines().find(|line| line.contains(MARK));
    assert_eq!(line, None);
}
