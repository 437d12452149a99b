//! The times in a task's messages, as ISO 8601.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time in UTC, to the millisecond.
pub(super) fn iso_8601(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(since.as_secs() / 86_400);
    let second = since.as_secs() % 86_400;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The year, month and day of the Gregorian calendar, from the days since 1970-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    // Counted from 0000-03-01, so that a leap day is the last day of its year. 400 years have
    // 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months from March on have 153 days, and so do the next five.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = 400 * era + year + month / 10;
    (year, (month + 2) % 12 + 1, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_that_of_the_calendar() {
        for (millis, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_735_689_599_001, "2024-12-31T23:59:59.001Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(
                iso_8601(UNIX_EPOCH + Duration::from_millis(millis)),
                expected
            );
        }
    }

    #[test]
    fn each_day_follows_the_one_before() {
        let mut last = (1970, 1, 1);
        for day in 1..=146_097 {
            let (year, month, first) = last;
            let next = [
                (year, month, first + 1),
                (year, month + 1, 1),
                (year + 1, 1, 1),
            ];
            last = date(day);
            assert!(next.contains(&last), "{last:?}");
        }
        assert_eq!(last, (2370, 1, 1));
    }
}
