//! Valid and invalid JSON, alone and where a message ignores it.

use crate::messages::verdict;
use crate::table::cases;
use crate::table::lines;

const TEXTS: &str = include_str!("grammar.txt");

/// Puts a value into messages: as an argument, as an ignored member, and beside another message.
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
    let odd = [
        "\"\u{7f}\"",
        "\"\u{feff}\"",
        "\"\u{2028}\"",
        "[\n]",
        "{\t\r\n}",
    ];
    for value in lines(TEXTS, "well-formed").chain(odd) {
        assert_ne!(verdict(value), "parse error", "{value:?}");
        let [argument, ignored, beside] = places(value.as_bytes()).map(verdict);
        assert_eq!(argument, "request 1 x", "{value:?}");
        assert_eq!(ignored, "request 1 x", "{value:?}");
        assert_eq!(beside, "batch: request 1 x; invalid request", "{value:?}");
    }
}

#[test]
fn refuses_what_is_not() {
    let odd = cases::<&str>(include_str!("grammar.txt"), "refused");
    for value in lines(TEXTS, "broken").chain(odd) {
        assert_eq!(verdict(value), "parse error", "{value:?}");
        // In an array, an empty value or one that a comma completes is valid.
        let completed = ["", " ", "{},", ","];
        for place in places(value.as_bytes())
            .into_iter()
            .take(if completed.contains(&value) { 2 } else { 3 })
        {
            assert_eq!(verdict(&place), "parse error", "{}", place.escape_ascii());
        }
    }
}

/// JSON does not define these values. They are rejected, but the message is read to its end for its
/// id.
#[test]
fn refuses_what_nobody_can_hold_and_still_finds_the_id() {
    for value in lines(TEXTS, "JSON that nobody can hold") {
        assert_eq!(verdict(value), "invalid request", "{value:?}");
        let [argument, ignored, beside] = places(value.as_bytes()).map(verdict);
        assert_eq!(argument, "invalid request 1", "{value:?}");
        assert_eq!(ignored, "invalid request 1", "{value:?}");
        assert_eq!(beside, "batch: request 1 x; invalid request", "{value:?}");
        let as_id = format!(r#"{{"jsonrpc":"2.0","id":{value},"method":"x"}}"#);
        assert_eq!(verdict(as_id), "invalid request", "{value:?}");
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
            "invalid request 1"
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
