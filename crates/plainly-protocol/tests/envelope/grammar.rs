//! What is JSON and what isn't, alone and where a message ignores it.

use crate::messages::verdict;

const WELL_FORMED: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "-0.0",
    "1e5",
    "1E5",
    "1e+5",
    "1e-5",
    "0e0",
    "0e999",
    "1e-999",
    "1.5e300",
    "1.7976931348623157e308",
    "123456789012345678901234567890",
    "true",
    "false",
    "null",
    r#""""#,
    r#""a""#,
    "\"\u{7f}\"",
    "\"\u{feff}\"",
    "\"é世😀\u{10ffff}\"",
    r#""\"\\\/\b\f\n\r\t""#,
    r#""\u0000""#,
    r#""\uABCD\uabcd""#,
    r#""\ud83d\ude00""#,
    r#""\uD83D\uDE00""#,
    r#""\udbff\udfff""#,
    r#""\uffff""#,
    r#""\\u0041""#,
    r#""\\ud800""#,
    r#""/""#,
    r#""'""#,
    "\"\u{2028}\"",
    "[]",
    "[ ]",
    "[\n]",
    "[1]",
    "[1,2]",
    "[ 1 , 2 ]",
    "[[]]",
    "[[],[[]]]",
    "[null,true,\"\",{}]",
    "{}",
    "{ }",
    "{\t\r\n}",
    r#"{"a":1}"#,
    r#"{ "a" : 1 , "b" : 2 }"#,
    r#"{"":0}"#,
    r#"{"a":{"a":{"a":[]}}}"#,
    r#"{"\u0000":0}"#,
    r#"[{"a":[]},{"a":{}}]"#,
];

const BROKEN: &[&str] = &[
    "",
    " ",
    "NaN",
    "nan",
    "Infinity",
    "-Infinity",
    "inf",
    "01",
    "-01",
    "00",
    "-",
    "--1",
    "+1",
    ".5",
    "-.5",
    "1.",
    "1.e5",
    "0x1",
    "1e",
    "1e+",
    "1E-",
    "1e5.0",
    "1_000",
    "1 2",
    "1a",
    "0e",
    "1.5.5",
    "1e999",
    "-1e999",
    "1e309",
    "-",
    "- 1",
    "１",
    "tru",
    "True",
    "TRUE",
    "truee",
    "nul",
    "nulll",
    "undefined",
    "fals",
    "'a'",
    "\"",
    "\"a",
    "a",
    "\"\\\"",
    "\"\\",
    r#""\x41""#,
    r#""\a""#,
    r#""\'""#,
    r#""\0""#,
    r#""\u""#,
    r#""\u12""#,
    r#""\u123""#,
    r#""\u123g""#,
    r#""\u+123""#,
    r#""\U0041""#,
    r#""\ud800""#,
    r#""\ud800a""#,
    r#""\ud800\n""#,
    r#""\ud800\ud800""#,
    r#""\udc00""#,
    r#""\udc00\ud800""#,
    r#""\ud800\u0041""#,
    r#""\ud800\udc0""#,
    r#""\ud83d\\ude00""#,
    "\"\n\"",
    "\"\t\"",
    "\"\0\"",
    "\"\u{1f}\"",
    "[",
    "]",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[,]",
    "[1,,2]",
    "[1 2]",
    "[1:2]",
    "[1}",
    "[\"a]",
    "{",
    "}",
    "{]",
    r#"{"a"}"#,
    r#"{"a":}"#,
    r#"{"a":1"#,
    r#"{"a":1,"#,
    r#"{"a":1,}"#,
    r#"{,"a":1}"#,
    r#"{"a":1,,"b":2}"#,
    r#"{"a" 1}"#,
    r#"{"a"::1}"#,
    r#"{"a":1 "b":2}"#,
    r#"{"a":1]"#,
    r#"{a:1}"#,
    r#"{1:1}"#,
    r#"{'a':1}"#,
    r#"{null:1}"#,
    r#"{[]:1}"#,
    r#"{"a":1;"b":2}"#,
    r#"{"a","b"}"#,
    "{}x",
    "{}{}",
    "{} {}",
    "{}\n{}",
    "[]x",
    "[][]",
    "{},",
    ",",
    ":",
    "{}\0",
    "/**/{}",
    "{}//",
    "{/**/}",
    "# {}",
    "\u{feff}{}",
    "\u{feff}1",
    "\u{a0}1",
    "\u{c}1",
    "\u{b}1",
    "1\0",
    "\u{2028}1",
    "{\"\\ud800\":1}",
    "{\"a\n\":1}",
];

