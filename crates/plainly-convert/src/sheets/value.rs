//! Formats numbers and dates for reading.

use calamine::ExcelDateTime;

/// The number of significant digits in Excel.
const DIGITS: usize = 15;

/// The magnitude from which a number is written with an exponent.
const LARGE: f64 = 1e21;

/// A number without the error of binary arithmetic: 0.3 for 0.30000000000000004.
pub(super) fn number(value: f64) -> String {
    let kept = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    if kept != 0.0 && !(1.0 / LARGE..LARGE).contains(&kept.abs()) {
        return format!("{kept:e}");
    }
    kept.to_string()
}

/// A date, a time, both, or a duration.
pub(super) fn date(value: &ExcelDateTime) -> String {
    let days = value.as_f64();
    if value.is_duration() {
        let seconds = (days * 86_400.0).round();
        let (hours, rest) = ((seconds / 3600.0).trunc(), seconds.abs() % 3600.0);
        return format!("{hours}:{:02}:{:02}", (rest / 60.0).trunc(), rest % 60.0);
    }
    let (year, month, day, hour, minute, second, _) = value.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    // A value below one day has no date, and a whole number of days has no time.
    match (days < 1.0, days.fract() == 0.0) {
        (true, false) => time,
        (_, true) => format!("{year:04}-{month:02}-{day:02}"),
        (false, false) => format!("{year:04}-{month:02}-{day:02} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use calamine::ExcelDateTimeType::{DateTime, TimeDelta};

    use super::*;

    #[test]
    fn numbers_are_as_they_were_typed() {
        for (value, text) in [
            (0.1 + 0.2, "0.3"),
            (-1.5, "-1.5"),
            (0.0, "0"),
            (1_234_567.0, "1234567"),
            (1e300, "1e300"),
            (2e-30, "2e-30"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn dates_have_the_parts_that_they_have() {
        for (value, kind, text) in [
            (45_943.0, DateTime, "2025-10-13"),
            (45_943.5, DateTime, "2025-10-13 12:00:00"),
            (0.25, DateTime, "06:00:00"),
            (1.5, TimeDelta, "36:00:00"),
        ] {
            assert_eq!(date(&ExcelDateTime::new(value, kind, false)), text);
        }
    }
}
