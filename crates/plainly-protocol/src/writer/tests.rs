//! Compares the writer with `serde_json`, for every type of value and for random values.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;

#[derive(Serialize)]
struct All<'a> {
    numbers: (u8, i8, u16, i16, u32, i32, u64, i64, u128, i128),
    fractions: [f64; 4],
    short: f32,
    letter: char,
    nothing: (),
    maybe: [Option<bool>; 3],
    raw: Raw<'a>,
    raws: Vec<Raw<'a>>,
    after: &'a str,
    shown: Shown,
    kinds: Vec<Kind>,
    unit: Unit,
    wrapped: Wrapped,
    pair: Pair,
    map: BTreeMap<String, u8>,
    empty: (Vec<u8>, BTreeMap<String, u8>),
    #[serde(flatten)]
    rest: BTreeMap<&'static str, Kind>,
    #[serde(flatten)]
    one: Kind,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename = "plainly::RawJson")]
struct Raw<'a>(&'a RawValue);

#[derive(Clone, Serialize)]
enum Kind {
    Unit,
    Newtype(&'static str),
    Tuple(u8, &'static str),
    Struct { a: u8, b: &'static str },
}

#[derive(Serialize)]
struct Unit;
#[derive(Serialize)]
struct Wrapped(&'static str);
#[derive(Serialize)]
struct Pair(u8, &'static str);

struct Shown;

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("one \"{}\"\n{}", 1, "two"))
    }
}

fn written<T: Serialize + ?Sized>(value: &T) -> String {
    let mut out = Vec::new();
    write(&mut out, value).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_kind_is_written_as_serde_json_does() {
    let json = RawValue::from_string(r#"{"a": [1,  "\u00e9"]}"#.to_owned()).unwrap();
    let raw = Raw(&json);
    let kinds = vec![
        Kind::Unit,
        Kind::Newtype("\"n\""),
        Kind::Tuple(1, "t"),
        Kind::Struct { a: 1, b: "\\" },
    ];
    let all = All {
        numbers: (
            0,
            -128,
            1,
            -1,
            2,
            -2,
            u64::MAX,
            i64::MIN,
            u128::MAX,
            i128::MIN,
        ),
        fractions: [0.1, 1e300, f64::NAN, -0.0],
        short: 0.1,
        letter: '"',
        nothing: (),
        maybe: [None, Some(true), Some(false)],
        raw,
        raws: vec![raw, raw],
        after: "not raw",
        shown: Shown,
        kinds: kinds.clone(),
        unit: Unit,
        wrapped: Wrapped("w"),
        pair: Pair(1, "p"),
        map: [("k\n".to_owned(), 1), ("l".to_owned(), 2)].into(),
        empty: Default::default(),
        rest: ["e", "f", "g", "h"].into_iter().zip(kinds).collect(),
        one: Kind::Newtype("flat"),
    };
    assert_eq!(written(&all), serde_json::to_string(&all).unwrap());
    assert_eq!(written(&raw), json.get());
}

#[test]
fn a_key_must_be_a_string() {
    let map: BTreeMap<u8, u8> = [(1, 1)].into();
    assert!(write(&mut Vec::new(), &map).is_err());
}

#[test]
fn what_is_there_stays_there() {
    let mut out = b"before ".to_vec();
    write(&mut out, &[1, 2]).unwrap();
    assert_eq!(out, b"before [1,2]");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            proptest::collection::hash_map(".*", inner, 0..8).prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_written_as_serde_json_does(value in values()) {
        prop_assert_eq!(written(&value), value.to_string());
    }
}
