//! Tests contents other than text of tools, prompts and resources: saving and showing them.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fake::fake;
use crate::support::{Docs, Serving, run};

/// The first bytes of a PNG file, in base64.
const PNG: &str = "iVBORw0KGgo=";

fn shot(method: &str, _: &Value) -> Value {
    let content = json!([
        { "type": "text", "text": "Done." },
        { "type": "image", "mimeType": "image/png", "data": PNG },
        { "type": "audio", "mimeType": "audio/mpeg", "data": "AAA=" },
        { "type": "resource", "resource": { "uri": "file:///a/../log.txt", "mimeType": "text/plain", "text": "logged" } },
        { "type": "resource", "resource": { "uri": "x:/..", "blob": "AAA=" } },
    ]);
    let messages: Vec<_> = content.as_array().into_iter().flatten().collect();
    let messages: Vec<_> = messages
        .iter()
        .map(|it| json!({ "role": "user", "content": it }))
        .collect();
    json!({ "result": match method {
        "tools/list" => json!({ "tools": [{ "name": "../shot", "inputSchema": { "type": "object" } }] }),
        "prompts/list" => json!({ "prompts": [{ "name": "../shot" }] }),
        "prompts/get" => json!({ "messages": messages }),
        _ => json!({ "content": content }),
    }})
}

#[test]
fn one_file_has_the_first_that_is_not_text() {
    let url = fake(shot);
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a.png");
    for command in ["call", "prompt"] {
        let words = [command, &url, "../shot", "-o", path.to_str().unwrap()];
        assert_eq!(run(&words).succeeded().text(), "");
        assert_eq!(fs::read(&path).unwrap(), b"\x89PNG\r\n\x1a\n");
        fs::remove_file(&path).unwrap();
        let piped = run(&[command, &url, "../shot", "-o", "-"]).succeeded();
        assert_eq!(piped.stdout, b"\x89PNG\r\n\x1a\n");
    }
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let text = directory.path().join("two.md");
    let words = [
        "uri=file:///docs/guide/one.md",
        "-o",
        text.to_str().unwrap(),
    ];
    run(&[&["call", &server.url, "read_resource"], &words[..]].concat()).succeeded();
    assert_eq!(fs::read_to_string(&text).unwrap(), "one");
    let refused = run(&["call", &url, "../shot", "-o", "/no/such/directory/a"]);
    assert_eq!(refused.status, 1);
    let told = "error: cannot write /no/such/directory/a: ";
    assert!(refused.stderr.starts_with(told), "{}", refused.stderr);
}

#[test]
fn each_file_is_saved_within_the_directory_and_replaces_none() {
    let url = fake(shot);
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("new/out");
    let out = path.to_str().unwrap();
    let called = run(&["call", &url, "../shot", "--save", out]).succeeded();
    let expected = format!(
        "Done.\n[image image/png, 8 bytes: {out}/shot-1.png]\n[audio audio/mpeg, 2 bytes: {out}/shot-2.mp3]\n\
         [resource file:///a/../log.txt, 6 bytes: {out}/log.txt]\n[resource x:/.., 2 bytes: {out}/file.bin]\n"
    );
    assert_eq!(called.text(), expected);
    let filled = run(&["prompt", &url, "../shot", "--save", out]).succeeded();
    assert!(
        filled.text().contains("/shot-1-2.png]\n"),
        "{}",
        filled.text()
    );
    assert_eq!(fs::read_to_string(path.join("log.txt")).unwrap(), "logged");
    assert_eq!(fs::read_dir(&path).unwrap().count(), 8);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    let both = run(&["call", &url, "../shot", "--save", out, "--json"]);
    assert_eq!(both.status, 2);
}

#[test]
fn all_contents_of_a_resource_are_saved() {
    let docs = Docs::new();
    fs::write(
        docs.path.join("page.html"),
        "<h1>A page</h1><p>Of text.</p>",
    )
    .unwrap();
    let server = Serving::docs(&docs);
    let out = docs.path.parent().unwrap().join("out");
    let words = ["file:///docs/page.html", "--save", out.to_str().unwrap()];
    let saved = run(&[&["read", &server.url], &words[..]].concat()).succeeded();
    let names: Vec<_> = saved
        .text()
        .lines()
        .map(|it| it.rsplit('/').next().unwrap())
        .collect();
    assert_eq!(names, ["page.html", "page.md"]);
    assert!(out.join("page.md").exists());
}
