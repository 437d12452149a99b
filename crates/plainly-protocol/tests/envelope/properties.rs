//! The scan compared with the second implementation, on damaged, assembled and invented messages.

use plainly_protocol::envelope::{self, Limits};
use proptest::prelude::*;

use crate::opinion::{compare, tight_limits};

const SEEDS: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\u00e9\ud83d\ude00"},"_meta":{}}}"#,
    r#" { "jsonrpc" : "2.0" , "method" : "notifications/x" , "params" : { "a" : [ 1 , -0.5e+3 , true , null ] } } "#,
    r#"{"id":"a\"b","jsonrpc":"2.0","result":{"a":{"b":[[],{}]},"c":"\\"}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"é世😀"},"id":null}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},[],1]"#,
];

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "\\ud800",
    "\\udc00",
    "\\u0061",
    "\\n",
    "0",
    "-",
    "1",
    ".5",
    "e9",
    "E+",
    "e400",
    "null",
    "true",
    "false",
    " ",
    "\t",
    "\n",
    "\u{1}",
    "\u{feff}",
    "é",
    "😀",
    "\"id\":1,",
    "\"id\":\"x\",",
    "\"method\":\"m\",",
    "\"a\":",
    "\"params\":",
    "{}",
    "[]",
    "\"result\":1,",
    "9223372036854775808",
    "-0",
    "1.0",
    "{\"a\":1,\"\\u0061\":2}",
    "[[[[[[",
    "]]]]]]",
    "{\"a\":{\"a\":{\"a\":",
    "}}}",
    "\"jsonrpc\":\"2.0\",",
];

const KEYS: &[&str] = &[
    "jsonrpc",
    "id",
    "method",
    "params",
    "result",
    "error",
    "i\\u0064",
    "meth\\u006fd",
    "Method",
    "paramſ",
    "_meta",
    "",
];

fn values() -> impl Strategy<Value = String> {
    let scalars = prop::sample::select(vec![
        "\"2.0\"",
        "\"m\"",
        "\"rather long name\"",
        "\"2.\\u0030\"",
        "1",
        "-1",
        "-0",
        "1.0",
        "null",
        "true",
        "\"\\ud83d\\ude00\"",
        "9223372036854775807",
        "9223372036854775808",
        "{}",
        "[]",
    ]);
    scalars
        .prop_map(String::from)
        .prop_recursive(6, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|values| format!("[{}]", values.join(","))),
                prop::collection::vec((prop::sample::select(KEYS), inner), 0..5)
                    .prop_map(|members| object(&members)),
            ]
        })
}

fn object(members: &[(&str, String)]) -> String {
    let members: Vec<_> = members
        .iter()
        .map(|(key, value)| format!("\"{key}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Mostly valid messages, whose members are sometimes missing, wrong, duplicated or out of order.
fn messages() -> impl Strategy<Value = String> {
    let usual = prop::sample::select(vec![
        ("jsonrpc", "\"2.0\""),
        ("id", "1"),
        ("id", "\"x\""),
        ("id", "null"),
        ("method", "\"m\""),
        ("params", "{\"a\":[{}]}"),
        ("result", "{}"),
        ("error", "{}"),
    ]);
    let usual = usual.prop_map(|(key, value)| (key, String::from(value)));
    let odd = (prop::sample::select(KEYS), values());
    let members = prop::collection::vec(prop_oneof![3 => usual, 1 => odd], 0..6);
    (members, prop::bool::weighted(0.8)).prop_map(|(mut members, versioned)| {
        if versioned {
            members.insert(members.len() / 2, ("jsonrpc", "\"2.0\"".into()));
        }
        object(&members)
    })
}

fn check(bytes: &[u8]) {
    compare(bytes, &Limits::default());
    compare(bytes, &tight_limits());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn agree_on_damaged_messages(
        seed in prop::sample::select(SEEDS),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, prop::sample::select(PIECES)), 0..5),
    ) {
        let mut bytes = seed.as_bytes().to_vec();
        for (index, removed, piece) in changes {
            let at = index.index(bytes.len() + 1);
            let end = bytes.len().min(at + removed);
            let inserted = if removed % 2 == 0 { piece } else { "" };
            bytes.splice(at..end, inserted.bytes());
        }
        check(&bytes);
    }

    #[test]
    fn agree_on_assembled_messages(message in messages()) {
        check(message.as_bytes());
    }

    #[test]
    fn agree_on_batches(messages in prop::collection::vec(prop_oneof![4 => messages(), 1 => values()], 0..5)) {
        check(format!("[{}]", messages.join(",")).as_bytes());
    }

    #[test]
    fn agree_on_strung_pieces(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12)) {
        check(pieces.concat().as_bytes());
    }

    #[test]
    fn agree_on_any_bytes(bytes: Vec<u8>) {
        check(&bytes);
    }

    #[test]
    fn what_is_refused_says_where(bytes in prop::collection::vec(prop::sample::select(PIECES), 0..8)) {
        let bytes = bytes.concat();
        if let Err(malformed) = envelope::parse(bytes.as_bytes(), &tight_limits()) {
            prop_assert!(malformed.offset() <= bytes.len());
        }
    }
}
