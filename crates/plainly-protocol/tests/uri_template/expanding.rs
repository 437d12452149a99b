//! The examples of RFC 6570, section by section, and cases that the RFC does not define.

use crate::cases;
use plainly_protocol::uri_template::{ExpandError, MAX_URI_BYTES, UriTemplate, Value, Values};

/// The values of section 3.2, and those that earlier examples use in addition.
fn values() -> Values {
    Values::new()
        .with("count", ["one", "two", "three"])
        .with("dom", ["example", "com"])
        .with("dub", "me/too")
        .with("hello", "Hello World!")
        .with("half", "50%")
        .with("var", "value")
        .with("who", "fred")
        .with("base", "http://example.com/home/")
        .with("path", "/foo/bar")
        .with("list", ["red", "green", "blue"])
        .with("keys", [("semi", ";"), ("dot", "."), ("comma", ",")])
        .with("v", "6")
        .with("x", "1024")
        .with("y", "768")
        .with("empty", "")
        .with("empty_keys", Value::Map(Vec::new()))
        .with("empty_list", Value::List(Vec::new()))
        .with("semi", ";")
        .with("year", ["1965", "2000", "2012"])
}

fn expand(template: &str, values: &Values) -> String {
    let parsed = UriTemplate::parse(template).unwrap_or_else(|error| panic!("{template}: {error}"));
    parsed.expand(values).expect("texts that are not too long")
}

fn check(cases: &[(&str, &str)]) {
    let values = values();
    for (template, uri) in cases {
        assert_eq!(expand(template, &values), *uri, "{template}");
    }
}

#[test]
fn the_examples_of_the_rfc() {
    let lines = include_str!("rfc6570.txt").lines();
    let examples: Vec<_> = lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .collect();
    assert_eq!(examples.len(), 146);
    check(&examples);
}

#[test]
fn no_value_leaves_its_place() {
    let hostile = cases::<&str>("values in their place");
    for text in hostile {
        let values = Values::new().with("x", text).with("m", [(text, text)]);
        for (template, marks) in [("a:{x}", 0), ("a:{/x}", 1), ("a:{?x}", 2), ("a:{?m*}", 2)] {
            let uri = expand(template, &values);
            let found = uri.matches(['/', '?', '#', '&', '=', '\\', '\r', '\n', '\0', '{']);
            assert_eq!(found.count(), marks, "{template} with {text:?}: {uri}");
        }
    }
}

#[test]
fn what_is_no_ascii_is_encoded() {
    let values = Values::new().with("x", "é€😀").with("y", "%c3%a9 %zz");
    let cases = [
        ("{x}", "%C3%A9%E2%82%AC%F0%9F%98%80"),
        ("{+x}", "%C3%A9%E2%82%AC%F0%9F%98%80"),
        ("{x:2}", "%C3%A9%E2%82%AC"),
        ("é/{x:1}", "%C3%A9/%C3%A9"),
        ("{+y}", "%c3%a9%20%25zz"),
        ("{y}", "%25c3%25a9%20%25zz"),
        ("%c3%a9'{x:1}", "%c3%a9'%C3%A9"),
    ];
    for (template, uri) in cases {
        assert_eq!(expand(template, &values), uri, "{template}");
    }
}

#[test]
fn empty_lists_are_no_values() {
    check(&[
        ("X{/empty_list*}{?empty_list,empty_keys*}{;empty_list}", "X"),
        ("{?empty_list,x}", "?x=1024"),
    ]);
}

#[test]
fn what_cannot_be_expanded_says_so() {
    let prefixed = UriTemplate::parse("{list:3}").unwrap();
    let error = prefixed.expand(&values()).unwrap_err();
    let name = "list".to_owned();
    assert_eq!(error, ExpandError::PrefixOfSeveral { name });

    let template = UriTemplate::parse("{x}").unwrap();
    let long = |length| Values::new().with("x", "x".repeat(length));
    assert!(template.expand(&long(MAX_URI_BYTES)).is_ok());
    let error = template.expand(&long(MAX_URI_BYTES + 1)).unwrap_err();
    assert_eq!(error, ExpandError::TooLong);
}
