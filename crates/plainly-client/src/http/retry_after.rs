//! Reads `Retry-After` (RFC 9110): seconds, or a date, which is compared with the server's own
//! clock if the server sends its time.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};
use httpdate::parse_http_date;

/// The time to wait, if the server states it in a readable form. Zero for a date in the past.
pub(super) fn read(headers: &HeaderMap) -> Option<Duration> {
    let value = text(headers, &RETRY_AFTER)?;
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return value.parse().ok().map(Duration::from_secs);
    }
    let then = parse_http_date(value).ok()?;
    let now = text(headers, &DATE).and_then(|date| parse_http_date(date).ok());
    let wait = then.duration_since(now.unwrap_or_else(SystemTime::now));
    // An error means that the date is in the past.
    Some(wait.unwrap_or_default())
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read_and_nothing_else() {
        const DAY: &str = "Sun, 06 Nov 1994";
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (value, expected) in [
            ("0", seconds(0)),
            ("120", seconds(120)),
            (" 7 ", seconds(7)),
            ("99999999999999999999", None),
            ("1.5", None),
            ("-1", None),
            ("+1", None),
            ("", None),
            ("soon", None),
            ("Sun, 06 Nov 1994 08:49:37 GMT", seconds(37)),
            ("Sunday, 06-Nov-94 08:50:00 GMT", seconds(60)),
            ("Sun Nov  6 08:49:01 1994", seconds(1)),
            ("Sun, 06 Nov 1994 08:48:59 GMT", seconds(0)),
            ("Sun, 06 Nov 1994 25:48:59 GMT", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(DATE, format!("{DAY} 08:49:00 GMT").parse().unwrap());
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            assert_eq!(read(&headers), expected, "{value:?}");
        }
        assert_eq!(read(&HeaderMap::new()), None);
    }

    #[test]
    fn without_the_servers_time_ours_counts() {
        let mut headers = HeaderMap::new();
        let then = SystemTime::now() + Duration::from_secs(3600);
        let date = httpdate::fmt_http_date(then);
        headers.insert(RETRY_AFTER, date.parse().unwrap());
        let wait = read(&headers).unwrap();
        assert!((3500..=3600).contains(&wait.as_secs()), "{wait:?}");
    }
}
