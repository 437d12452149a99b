//! `list_resources`, `tree` and `stat_resource`.

use serde_json::{Value, json};

use super::{Tools, cases};
use crate::fixture::{Fixture, set_modified};

fn three() -> Fixture {
    Fixture::new(&[
        ("b.md", "12345"),
        ("a.txt", "1"),
        ("dir/in/x.rs", "123"),
        ("dir/y.log", ""),
        ("empty/", ""),
    ])
}

#[test]
fn without_a_uri_the_mounts_are_listed() {
    let fixture = Fixture::with(&[], |builder| {
        builder.mount_as("more", std::env::temp_dir())
    });
    let tools = Tools::of(&fixture);
    for uri in [
        json!({}),
        json!({"uri": ""}),
        json!({"uri": "/"}),
        json!({"uri": "file:///"}),
    ] {
        let answer = tools.call("list_resources", uri);
        assert_eq!(answer.links(), ["docs", "more"]);
    }
}

#[test]
fn a_directory_is_listed_as_text_as_data_and_as_links() {
    let fixture = three();
    let tools = Tools::of(&fixture);
    let answer = tools.call("list_resources", json!({"uri": "file:///docs"}));
    assert_eq!(
        answer.links(),
        ["docs/a.txt", "docs/b.md", "docs/dir", "docs/empty"]
    );
    let expected = "URIs begin with file:///docs/\na.txt  (1 bytes)\nb.md  (5 bytes)\ndir  (directory)\n\
                    empty  (directory)\n2 directories, 2 files, 6 bytes";
    assert_eq!(answer.text, expected);
    let expected = json!({
        "base": "file:///docs/",
        "resources": [
            {"path": "a.txt", "size": 1},
            {"path": "b.md", "size": 5},
            {"path": "dir", "isCollection": true},
            {"path": "empty", "isCollection": true},
        ],
        "truncated": false,
    });
    assert_eq!(answer.structured, expected);
}

#[test]
fn a_name_is_listed_where_it_can_not_be_read_in_the_uri() {
    let fixture = Fixture::new(&[("a b.md", ""), ("ü.md", "")]);
    let answer = Tools::of(&fixture).call("list_resources", json!({"uri": "docs"}));
    let listed = "\na%20b.md  (0 bytes)\n%C3%BC.md  (ü.md, 0 bytes)\n";
    assert!(answer.text.contains(listed), "{}", answer.text);
    assert!(answer.structured["resources"][0]["name"].is_null());
    assert_eq!(answer.structured["resources"][1]["name"], "ü.md");
}

#[test]
fn a_listing_goes_on_where_it_ended() {
    let fixture = three();
    let tools = Tools::of(&fixture);
    let first = tools.call("list_resources", json!({"uri": "docs", "limit": 3}));
    assert_eq!(first.links(), ["docs/a.txt", "docs/b.md", "docs/dir"]);
    let next = first.structured["next"].as_str().unwrap();
    assert!(
        first
            .text
            .ends_with(&format!("call again with after={next}")),
        "{}",
        first.text
    );
    let rest = tools.call("list_resources", json!({"uri": "docs", "after": next}));
    assert_eq!(rest.links(), ["docs/empty"]);
    assert!(rest.structured.get("next").is_none());
    let error = tools.error(
        "list_resources",
        json!({"uri": "docs", "after": "file:///docs/dir/y"}),
    );
    assert!(
        error.contains("'after': it is not a position in this listing. Use `next`"),
        "{error}"
    );
}

#[test]
fn the_largest_and_the_latest_come_first() {
    let fixture = three();
    let tools = Tools::of(&fixture);
    let sorted = |sort, limit| {
        let arguments = json!({"uri": "docs", "sort": sort, "limit": limit});
        let answer = tools.call("list_resources", arguments);
        let links: Vec<_> = answer.links().into_iter().map(str::to_owned).collect();
        (links, answer.structured["truncated"] == true)
    };
    assert_eq!(
        sorted("size", 2),
        (vec!["docs/b.md".to_owned(), "docs/a.txt".to_owned()], true)
    );
    let largest = json!({"uri": "docs", "sort": "size", "limit": 2});
    let note = tools.text("list_resources", largest);
    assert!(
        note.contains("\n2 more are left out: raise limit"),
        "{note}"
    );
    let path = fixture.root().join("dir");
    set_modified(&path, std::time::SystemTime::UNIX_EPOCH);
    let (latest, is_cut) = sorted("modified", 9);
    assert_eq!(
        (latest.last().unwrap().as_str(), is_cut),
        ("docs/dir", false)
    );
    let latest = tools.call("list_resources", json!({"uri": "docs", "sort": "modified"}));
    let last = "\n1970-01-01T00:00Z  dir  (directory)\n";
    assert!(latest.text.contains(last), "{}", latest.text);
    let arguments = json!({"uri": "docs", "sort": "size", "after": "file:///docs/a.txt"});
    assert!(
        tools
            .error("list_resources", arguments)
            .contains("only a listing in the order of names can be continued")
    );
}

