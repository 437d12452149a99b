//! The time of matching, which is proportional to the URI, for templates and URIs that make a
//! backtracking matcher explode.

use std::hint::black_box;
use std::time::{Duration, Instant};

use plainly_protocol::uri_template::{MAX_URI_BYTES, UriTemplate};

/// Returns the shortest of several runs, because other work of the machine can only make a run
/// longer.
fn time(template: &str, uri: &str) -> Duration {
    let matcher = UriTemplate::parse(template)
        .expect("a template")
        .matcher()
        .expect("one that can be matched");
    let run = || {
        let start = Instant::now();
        black_box(matcher.values(black_box(uri)));
        start.elapsed()
    };
    (0..25).map(|_| run()).min().expect("some runs")
}

/// Checks that the time grows linearly. Quadratic time would grow by a factor of 100.
#[test]
fn ten_times_the_uri_takes_about_ten_times_as_long() {
    let cases = [
        ("{/p*}", "/a", "\n"),
        ("{p*}", "a,", "\n"),
        ("{p*}x", "a,", ""),
        ("{?p*}", "&a=1", "&"),
        ("{+a}/{+b}/{+c}/{d}", "/a/", "?"),
        ("{a}-{b}-{c}-{d}", "a-", "/"),
        ("{+a}a{+b}a{+c}a", "a", "b"),
        ("x{.a}{.b}{.c*}", ".a", "!"),
        ("{+a}{?b,c,d*}", "?b=1&c=2&d=3", "%"),
        ("{a}%2F{b}", "%2F", "%2"),
    ];
    for (template, piece, end) in cases {
        let uri = |bytes: usize| format!("{}{end}", piece.repeat(bytes / piece.len()));
        let (short, long) = (uri(MAX_URI_BYTES / 44), uri(MAX_URI_BYTES / 44 * 10));
        // The smallest of three ratios counts, because other work of the machine can slow any
        // single run.
        let ratios = (0..3).map(|_| {
            let (short, long) = (time(template, &short), time(template, &long));
            long.as_secs_f64() / short.as_secs_f64()
        });
        let ratio = ratios.fold(f64::INFINITY, f64::min);
        assert!(ratio < 50.0, "{template}: {ratio} times as long");
    }
}
