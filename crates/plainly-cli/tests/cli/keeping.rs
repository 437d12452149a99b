//! Tests where logins are stored: in a file, or in a file that is encrypted with a key in the
//! system's keychain.

use std::path::PathBuf;
use std::process::Command;

use crate::home::Home;
#[cfg(feature = "keychain")]
use crate::protected::MARK;
use crate::protected::Protected;
use crate::support::{Run, of, plainly};

/// The binary for the user of this home, who stores logins in this place.
fn command(home: &Home, words: &[&str], place: Option<&str>) -> Command {
    let mut command = plainly();
    command
        .args(words)
        .env("HOME", home.path())
        .env_remove("PLAINLY_LOGINS_IN")
        .current_dir(home.path());
    if let Some(place) = place {
        command.env("PLAINLY_LOGINS_IN", place);
    }
    command
}

fn run(home: &Home, words: &[&str], place: Option<&str>) -> Run {
    of(command(home, words, place))
}

fn kept(home: &Home, file: &str) -> PathBuf {
    home.path().join(".local/state/plainly").join(file)
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "logins are in the keychain by default there"
)]
fn a_place_for_logins_is_chosen_by_an_option_or_else_by_a_variable() {
    let (server, home) = (Protected::new(), Home::new());
    let login = ["login", &server.url, "--device"];
    for place in [None, Some(""), Some("file")] {
        let logged_in = run(&home, &login, place);
        assert_eq!(logged_in.status, 0, "{place:?}: {}", logged_in.stderr);
        assert!(kept(&home, "credentials.json").exists(), "{place:?}");
        let listed = run(&home, &["logins", "--json"], place).succeeded().json();
        let told = kept(&home, "credentials.json").display().to_string();
        assert_eq!(listed["keptIn"], told, "{place:?}");
        run(&home, &["logout", &server.url], place).succeeded();
    }
    for words in [&["logins"][..], &["tools", &server.url], &login] {
        run(&home, words, Some("drawer")).failed(
            2,
            "error: invalid PLAINLY_LOGINS_IN \"drawer\": expected file or keychain\n",
        );
        let option = [words, &["--logins-in", "file"]].concat();
        assert_ne!(run(&home, &option, Some("drawer")).status, 2, "{words:?}");
        let option = [words, &["--logins-in", "drawer"]].concat();
        let refused = run(&home, &option, None);
        assert_eq!(refused.status, 2, "{words:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains("file, keychain"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
#[cfg(all(target_os = "linux", not(feature = "keychain")))]
fn a_binary_that_knows_no_keychain_says_so() {
    let (server, home) = (Protected::new(), Home::new());
    for words in [
        &["logins"][..],
        &["tools", &server.url],
        &["logout", "--all"],
    ] {
        run(&home, words, Some("keychain")).failed(
            2,
            "error: this plainly was built without the feature `keychain`: build it with that, or \
             store logins in a file, with --logins-in file\n",
        );
    }
    assert_eq!(server.state().requests, []);
}

#[test]
#[cfg(all(target_os = "linux", feature = "keychain"))]
fn without_a_keychain_nobody_is_asked_to_log_in_and_nothing_is_kept_elsewhere() {
    let (server, home) = (Protected::new(), Home::new());
    let nowhere = |words: &[&str]| {
        let mut command = command(&home, words, Some("keychain"));
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        of(command)
    };
    for words in [
        &["login", &*server.url, "--device"][..],
        &["tools", &server.url],
    ] {
        let refused = nowhere(words);
        assert_eq!(refused.status, 7, "{words:?}: {}", refused.stderr);
        for told in [
            "cannot use the keyring (Secret Service): ",
            "; unlock it, or store logins in a file, with --logins-in file or \
             PLAINLY_LOGINS_IN=file",
        ] {
            assert!(
                refused.stderr.contains(told),
                "{words:?}: {}",
                refused.stderr
            );
        }
    }
    assert_eq!(server.sent("/device"), [""; 0]);
    assert!(!kept(&home, "credentials.json").exists());
    assert!(!kept(&home, "credentials.sealed").exists());
    server.state().is_locked = false;
    nowhere(&["tools", &server.url]).succeeded();
}

#[test]
#[cfg(all(target_os = "linux", feature = "keychain"))]
#[ignore = "it takes a keyring that is unlocked"]
fn a_login_is_kept_with_its_key_in_the_keychain() {
    let (server, home) = (Protected::new(), Home::new());
    let place = Some("keychain");
    let login = run(&home, &["login", &server.url, "--device"], place);
    assert_eq!(login.status, 0, "{}", login.stderr);
    let sealed = kept(&home, "credentials.sealed");
    let told = format!(
        "kept in       '{}', encrypted with a key in the keyring (Secret Service)\n",
        sealed.display()
    );
    assert!(login.text().ends_with(&told), "{}", login.text());
    for round in ["read", "read again"] {
        let tools = run(&home, &["tools", &server.url], place).succeeded();
        assert_eq!(tools.text(), "echo\t-\n", "{round}");
    }
    let text = std::fs::read_to_string(&sealed).unwrap();
    assert!(!text.contains(MARK) && !text.contains("mcp"), "{text}");
    assert!(!kept(&home, "credentials.json").exists());
    let in_file = run(&home, &["logins", "--logins-in", "file"], place);
    assert!(in_file.stderr.contains("there are no logins"));
    let listed = run(&home, &["logins", "--json"], place).succeeded().json();
    assert_eq!(listed["server"], *server.url);
    run(&home, &["logout", &server.url], place).succeeded();
    assert_eq!(run(&home, &["tools", &server.url], place).status, 7);
}
