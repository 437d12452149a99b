//! Tests servers that authenticate callers: their options, and the keys that `key new` creates.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use plainly_authorization::{AuthorizationServer, Binding, KnownClient, Proof, Rules};
use serde_json::{Value, json};

use crate::support::{Docs, Run, Serving, of, plainly, run};

/// Creates a key, and returns the output.
fn key(file: &Path, words: &[&str]) -> String {
    let mut command = plainly();
    command
        .args(["key", "new"])
        .args(words)
        .arg("--file")
        .arg(file);
    let made = of(command);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let text = made.text().trim_end().to_owned();
    assert!(
        text.starts_with("plk_") && !made.stderr.contains(&text),
        "{}",
        made.stderr
    );
    text
}

fn ls(url: &str, token: &str) -> Run {
    run(&[
        "ls",
        url,
        "--header",
        &format!("Authorization: Bearer {token}"),
    ])
}

#[test]
fn a_server_with_keys_lets_in_who_has_one() {
    let docs = Docs::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    let [reader, nobody] = [
        key(&file, &["ada", "--scope", "list read", "--expires", "90d"]),
        key(&file, &["bob", "--scope", "list"]),
    ];
    let options = [
        "--auth-keys",
        file.to_str().unwrap(),
        "--require-scope",
        "read list",
    ];
    let server = Serving::with(&docs, &options);
    ls(&server.url, &reader).succeeded();
    let narrow = ls(&server.url, &nobody);
    assert!(
        narrow.stderr.contains("403") && narrow.stderr.contains("read"),
        "{}",
        narrow.stderr
    );
    for token in ["x", &reader[..reader.len() - 1], ""] {
        let refused = ls(&server.url, token);
        assert!(
            refused.stderr.contains("401"),
            "{token}: {}",
            refused.stderr
        );
        assert_ne!(refused.status, 0);
    }
    let told = ls(&server.url, "x").stderr;
    let why = "error: HTTP status 401 in answer to `server/discover`: Unauthorized: the access token was rejected: malformed\n";
    assert!(told.starts_with(why), "{told}");
    let nobody = run(&["ls", &server.url]);
    assert_eq!(nobody.status, 7, "{}", nobody.stderr);
    assert!(nobody.stderr.contains("--bearer"), "{}", nobody.stderr);
    let kept = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        kept.replace("\"ada\"", "\"eve\"").replace("read", "write"),
    )
    .unwrap();
    assert!(ls(&server.url, &reader).stderr.contains("403"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn options_that_would_let_in_the_wrong_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    key(&file, &["ada"]);
    let keys = file.to_str().unwrap();
    let url = "https://docs.example.com/mcp";
    let unreachable = "http://127.0.0.1:1";
    for (words, said) in [
        (
            &["--auth-issuer", "https://login.example.com"][..],
            "--public-url",
        ),
        (
            &["--auth-introspect", unreachable, "--public-url", url],
            "--auth-client",
        ),
        (
            &[
                "--auth-introspect",
                unreachable,
                "--public-url",
                url,
                "--auth-client",
                "a",
                "--auth-client-secret",
                "secret",
            ],
            "@FILE or env:NAME",
        ),
        (
            &[
                "--auth-introspect",
                unreachable,
                "--public-url",
                url,
                "--auth-client",
                "a",
                "--auth-client-secret",
                "env:NO_SUCH_VARIABLE",
            ],
            "NO_SUCH_VARIABLE of the environment is not set",
        ),
        (
            &[
                "--auth-introspect",
                unreachable,
                "--public-url",
                url,
                "--auth-client",
                "a",
                "--auth-client-secret",
                "@/no/such/file",
            ],
            "/no/such/file",
        ),
        (
            &["--auth-issuer", unreachable, "--public-url", url],
            "can't be read",
        ),
        (
            &[
                "--auth-issuer",
                "http://login.example.com",
                "--public-url",
                url,
            ],
            "use https",
        ),
        (
            &[
                "--auth-issuer",
                unreachable,
                "--public-url",
                "http://docs.example.com/mcp",
            ],
            "use https",
        ),
        (
            &[
                "--auth-issuer",
                unreachable,
                "--public-url",
                "docs.example.com",
            ],
            "use the URL of the endpoint",
        ),
        (&["--auth-keys", "/no/such/file"], "/no/such/file"),
        (
            &["--auth-keys", keys, "--require-scope", "a \"b\""],
            "use scopes such as docs:read",
        ),
        (&["--auth-keys", keys, "--stdio"], "--stdio"),
        (&["--require-scope", "read"], "add --auth-issuer"),
        (&["--require-dpop"], "add --auth-issuer"),
        (&["--dpop-nonces"], "add --auth-issuer"),
        // A key is never bound.
        (&["--auth-keys", keys, "--require-dpop"], "--auth-keys"),
        (&["--auth-keys", keys, "--dpop-nonces"], "add --auth-issuer"),
        (&["--require-dpop", "--stdio"], "--stdio"),
    ] {
        let address: &[_] = match words.contains(&"--stdio") {
            true => &[],
            false => &["--http", "127.0.0.1:0"],
        };
        let words = [&["serve", ".", "--log", "off"], address, words].concat();
        let refused = run(&words);
        assert_eq!(refused.status, 2, "{words:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(said),
            "{words:?}: {}",
            refused.stderr
        );
    }
}

/// An authorization server that introspects tokens, and binds them to keys.
async fn binding_server() -> AuthorizationServer {
    let client = |id| KnownClient {
        id,
        proof: Proof::Basic("s3cret".into()),
    };
    let rules = Rules {
        clients: vec![client("docs"), client("reader")],
        binding: Binding::Dpop,
        ..Rules::default()
    };
    AuthorizationServer::start(rules).await
}

/// Sends a POST, and reads the whole answer.
fn post(url: &str, headers: &str, body: &str) -> String {
    let (host, path) = url["http://".len()..].split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    let request = format!(
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// An unbound token for this server.
fn unbound(issuer: &str, url: &str) -> String {
    let of_client = "Authorization: Basic cmVhZGVyOnMzY3JldA==\r\n";
    let form = format!("grant_type=client_credentials&resource={url}");
    let answer = post(&format!("{issuer}/token"), of_client, &form);
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let answer: Value = serde_json::from_str(body).unwrap();
    answer["access_token"].as_str().unwrap().to_owned()
}

/// Starts `plainly serve` with introspection at this issuer, and with these options.
fn asking(issuer: &str, secret: &str, docs: &Docs, options: &[&str]) -> Serving {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let url = format!("http://{address}/mcp");
    let mut command = plainly();
    command
        .args(["serve", docs.str(), "--http", &address])
        .args(["--public-url", &url, "--auth-introspect", issuer])
        .args(["--auth-client", "docs", "--auth-client-secret", secret])
        .args(options);
    Serving::start(command)
}

#[test]
fn tokens_can_be_required_to_be_bound_to_a_key_and_proofs_to_be_fresh() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let issuer = runtime.block_on(binding_server());
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "s3cret").unwrap();
    let secret = format!("@{}", secret.display());
    let docs = Docs::new();
    for (options, is_required, has_nonces) in [
        (&[][..], false, false),
        (&["--dpop-nonces"], false, true),
        (&["--require-dpop"], true, false),
        (&["--require-dpop", "--dpop-nonces"], true, true),
    ] {
        let server = asking(&issuer.url, &secret, &docs, options);
        let nobody = post(&server.url, "", "").to_ascii_lowercase();
        assert!(nobody.starts_with("http/1.1 401 "), "{nobody}");
        assert!(nobody.contains("\r\nwww-authenticate: dpop "), "{nobody}");
        let takes_any = nobody.contains("\r\nwww-authenticate: bearer ");
        assert_eq!(takes_any, !is_required, "{nobody}");

        // A client that can bind its tokens does so on its own.
        let client = ["--client-id", "reader", "--client-secret", &secret];
        let listed = run(&[&["ls", &*server.url, "--trace"], &client[..]].concat());
        assert_eq!(listed.status, 0, "{options:?}: {}", listed.stderr);
        let sent = issuer.record.at("/token").pop().unwrap();
        assert!(sent.header("dpop").is_some(), "{options:?}");
        let given = listed.stderr.contains("dpop-nonce: ");
        assert_eq!(given, has_nonces, "{options:?}: {}", listed.stderr);

        let header = format!(
            "Authorization: Bearer {}\r\n",
            unbound(&issuer.url, &server.url)
        );
        let answer = post(&server.url, &header, "").to_ascii_lowercase();
        let refusal = "www-authenticate: dpop resource_metadata=";
        assert_eq!(
            answer.contains(refusal),
            is_required,
            "{options:?}: {answer}"
        );
        assert_eq!(
            answer.contains("error=\"invalid_token\""),
            is_required,
            "{answer}"
        );
    }
}

#[test]
fn a_key_that_can_not_be_kept_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    fs::write(&file, "not a list").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    for words in [
        &["ada", "--file", file.to_str().unwrap()][..],
        &["ada", "--file", "/no/such/folder/keys.json"],
        &["ada", "--scope", "docs:\\read"],
        &["ada", "--scope", ""],
        &["ada", "--expires", "2020-01-01"],
        &["ada", "--expires", "90"],
        &["ada", "--expires", "0d"],
        &[""],
    ] {
        let refused = run(&[&["key", "new"], words].concat());
        assert_eq!(refused.status, 2, "{words:?}: {}", refused.stderr);
        assert_eq!(refused.stdout, b"", "{words:?}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a list");
}

#[test]
fn keys_are_listed_and_revoked_by_their_names() {
    let docs = Docs::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    let path = file.to_str().unwrap();
    let key = |words: &[&str]| run(&[&["key"], words, &["--file", path]].concat());
    let ada = self::key(&file, &["ada", "--scope", "docs:read docs:write"]);
    self::key(&file, &["bob", "--expires", "2999-01-31"]);
    let listed = key(&["list"]).succeeded();
    assert_eq!(
        listed.text(),
        "ada\tdocs:read docs:write\tnever\nbob\t-\t2999-01-31T00:00:00Z\n"
    );
    let listed = key(&["list", "--json"]).succeeded();
    let first: Value = serde_json::from_str(listed.text().lines().next().unwrap()).unwrap();
    let expected = json!({"name": "ada", "scopes": ["docs:read", "docs:write"], "expires": null});
    assert_eq!(first, expected);
    key(&["new", "ada"]).failed(
        2,
        &format!(
            "error: cannot store the key: {path} already has a key named \"ada\": choose another \
             name, or revoke that key first\n"
        ),
    );
    let server = Serving::with(&docs, &["--auth-keys", path]);
    ls(&server.url, &ada).succeeded();
    key(&["revoke", "ada"]).succeeded();
    assert_eq!(ls(&server.url, &ada).status, 7);
    key(&["revoke", "ada"]).failed(
        2,
        &format!("error: cannot revoke the key: {path} has no key named \"ada\"\n"),
    );
    fs::remove_file(path).unwrap();
    let gone = key(&["revoke", "ada"]);
    assert_eq!(gone.status, 2);
    assert!(gone.stderr.contains("No such file"), "{}", gone.stderr);
}

/// A full disk is no mistake on the command line, and a key that was not printed is not stored.
#[cfg(target_os = "linux")]
#[test]
fn a_key_that_can_not_be_printed_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    key(&file, &["bob"]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plainly"));
    command.args(["key", "new", "ada", "--file"]).arg(&file);
    let status = command.stdout(full.unwrap()).status().unwrap();
    assert_eq!(status.code(), Some(1));
    let listed = run(&["key", "list", "--file", file.to_str().unwrap()]).succeeded();
    assert_eq!(listed.text(), "bob\t-\tnever\n");
}
