//! Recognises integers in any notation: `3.0` is one (JSON Schema 2020-12, Validation, 6.1.1), and
//! peers whose numbers are all floats write it so.

use serde_json::Value;

/// The integer that is equal to this float, if there is one and it is exact. Beyond 2^53 a float
/// stands for several integers.
///
/// ```
/// use plainly_errors::number::whole;
///
/// assert_eq!(whole(3.0), Some(3));
/// assert_eq!(whole(3.5), None);
/// assert_eq!(whole(1e300), None);
/// ```
#[must_use]
pub fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it has no fraction, and is small enough"
    )]
    let integer = number as i64;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(integer)
}

/// The integer that is equal to this value, if there is one.
#[must_use]
pub fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| whole(value.as_f64()?))
}
