//! Edits, given as a table.

use super::*;

/// The text, the edits, and the text afterwards or the errors.
type Case<'a> = (&'a str, &'a str, &'a [Edit<'a>], Result<&'a str, &'a str>);

fn e<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit::new(old, new)
}

fn outcome(text: &str, edits: &[Edit<'_>]) -> Result<String, String> {
    let edited = apply(text.as_bytes(), edits, 1 << 10);
    edited.map(|edited| edited.text).map_err(|problems| {
        let words = problems.iter().map(|problem| match problem.edit {
            Some(edit) => format!("{edit}: {}", problem.fault),
            None => problem.fault.to_string(),
        });
        words.collect::<Vec<_>>().join("; ")
    })
}

fn check(cases: &[Case<'_>]) {
    for (name, text, edits, expected) in cases {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(outcome(text, edits), expected, "{name}");
    }
}

#[test]
fn a_piece_is_replaced_where_it_is() {
    check(&[
        ("a word", "one two", &[e("two", "2")], Ok("one 2")),
        ("a line", "a\nb\nc\n", &[e("b\n", "B\n")], Ok("a\nB\nc\n")),
        ("lines", "a\nb\nc\n", &[e("a\nb", "x")], Ok("x\nc\n")),
        ("removed", "a\nb\nc\n", &[e("b\n", "")], Ok("a\nc\n")),
        ("more lines", "a\nb\n", &[e("a", "a\na2")], Ok("a\na2\nb\n")),
        ("everything", "a\n", &[e("a\n", "")], Ok("")),
        ("no last line end", "a\nb", &[e("b", "c")], Ok("a\nc")),
        ("a last line end more", "a", &[e("a", "a\n")], Ok("a\n")),
        ("a tab", "\ta\n", &[e("\ta", "\tb")], Ok("\tb\n")),
        (
            "letters",
            "naïve 日本\n",
            &[e("日", "二")],
            Ok("naïve 二本\n"),
        ),
        (
            "as a pattern",
            "a.c abc $1",
            &[e("a.c", "$&$1")],
            Ok("$&$1 abc $1"),
        ),
        ("a NUL", "a\0b", &[e("\0", " ")], Ok("a b")),
        (
            "everywhere",
            "a b a b a",
            &[e("a", "x").all()],
            Ok("x b x b x"),
        ),
        ("everywhere once", "a b", &[e("a", "x").all()], Ok("x b")),
        (
            "as often as it fits",
            "aaaa a",
            &[e("aa", "b").all()],
            Ok("bb a"),
        ),
        (
            "longer than itself",
            "aa",
            &[e("a", "aa").all()],
            Ok("aaaa"),
        ),
    ]);
}

#[test]
fn a_piece_that_can_not_be_meant_is_refused() {
    check(&[
        (
            "twice",
            "a b a",
            &[e("a", "x")],
            Err("0: `old` occurs 2 times, on line 1"),
        ),
        (
            "on lines",
            "a\nb\na\nc\na\n",
            &[e("a", "x")],
            Err("0: `old` occurs 3 times, on lines 1, 3 and 5"),
        ),
        (
            "twice, overlapping",
            "aaa",
            &[e("aa", "b")],
            Err("0: `old` occurs 2 times, on line 1"),
        ),
        (
            "nowhere",
            "a\n",
            &[e("b", "c")],
            Err("0: `old` does not occur"),
        ),
        (
            "in an empty text",
            "",
            &[e("b", "c")],
            Err("0: `old` does not occur"),
        ),
        (
            "done before",
            "a\nc\n",
            &[e("b", "c")],
            Err("0: `old` does not occur, but `new` does, on line 2"),
        ),
        (
            "begun",
            "x\na\nb\n",
            &[e("a\nc", "d")],
            Err("0: `old` does not occur; its first line is line 2, but what follows differs"),
        ),
    ]);
}

#[test]
fn an_edit_that_means_nothing_is_refused() {
    check(&[
        ("empty", "a", &[e("", "b")], Err("0: `old` is empty")),
        (
            "the same",
            "a",
            &[e("a", "a")],
            Err("0: `old` and `new` are the same"),
        ),
        (
            "other line ends",
            "a\n",
            &[e("a\n", "a\r\n")],
            Err("0: `old` and `new` differ in line ends alone, which stay as they are"),
        ),
        (
            "another case",
            "A",
            &[e("a", "b")],
            Err("0: `old` does not occur"),
        ),
        (
            "another normal form",
            "cafe\u{301}\n",
            &[e("caf\u{e9}", "tea")],
            Err("0: `old` does not occur"),
        ),
        (
            "blanks alone",
            "a\n\nb\n",
            &[e(" \n", "x")],
            Err("0: `old` does not occur"),
        ),
        (
            "blanks inside",
            "a  b\n",
            &[e("a b", "x")],
            Err("0: `old` does not occur"),
        ),
    ]);
}

#[test]
fn a_text_is_as_large_as_the_limit_at_most() {
    const TOO_LARGE: Result<&str, &str> = Err("the text would have more than 1024 bytes");
    let most = "b".repeat(1024);
    let marked = format!("\u{feff}{most}");
    check(&[
        ("as large", "a", &[e("a", &most)], Ok(&most)),
        (
            "as large without the mark",
            "a",
            &[e("a", &marked)],
            Ok(&most),
        ),
        ("larger", "ab", &[e("a", &most)], TOO_LARGE),
        ("with the mark", "\u{feff}a", &[e("a", &most)], TOO_LARGE),
        ("CRLF", "a\r\n", &[e("a", &"\n".repeat(600))], TOO_LARGE),
        (
            "everywhere",
            "aaa",
            &[e("a", &most[..400]).all()],
            TOO_LARGE,
        ),
    ]);
}

/// The replacements together are larger than the memory of any machine.
#[test]
fn a_text_that_is_indented_is_as_large_as_the_limit_at_most() {
    let blanks = " ".repeat(1 << 20);
    let lines = "b\n".repeat(1 << 20);
    let far = format!("{blanks}a\n");
    let often = " a\n".repeat(1 << 16);
    for (text, edit) in [
        (&far, e("a ", &lines)),
        (&often, e("a  ", &lines).all()),
        (&often, e(" a ", &lines).all()),
    ] {
        let problems = apply(text.as_bytes(), &[edit], 1 << 22).unwrap_err();
        assert_eq!(problems[0].fault, EditFault::TooLarge { limit: 1 << 22 });
    }
}

#[test]
fn all_edits_happen_or_none() {
    let both = [e("a", "b"), e("b", "a")];
    check(&[
        ("two", "a b", &both, Ok("b a")),
        (
            "in any order",
            "a b c",
            &[e("c", "3"), e("a", "1")],
            Ok("1 b 3"),
        ),
        ("beside each other", "ab", &both, Ok("ba")),
        (
            "one is wrong",
            "a",
            &[e("a", "x"), e("z", "y")],
            Err("1: `old` does not occur"),
        ),
        (
            "all that is wrong",
            "a a",
            &[e("a", "x"), e("", "y")],
            Err("0: `old` occurs 2 times, on line 1; 1: `old` is empty"),
        ),
        (
            "overlapping",
            "abc",
            &[e("bc", "x"), e("ab", "y")],
            Err("1: `old` overlaps with that of edits[0]"),
        ),
        (
            "one in another",
            "abc",
            &[e("abc", "x"), e("b", "y")],
            Err("1: `old` overlaps with that of edits[0]"),
        ),
        (
            "the same piece",
            "abc",
            &[e("b", "x"), e("b", "y")],
            Err("1: `old` overlaps with that of edits[0]"),
        ),
        (
            "overlapping in many places",
            "abcabcabcabc",
            &[e("ab", "").all(), e("bc", "").all(), e("ca", "").all()],
            Err(
                "1: `old` overlaps with that of edits[0]; 2: `old` overlaps with that of edits[0]; 2: `old` overlaps with that of edits[1]",
            ),
        ),
        (
            "of an edit's text",
            "a",
            &[e("a", "bc"), e("bc", "d")],
            Err("1: `old` does not occur"),
        ),
        ("none", "a", &[], Ok("a")),
    ]);
}

#[test]
fn line_ends_and_the_mark_stay() {
    check(&[
        (
            "CRLF",
            "a\r\nb\r\nc\r\n",
            &[e("a\nb", "x\ny")],
            Ok("x\r\ny\r\nc\r\n"),
        ),
        (
            "CRLF in the edit",
            "a\nb\n",
            &[e("a\r\nb", "x\r\ny")],
            Ok("x\ny\n"),
        ),
        (
            "CRLF in both",
            "a\r\nb\r\n",
            &[e("a\r\nb", "x\r\ny")],
            Ok("x\r\ny\r\n"),
        ),
        (
            "mixed",
            "a\r\nb\nc\r\n",
            &[e("b", "1\n2"), e("c", "3\n4")],
            Ok("a\r\n1\n2\n3\r\n4\r\n"),
        ),
        (
            "the last line of CRLF",
            "a\r\nb",
            &[e("b", "c\nd")],
            Ok("a\r\nc\r\nd"),
        ),
        ("the only line", "a", &[e("a", "a\r\nb")], Ok("a\r\nb")),
        ("CR alone", "a\rb\r", &[e("b", "c")], Ok("a\rc\r")),
        (
            "CR before CRLF",
            "a\r\r\nb\r\n",
            &[e("b", "c")],
            Ok("a\r\r\nc\r\n"),
        ),
    ]);
}

#[test]
fn the_mark_stays() {
    check(&[
        ("the mark", "\u{feff}a\n", &[e("a", "b")], Ok("\u{feff}b\n")),
        (
            "the mark in the edit",
            "\u{feff}a\n",
            &[e("\u{feff}a", "\u{feff}b")],
            Ok("\u{feff}b\n"),
        ),
        (
            "the mark in the piece",
            "\u{feff}a\n",
            &[e("\u{feff}a", "b")],
            Ok("\u{feff}b\n"),
        ),
        (
            "the mark in the new text",
            "\u{feff}a\n",
            &[e("a", "\u{feff}b")],
            Ok("\u{feff}b\n"),
        ),
        ("no mark", "a\n", &[e("a", "\u{feff}b")], Ok("b\n")),
        (
            "a mark inside",
            "a \u{feff}b\n",
            &[e("\u{feff}b", "c")],
            Ok("a c\n"),
        ),
    ]);
}

#[test]
fn blanks_around_lines_matter_only_if_nothing_is_found_otherwise() {
    check(&[
        (
            "blanks after",
            "a\nb  \nc\n",
            &[e("a\nb\nc", "x")],
            Ok("x\n"),
        ),
        (
            "blanks in the edit",
            "a\nb\nc\n",
            &[e("a \nb", "x")],
            Ok("x\nc\n"),
        ),
        (
            "indented",
            "{\n    a\n    b\n}\n",
            &[e("a\nb", "a\nc\n\nd")],
            Ok("{\n    a\n    c\n\n    d\n}\n"),
        ),
        (
            "indented less",
            "  a\n    b\n",
            &[e("    a\n      b", "    x\n      y")],
            Ok("  x\n    y\n"),
        ),
        (
            "tabs",
            "\ta\n\t\tb\n",
            &[e("  a\n    b", "  a\n    c")],
            Ok("\ta\n\t  c\n"),
        ),
    ]);
}

#[test]
fn line_ends_matter_only_if_nothing_is_found_otherwise() {
    check(&[
        (
            "with its line end",
            "  a\nb\n",
            &[e("   a\n", "   c\n")],
            Ok("  c\nb\n"),
        ),
        ("no last line end", "a\nb", &[e("b\n", "c\n")], Ok("a\nc")),
        (
            "CRLF",
            "\ta\r\n\tb\r\n",
            &[e("a\nb", "a\nc")],
            Ok("\ta\r\n\tc\r\n"),
        ),
        (
            "exactly first",
            " a\na\n",
            &[e("a\n", "b\n")],
            Err("0: `old` occurs 2 times, on lines 1 and 2"),
        ),
        (
            "twice",
            " a\n a\n",
            &[e("a ", "b")],
            Err("0: `old` occurs 2 times, without the blanks around its lines, on lines 1 and 2"),
        ),
        (
            "everywhere",
            " a\nb\n  a\n",
            &[e("a ", "c").all()],
            Ok(" c\nb\n  c\n"),
        ),
        (
            "a part of a line",
            "  ab\n",
            &[e("a ", "c")],
            Err("0: `old` does not occur"),
        ),
    ]);
    let edited = apply(b"  a\nb\n", &[e("b", "c"), e("a ", "x")], 100).unwrap();
    assert_eq!(edited.loose, [1]);
}

#[test]
fn what_is_not_utf_8_is_refused() {
    let problems = apply(b"a\xff", &[e("a", "b")], 100).unwrap_err();
    assert_eq!(problems[0].fault, EditFault::NotUtf8);
}

#[test]
fn a_diff_shows_what_changed() {
    let edited = apply(b"1\r\n2\r\n3\r\n4\r\n5\r\n6", &[e("5", "five")], 100).unwrap();
    let expected =
        "--- x\n+++ x\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n\\ No newline at end of file\n";
    assert_eq!(edited.diff("x"), expected);
}
