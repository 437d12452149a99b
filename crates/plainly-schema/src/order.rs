//! The equality of values, and the order of numbers: `1` is `1.0` (JSON Schema Core, "Instance
//! Equality").

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// A total order of values, in which equal values compare as equal.
pub(super) fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other),
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Array(one), Value::Array(other)) => one
            .len()
            .cmp(&other.len())
            .then_with(|| first_difference(one.iter().zip(other))),
        (Value::Object(one), Value::Object(other)) => {
            // A program that uses this library may make serde_json preserve the order of members.
            let sorted = |members| {
                let mut members = Vec::from_iter::<serde_json::map::Iter<'_>>(members);
                members.sort_unstable_by_key(|(name, _)| *name);
                members
            };
            let (one, other) = (sorted(one.iter()), sorted(other.iter()));
            let names = one.iter().map(|(name, _)| name);
            let values = one.iter().zip(&other).map(|(one, other)| (one.1, other.1));
            names
                .cmp(other.iter().map(|(name, _)| name))
                .then_with(|| first_difference(values))
        }
        _ => rank(one).cmp(&rank(other)),
    }
}

fn first_difference<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Ordering {
    let mut orders = pairs.map(|(one, other)| compare(one, other));
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// Whether all items are different. There can be hundreds of thousands.
pub(super) fn are_unique(items: &[Value]) -> bool {
    // Sorted, because comparing all pairs would take quadratic time.
    let mut sorted: Vec<&Value> = items.iter().collect();
    sorted.sort_unstable_by(|one, other| compare(one, other));
    sorted.is_sorted_by(|one, other| compare(one, other).is_lt())
}

/// Compares two numbers exactly.
pub(super) fn compare_numbers(one: &Number, other: &Number) -> Ordering {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        (Some(one), None) => compare_mixed(one, float(other)),
        (None, Some(other)) => compare_mixed(other, float(one)).reverse(),
        (None, None) => float(one)
            .partial_cmp(&float(other))
            .unwrap_or(Ordering::Equal),
    }
}

pub(super) fn is_integer(number: &Number) -> bool {
    !number.is_f64() || float(number).fract() == 0.0
}

/// Whether `number` is a multiple of `unit` in decimal notation: `0.3` is three times `0.1`.
pub(super) fn is_multiple(number: &Number, unit: &Number) -> bool {
    let decimals = Decimal::of(number).zip(Decimal::of(unit));
    decimals.is_some_and(|(number, unit)| number.is_multiple_of(&unit))
}

fn integer(number: &Number) -> Option<i128> {
    let signed = number.as_i64().map(i128::from);
    signed.or_else(|| number.as_u64().map(i128::from))
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

/// Compares an integer with a float. The cast saturates only beyond all 64-bit integers.
fn compare_mixed(integer: i128, float: f64) -> Ordering {
    let below = float.floor();
    let is_more = if float > below {
        Ordering::Less
    } else {
        Ordering::Equal
    };
    integer.cmp(&(below as i128)).then(is_more)
}

/// A number as its digits, at most 20, and the number of zeros that follow them.
struct Decimal {
    digits: i128,
    zeros: i32,
}

impl Decimal {
    fn of(number: &Number) -> Option<Self> {
        // Taken from the digits, because as a float 0.3 is not a multiple of 0.1.
        let text = number.to_string();
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent: i32 = exponent.parse().ok()?;
        Some(Self {
            digits: format!("{whole}{fraction}").parse().ok()?,
            zeros: exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?,
        })
    }

    fn is_multiple_of(&self, unit: &Self) -> bool {
        let zeros = self.zeros - unit.zeros;
        if zeros < 0 {
            // A unit with more digits than any number has divides only 0.
            let tens = 10_i128.checked_pow(zeros.unsigned_abs());
            let unit = tens.and_then(|tens| tens.checked_mul(unit.digits));
            return unit.map_or(self.digits == 0, |unit| {
                unit != 0 && self.digits % unit == 0
            });
        }
        unit.digits != 0
            && (0..zeros).fold(self.digits % unit.digits, |rest, _| rest * 10 % unit.digits) == 0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_compared_exactly() {
        let number = |text: &str| -> Number { serde_json::from_str(text).unwrap() };
        for (one, other, order) in [
            ("1", "1.0", Ordering::Equal),
            ("-1", "-0.5", Ordering::Less),
            ("1", "1.5", Ordering::Less),
            ("-1", "-1.5", Ordering::Greater),
            ("9007199254740993", "9007199254740992.0", Ordering::Greater),
            (
                "18446744073709551615",
                "1.8446744073709552e19",
                Ordering::Less,
            ),
            (
                "-9223372036854775808",
                "-9.223372036854775808e18",
                Ordering::Equal,
            ),
            ("18446744073709551615", "1e300", Ordering::Less),
            ("-1", "-1e300", Ordering::Greater),
            ("0", "0.0", Ordering::Equal),
            ("0", "-0.0", Ordering::Equal),
            ("0.0", "-0.0", Ordering::Equal),
        ] {
            let (one, other) = (number(one), number(other));
            assert_eq!(compare_numbers(&one, &other), order, "{one} {other}");
            assert_eq!(compare_numbers(&other, &one), order.reverse());
        }
    }

    #[test]
    fn a_multiple_is_one_of_what_is_written() {
        let number = |text: &str| -> Number { serde_json::from_str(text).unwrap() };
        for (value, unit, is_one) in [
            ("10", "5", true),
            ("7", "2", false),
            ("0", "3", true),
            ("0.3", "0.1", true),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("4.5", "1.5", true),
            ("1e3", "10", true),
            ("1e-7", "1e-8", true),
            ("-6", "1.5", true),
            ("12391239123", "1e-8", true),
            ("1e308", "0.5", true),
            ("1e308", "0.123456789", false),
        ] {
            assert_eq!(
                is_multiple(&number(value), &number(unit)),
                is_one,
                "{value} {unit}"
            );
        }
    }

    #[test]
    fn values_are_the_same_whatever_they_are_written_like() {
        let text = r#"{"b": [1, {"c": null}], "a": "x"}"#;
        let one: Value = serde_json::from_str(text).unwrap();
        assert!(compare(&one, &json!({"a": "x", "b": [1.0, {"c": null}]})).is_eq());
        for other in [
            json!({"a": "x", "b": [1, {"c": 0}]}),
            json!({"a": "x", "b": [1]}),
            json!({"a": "x"}),
            json!({"a": "x", "c": [1, {"c": null}]}),
            json!("x"),
            json!(null),
        ] {
            assert!(compare(&one, &other).is_ne(), "{other}");
            assert_eq!(compare(&one, &other), compare(&other, &one).reverse());
        }
    }
}