#[test]
fn fractions_of_a_second_are_in_order() {
    let fixture = Fixture::new(&[("c", ""), ("a", ""), ("b", ""), ("d", "")]);
    for (name, millis) in [("a", 1_000), ("b", 1_500), ("c", 1_547), ("d", 1_600)] {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(millis);
        set_modified(&fixture.root().join(name), time);
    }
    let arguments = json!({"uri": "docs", "sort": "modified"});
    let answer = Tools::of(&fixture).call("list_resources", arguments);
    assert_eq!(answer.links(), ["docs/d", "docs/c", "docs/b", "docs/a"]);
}

#[test]
fn a_tree_has_several_levels() {
    let fixture = three();
    let tools = Tools::of(&fixture);
    let whole = "file:///docs/\n  a.txt\n  b.md\n  dir/\n    in/\n      x.rs\n    y.log\n  empty/";
    assert_eq!(tools.text("tree", json!({})), whole);
    assert_eq!(tools.text("tree", json!({"uri": "docs"})), whole);
    let cut =
        "\nA directory that ends with /… contains more: use its uri, more depth or a larger limit.";
    for (tool, arguments, expected) in cases("trees that are cut") {
        assert_eq!(tools.text(tool, arguments), format!("{expected}{cut}"));
    }
    let excluding = json!({"exclude": ["in", "*.md", "dir/*.log"]});
    assert_eq!(
        tools.text("tree", excluding),
        "file:///docs/\n  a.txt\n  dir/\n  empty/"
    );
    let answer = tools.call("tree", json!({"uri": "docs/dir"}));
    assert_eq!(answer.structured["truncated"], false);
    assert_eq!(answer.structured["base"], "file:///docs/");
    assert_eq!(
        answer.structured["entries"][2],
        json!({"depth": 2, "path": "dir/in/x.rs", "size": 3})
    );
    let error = tools.error("tree", json!({"uri": "docs/a.txt"}));
    assert!(error.contains("is a file. Read it, or"), "{error}");
    let error = tools.error("tree", json!({"exclude": ["[a"]}));
    assert!(
        error.contains("'exclude': \"[a\": unclosed character class"),
        "{error}"
    );
}

#[test]
fn a_single_file_is_a_line_of_the_tree_of_everything() {
    let around = tempfile::tempdir().unwrap();
    std::fs::write(around.path().join("one.md"), "").unwrap();
    let store = plainly_directory::DirectoryStore::new(around.path().join("one.md")).unwrap();
    let fixture = three();
    let tools = Tools::offering(&fixture, store.tools(), plainly::Revision::V2026_07_28);
    assert_eq!(tools.text("tree", json!({})), "file:///one.md");
    let error = tools.error("tree", json!({"uri": "one.md"}));
    assert!(error.contains("file:///one.md is a file"), "{error}");
}

#[cfg(unix)]
#[test]
fn names_can_not_draw_lines_of_their_own() {
    use crate::fixture::write_all;

    let fixture = Fixture::new(&[("a\n  fake/", "")]);
    let tools = Tools::of(&fixture);
    assert_eq!(
        tools.text("tree", json!({})),
        "file:///docs/\n  a\\n  fake/"
    );
    write_all(&fixture.root(), &[("esc\x1b[31m", "")]);
    assert!(!tools.text("tree", json!({})).contains('\x1b'));
}

#[cfg(unix)]
#[test]
fn a_loop_of_links_ends_with_the_depth() {
    let fixture = Fixture::new(&[("x", "")]);
    std::os::unix::fs::symlink(".", fixture.root().join("again")).unwrap();
    let tools = Tools::of(&fixture);
    let text = tools.text("tree", json!({"depth": 64, "limit": 2000}));
    assert!(text.lines().count() < 200, "{text}");
}

#[test]
fn one_is_looked_at_without_reading_it() {
    let fixture = Fixture::with(&[("big.txt", "123")], |builder| builder.max_file_bytes(2));
    let tools = Tools::of(&fixture);
    let answer = tools.call("stat_resource", json!({"uri": "docs/big.txt"}));
    assert_eq!(answer.links(), ["docs/big.txt"]);
    assert_eq!(answer.structured["size"], 3);
    assert_eq!(answer.structured["mimeType"], "text/plain");
    let answer = tools.call("stat_resource", json!({"uri": "docs"}));
    assert_eq!(answer.structured["isCollection"], true);
}

#[test]
fn a_listing_of_long_names_fits_into_several_answers() {
    let names: Vec<String> = (0..500)
        .map(|n| format!("{n:03}{}", "é".repeat(120)))
        .collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
    let fixture = Fixture::new(&files);
    let tools = Tools::of(&fixture);
    let (mut after, mut seen, mut answers) = (Value::Null, 0, 0);
    loop {
        let mut arguments = json!({"uri": "docs", "limit": 1000});
        if !after.is_null() {
            arguments["after"] = after;
        }
        let answer = tools.call("list_resources", arguments);
        assert!(answer.text.len() < 300 << 10, "{}", answer.text.len());
        seen += answer.structured["resources"].as_array().unwrap().len();
        answers += 1;
        after = answer.structured["next"].clone();
        if after.is_null() {
            break;
        }
    }
    assert_eq!((seen, answers), (500, 2));
    let answer = tools.call(
        "list_resources",
        json!({"uri": "docs", "sort": "size", "limit": 1000}),
    );
    assert!(answer.text.len() < 300 << 10, "{}", answer.text.len());
    assert_eq!(answer.structured["truncated"], true);
}
