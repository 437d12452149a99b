//! Conversion of pages, both normal and hostile.

use std::cell::Cell;

use super::*;
use crate::StopReason;
use crate::tests::converted;

fn markdown(html: &str) -> String {
    converted(&Html, "text/html", html.as_bytes()).unwrap()
}

/// Pages, each with its expected Markdown.
const ELEMENTS: &str = include_str!("elements.jsonl");

#[test]
fn elements_become_markdown() {
    for line in ELEMENTS.lines() {
        let [html, expected]: [String; 2] = serde_json::from_str(line).unwrap();
        assert_eq!(markdown(&html), expected, "{html}");
    }
}

#[test]
fn other_encodings_are_read() {
    for (html, expected) in [
        (b"<meta charset=\"iso-8859-2\">\xb1".as_slice(), "ą\n"),
        (b"<META CHARSET=koi8-r>\xd7", "в\n"),
        (
            b"<meta http-equiv=x content='text/html; charset=iso-8859-2'>\xb1",
            "ą\n",
        ),
        (b"<meta charset=nonsense>\xe4", "ä\n"),
        (b"\xe4", "ä\n"),
        (b"<meta charset=iso-8859-2>\xc4\x85", "ą\n"),
        (b"\xff\xfe\xe4\0", "ä\n"),
    ] {
        assert_eq!(converted(&Html, "text/html", html).unwrap(), expected);
    }
}

#[test]
fn hostile_pages_cost_no_stack_and_little_time() {
    const MANY: usize = 100_000;
    for tags in [
        "<div>",
        "<ul><li>",
        "<blockquote>",
        "<b id=1><p>",
        "<table><tr><td>",
        "<a href=x>",
        "<code>",
        "</ul>",
        "<",
        "<!--",
        "&",
        "<a ",
        "<![CDATA[",
    ] {
        // Runs on a small stack, like that of a thread that blocks.
        let (end, html) = (tags.replace('<', "</"), tags.repeat(MANY));
        let html = format!("{html}x{}", end.repeat(MANY));
        let converting = std::thread::Builder::new()
            .stack_size(128 << 10)
            .spawn(move || converted(&Html, "text/html", html.as_bytes()).map_err(drop));
        // The conversion may fail because the text is too long, but must end.
        let _ = converting.unwrap().join().unwrap();
    }
}

#[test]
fn one_tag_with_everything_in_it_ends() {
    let attributes = (0..50_000).map(|n| format!(" a{n}=x"));
    let html = format!("<a{}>x", attributes.collect::<String>());
    assert_eq!(markdown(&html), "x\n");
    let target = "x".repeat(1 << 19);
    let html = format!("<a href={target}>{}", "<p>y".repeat(1_000));
    assert!(converted(&Html, "text/html", html.as_bytes()).is_err());
}

#[test]
fn a_page_without_a_word_ends_when_nobody_waits_for_it() {
    let attributes = (0..2 * LOOK).map(|n| format!(" a{n}"));
    let one_tag = format!("<p{}>", attributes.collect::<String>());
    for html in ["<div>".repeat(2 * LOOK), one_tag] {
        let is_awaited = Cell::new(true);
        let asked = Cell::new(0);
        let ask = || {
            asked.set(asked.get() + 1);
            is_awaited.replace(false)
        };
        let mut draft = Draft::new(100).awaited(&ask);
        let source = Original::new("text/html", html.as_bytes());
        assert!(Html.convert(source, &mut draft).is_err());
        assert_eq!(
            (asked.get(), draft.finish()),
            (2, Err(StopReason::Abandoned))
        );
    }
}

#[test]
fn of_attributes_only_the_first_that_means_something_counts() {
    let html = "<a title=x HREF=a href=b class>x</a href=d> <img src='c&amp;d' alt><a>y</a>";
    assert_eq!(markdown(html), "[x](a) ![](c&d)y\n");
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_page(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        converted(&Html, "text/html", &bytes).unwrap();
    }

    #[test]
    fn any_tags_are_a_page(
        tags in proptest::collection::vec("</?(ul|ol|li|p|b|i|a href=x|table|tr|td|th|pre|code|blockquote|h1|svg|br)/?>| ?[a`|*]", 0..40)
    ) {
        converted(&Html, "text/html", tags.concat().as_bytes()).unwrap();
    }
}
