//! Tests `read` and `stat`.

use std::fs;
use std::io::Read;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::process::Stdio;

use serde_json::json;
#[cfg(target_os = "linux")]
use tempfile::TempDir;

use crate::support::{Docs, INTRO, REVISIONS, Serving, Target, bytes, plainly};
#[cfg(target_os = "linux")]
use crate::support::{PLAINLY, of, of_nobody};

#[test]
fn content_comes_out_byte_for_byte_on_every_revision() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for revision in REVISIONS {
            for (uri, content) in [
                ("file:///docs/intro.md", INTRO.as_bytes()),
                ("file:///docs/all.bin", &bytes()),
                ("file:///docs/guide/two%20words.md", b"two"),
            ] {
                let run = target
                    .run("read", &[uri, "--revision", revision])
                    .succeeded();
                assert_eq!(run.stdout, content, "{uri} {revision}");
            }
        }
    }
}

#[test]
fn content_goes_to_a_file_on_request() {
    let docs = Docs::new();
    let file = docs.path.with_file_name("out.bin");
    for target in Target::docs(&docs) {
        let words = ["file:///docs/all.bin", "-o", file.to_str().unwrap()];
        assert_eq!(target.run("read", &words).succeeded().stdout, b"");
        assert_eq!(fs::read(&file).unwrap(), bytes());
        fs::remove_file(&file).unwrap();
    }
    // A plain name is in the current directory.
    let mut command = plainly();
    let [target, _] = Target::docs(&docs);
    let Target::Http(server) = &target else {
        unreachable!("it is the first");
    };
    command.current_dir(file.parent().unwrap());
    command.args(["read", &server.url, "file:///docs/all.bin", "-o", "out.bin"]);
    of(command).succeeded();
    assert_eq!(fs::read(&file).unwrap(), bytes());
    let nowhere = docs.path.join("no/such/directory");
    let words = ["file:///docs/all.bin", "-o", nowhere.to_str().unwrap()];
    let run = target.run("read", &words);
    assert_eq!(run.status, 1);
    let expected = "error: cannot write ";
    assert!(run.stderr.starts_with(expected), "{}", run.stderr);
}

#[test]
fn a_resource_in_no_spelling_of_the_server_is_found_by_its_name() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for uri in ["one.md", "/docs/guide/one.md", "file:///doc/guide/one.md"] {
            for command in ["read", "stat", "ls"] {
                let run = target.run(command, &[uri]);
                let meant = format!(
                    "error: no such resource: {uri} (did you mean \"file:///docs/guide/one.md\"?)\n"
                );
                assert!(run.stderr.starts_with(&meant), "{command}: {}", run.stderr);
                assert_eq!(run.status, 4);
            }
        }
    }
}

#[test]
fn a_missing_resource_is_named_and_has_its_own_status() {
    let docs = Docs::new();
    let uri = "file:///docs/nope.md";
    for target in Target::docs(&docs) {
        for command in ["read", "stat", "ls"] {
            for revision in REVISIONS {
                let run = target.run(command, &[uri, "--revision", revision]);
                let run = run.failed(
                    4,
                    "error: no such resource: file:///docs/nope.md\n help: list the resources again, and use one of their URIs\n",
                );
                assert_eq!(run.stdout, b"");
            }
            let run = target.run(command, &[uri, "--json"]);
            assert_eq!(run.status, 4);
            assert_eq!(
                run.error_json(),
                json!({ "error": {
                    "from": "peer",
                    "kind": "not-found",
                    "code": -32602,
                    "message": "Resource not found: file:///docs/nope.md",
                    "data": { "uri": uri },
                }})
            );
        }
    }
}

#[test]
fn json_is_the_result_of_the_specification() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let read = target
            .run("read", &["file:///docs/guide/one.md", "--json"])
            .succeeded()
            .json();
        assert_eq!(read["contents"][0]["text"], "one");
        assert_eq!(read["contents"][0]["uri"], "file:///docs/guide/one.md");
        let read = target
            .run("read", &["file:///docs/all.bin", "--json"])
            .succeeded()
            .json();
        assert_eq!(read["contents"][0]["blob"].as_str().unwrap().len(), 344);
        let stat = target
            .run("stat", &["file:///docs/guide/one.md", "--json"])
            .succeeded()
            .json();
        assert_eq!(
            (
                &stat["name"],
                &stat["size"],
                &stat["isCollection"],
                &stat["mimeType"]
            ),
            (
                &json!("one.md"),
                &json!(3),
                &json!(false),
                &json!("text/markdown")
            )
        );
    }
}

#[test]
fn metadata_comes_without_content() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let run = target.run("stat", &["file:///docs/all.bin"]).succeeded();
        let mut lines = run.text().lines();
        for line in [
            "uri           file:///docs/all.bin",
            "name          all.bin",
            "kind          resource",
            "mime type     application/octet-stream",
            "size          256",
        ] {
            assert_eq!(lines.next(), Some(line));
        }
        assert!(lines.next().unwrap().starts_with("modified      20"));
        assert_eq!(lines.next(), None);
    }
}

#[test]
fn a_collection_is_not_taken_for_its_first_child() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let run = target.run("read", &["file:///docs/guide"]);
        assert_eq!((run.status, run.stdout.as_slice()), (1, &b""[..]));
        let expected = "file:///docs/guide is a collection";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        let all = target
            .run("read", &["file:///docs/guide", "--json"])
            .succeeded()
            .json();
        assert_eq!(all["contents"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_representation_that_is_not_there_is_named() {
    let docs = Docs::new();
    let [target, _] = Target::docs(&docs);
    let run = target.run(
        "read",
        &["file:///docs/guide/one.md", "--as", "text/markdown"],
    );
    assert_eq!(run.succeeded().stdout, b"one");
    target
        .run("read", &["file:///docs/guide/one.md", "--as", "text/html"])
        .failed(1, "error: file:///docs/guide/one.md has no text/html representation, only text/markdown\n");
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let docs = Docs::new();
    fs::write(docs.path.join("large.txt"), "line\n".repeat(400_000)).unwrap();
    let server = Serving::docs(&docs);
    for words in [
        &["read", &server.url, "file:///docs/large.txt"][..],
        &["read", &server.url, "file:///docs/large.txt", "--json"],
        &["ls", &server.url],
        &["completions", "bash"],
    ] {
        let mut child = plainly()
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The reader of the output has gone.
        drop(child.stdout.take());
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), said.as_str()),
            (Some(0), ""),
            "{words:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_can_not_be_written_whole_stays_as_it_was() {
    use std::os::unix::fs::symlink;

    let docs = Docs::new();
    fs::write(docs.path.join("big.txt"), "x".repeat(200_000)).unwrap();
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("copy.txt");
    fs::write(&path, "mine").unwrap();
    let link = directory.path().join("link.txt");
    symlink("copy.txt", &link).unwrap();
    // The limit on the file size acts like a full disk, except for its signal, which is ignored
    // here.
    let read = |limit: &str| {
        let script = format!(
            "trap '' XFSZ; ulimit -f {limit}; exec {PLAINLY} read file:///docs/big.txt -o {} -- {PLAINLY} serve {} --stdio",
            link.display(),
            docs.str()
        );
        let mut shell = Command::new("bash");
        of_nobody(&mut shell).args(["-c", &script]);
        of(shell)
    };
    let failed = read("16");
    assert_eq!(failed.status, 1, "{}", failed.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    read("unlimited").succeeded();
    assert_eq!(fs::read(&path).unwrap().len(), 200_000);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}
