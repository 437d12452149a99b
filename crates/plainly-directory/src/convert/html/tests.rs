//! What becomes of pages, of good ones and of those that were made to harm.

use std::cell::Cell;

use super::*;
use crate::convert::Stopped;
use crate::convert::tests::converted;

fn markdown(html: &str) -> String {
    converted(&Html, "text/html", html.as_bytes()).unwrap()
}

/// A page, and what becomes of it.
const ELEMENTS: &[(&str, &str)] = &[
    ("", ""),
    ("   \n ", ""),
    ("just text", "just text\n"),
    (
        "<h1>A  title</h1><p>One\n two.</p><p>Three",
        "# A title\n\nOne two.\n\nThree\n",
    ),
    ("<h2></h2><p>x", "x\n"),
    ("a<br>b<hr>c", "a\nb\n\n---\n\nc\n"),
    (
        "<b>bold</b> and <em> italic </em>.",
        "**bold** and *italic* .\n",
    ),
    ("<b><i>both</b> one</i> none", "***both*** *one* none\n"),
    ("<b></b>x<i> </i>y", "x y\n"),
    ("<b>a<p>b</b>c", "**a**\n\n**b**c\n"),
    (
        "see <a href='/a b'>the  page</a>.",
        "see [the page](/a%20b).\n",
    ),
    (
        "<a href='#top'>up</a> <a href='JavaScript:x()'>run</a> <a>x</a>",
        "up run x\n",
    ),
    (
        "<a href=x><p>one<p>two</a>three",
        "[one](x)\n\n[two](x)three\n",
    ),
    (
        "<a href=x></a><a href=y><img src=z alt='a  [b]'></a>",
        "[![a \\[b\\]](z)](y)\n",
    ),
    (
        "<img src='data:image/png;base64,AAAA' alt=logo><img>",
        "logo\n",
    ),
    (
        "<code>a | `b`</code>, <code> x </code>",
        "`` a | `b` ``, `x`\n",
    ),
    ("<code>a<span>b</span> c</code>", "`ab c`\n"),
    (
        "<p>x<pre>\n  one\n\n  ```two\n</pre>y",
        "x\n\n````\n  one\n\n  ```two\n````\n\ny\n",
    ),
    (
        "<pre><code class=x>a &lt; <b>b</b></code></pre>",
        "```\na < b\n```\n",
    ),
    ("<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc\n"),
    (
        "x<ul><li>a<li>b<ol start=9><li>c</li><li>d</li></ol></li></ul>y",
        "x\n\n- a\n- b\n  9. c\n  10. d\n\ny\n",
    ),
    (
        "<ul><li><p>a</p><pre>b</pre></li></ul>",
        "- a\n\n  ```\n  b\n  ```\n",
    ),
    ("<li>a<li>b", "- a\n- b\n"),
    (
        "<table><thead><tr><th>a<th>b|c</thead><tr><td>1<td><p>2<p>3<tr><td><b>4</table>x",
        "| a | b\\|c |\n| --- | --- |\n| 1 | 2 3 |\n| **4** |\n\nx\n",
    ),
    (
        "<table><tr><td><table><tr><td>in</table><p>a<p>b</table>c",
        "| \n\n| in |\n| --- |\n\na\n\nb\n\nc\n",
    ),
    (
        "<title>t</title><style>p{}</style><script>'</p>'</script><svg><text>s</text></svg>x",
        "x\n",
    ),
    ("<body><svg>never closed</body>after", "after\n"),
    (
        "&lt;b&gt; &amp; *x* _y_ a_b [1] x\\-",
        "\\<b> & \\*x\\* \\_y\\_ a_b [1] x\\\\-\n",
    ),
    ("<p># a<p>- b<p>> c<p>-d", "\\# a\n\n\\- b\n\n\\> c\n\n-d\n"),
    ("<!doctype html><!-- c --><p hidden>x</p>", "x\n"),
    ("a<div>b</div>c", "a\n\nb\n\nc\n"),
    ("<dl><dt>a<dd>b</dl>", "a\nb\n"),
    ("a<blockquote>b</blockquote>", "a\n\n> b\n"),
    (
        "[a](b) [c]: [d] <a href=x>[e]</a>",
        "\\[a\\](b) \\[c\\]: [d] [\\[e\\]](x)\n",
    ),
    (
        "a &lt; b, &lt;/b, C:\\d \\*",
        "a < b, \\</b, C:\\d \\\\\\*\n",
    ),
];

#[test]
fn elements_become_markdown() {
    for (html, expected) in ELEMENTS {
        assert_eq!(markdown(html), *expected, "{html}");
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
        // On a small stack, as a thread that blocks may have.
        let (end, html) = (tags.replace('<', "</"), tags.repeat(MANY));
        let html = format!("{html}x{}", end.repeat(MANY));
        let converting = std::thread::Builder::new()
            .stack_size(128 << 10)
            .spawn(move || converted(&Html, "text/html", html.as_bytes()).map_err(drop));
        // Too long is an answer too.
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
        let source = Source::new("text/html", html.as_bytes());
        assert!(Html.convert(source, &mut draft).is_err());
        assert_eq!((asked.get(), draft.finish()), (2, Err(Stopped::Abandoned)));
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