/// As an argument, as a member that nobody reads, and beside other messages.
fn places(value: &[u8]) -> [Vec<u8>; 3] {
    let around = |before: &str, after: &str| [before.as_bytes(), value, after.as_bytes()].concat();
    [
        around(
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"a":"#,
            "}}}",
        ),
        around(r#"{"jsonrpc":"2.0","ignored":"#, r#","id":1,"method":"x"}"#),
        around(
            r#"[{"jsonrpc":"2.0","id":1,"method":"x"},{"ignored":["#,
            "]}]",
        ),
    ]
}

#[test]
fn accepts_what_is_json() {
    for value in WELL_FORMED {
        assert_ne!(verdict(value), "parse error", "{value:?}");
        let [argument, ignored, beside] = places(value.as_bytes()).map(verdict);
        assert_eq!(argument, "request 1 x", "{value:?}");
        assert_eq!(ignored, "request 1 x", "{value:?}");
        assert_eq!(beside, "batch: request 1 x; invalid request", "{value:?}");
    }
}

#[test]
fn refuses_what_is_not() {
    for value in BROKEN {
        assert_eq!(verdict(value), "parse error", "{value:?}");
        // In an array nothing at all is fine, and so is what a comma completes.
        let completed = ["", " ", "{},", ","];
        for place in places(value.as_bytes())
            .into_iter()
            .take(if completed.contains(value) { 2 } else { 3 })
        {
            assert_eq!(verdict(&place), "parse error", "{}", place.escape_ascii());
        }
    }
}

#[test]
fn refuses_numbers_that_no_float_comes_near() {
    let digits = |count: usize| "9".repeat(count);
    for (number, accepted) in [
        (digits(299), true),
        (digits(308), true),
        (digits(309), false),
        (digits(100_000), false),
        (format!("0.{}", digits(100_000)), true),
        (format!("-{}.5", digits(309)), false),
        (format!("1e{}", digits(100)), false),
        (format!("1e-{}", digits(100)), true),
        (format!("0.{}1e400", "0".repeat(399)), true),
    ] {
        let expected = if accepted {
            "request 1 x"
        } else {
            "parse error"
        };
        let [argument, ignored, _] = places(number.as_bytes()).map(verdict);
        assert_eq!(
            (&*argument, &*ignored),
            (expected, expected),
            "{number:.40}"
        );
    }
}

#[test]
fn refuses_what_is_no_utf_8() {
    let cuts: [&[u8]; 9] = [
        b"\xff",
        b"\xfe\xff",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xe4\xb8",
        b"\x80",
        b"\xf4\x90\x80\x80",
        b"\xf0\x80\x80\xaf",
        b"\xc3",
    ];
    for cut in cuts {
        for text in [
            [b"\"", cut, b"\""].concat(),
            [b"{\"", cut, b"\":0}"].concat(),
            cut.to_vec(),
        ] {
            for place in places(&text) {
                assert_eq!(verdict(&place), "parse error", "{}", place.escape_ascii());
            }
        }
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let little: Vec<u8> = ping.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = ping.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(verdict(little), "parse error");
    assert_eq!(verdict(big), "parse error");
}

#[test]
fn refuses_every_cut() {
    let message =
        r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[1.5e3,true,null,"\ud83d\ude00é"]}}"#;
    assert_eq!(verdict(message), "request 1 x");
    for end in 0..message.len() {
        assert_eq!(verdict(&message.as_bytes()[..end]), "parse error", "{end}");
    }
}
