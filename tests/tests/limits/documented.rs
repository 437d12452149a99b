//! docs/limits.md has each field of each limit with its default.

use std::collections::BTreeMap;

use plainly::limits::{ClientLimits, Limits};
use plainly::transport::http::HttpLimits;

/// A row of a table of docs/limits.md.
struct Documented<'a> {
    section: &'a str,
    /// Whether the first cell begins with the name of a field.
    is_field: bool,
    name: &'a str,
    default: &'a str,
}

const PAGE: &str = include_str!("../../../docs/limits.md");

fn documented() -> Vec<Documented<'static>> {
    let mut section = "";
    let mut rows = Vec::new();
    for line in PAGE.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let cells = line
            .strip_prefix("| ")
            .and_then(|row| row.strip_suffix(" |"));
        let Some((first, rest)) = cells.and_then(|cells| cells.split_once(" | ")) else {
            continue;
        };
        // The table of shares has no section and repeats limits of the other tables.
        if first == "limit" || section.is_empty() {
            continue;
        }
        let field = first
            .strip_prefix('`')
            .and_then(|rest| rest.split_once('`'));
        rows.push(Documented {
            section,
            is_field: field.is_some(),
            name: field.map_or(first, |(name, _)| name),
            default: rest.split(" | ").next().unwrap_or_default(),
        });
    }
    rows
}

/// Returns the fields in the output of `{:#?}` and their values as the page writes them. A nested
/// field has the names of both levels.
fn fields(debug: &str) -> Vec<(String, String)> {
    let mut within = Vec::new();
    let mut fields = Vec::new();
    for line in debug.lines().skip(1) {
        match line.trim().trim_end_matches(',').split_once(": ") {
            Some((name, value)) if value.ends_with('{') => within.push(format!("{name}.")),
            Some((name, value)) => {
                fields.push((within.concat() + name, default(name, value)));
            }
            None => {
                within.pop();
            }
        }
    }
    fields
}

/// Returns a value as the page writes it.
fn default(name: &str, value: &str) -> String {
    if let Some(seconds) = value.strip_suffix('s') {
        return format!("{seconds} s");
    }
    let number: usize = value
        .parse()
        .unwrap_or_else(|error| panic!("{name}: {value}: {error}"));
    match number {
        mib if name.contains("bytes") && mib % (1 << 20) == 0 => format!("{} MiB", mib >> 20),
        kib if ["bytes", "rate"].iter().any(|word| name.contains(word)) && kib % (1 << 10) == 0 => {
            match kib >> 10 {
                mib if mib % (1 << 10) == 0 => format!("{} MiB", mib >> 10),
                kib => format!("{kib} KiB"),
            }
        }
        bytes if name.contains("bytes") => format!("{bytes} B"),
        small @ ..1_000 => small.to_string(),
        large => format!("{},{:03}", large / 1_000, large % 1_000),
    }
}

#[test]
fn every_field_of_every_limit_is_documented_with_its_default() {
    for (section, debug) in [
        ("Server", format!("{:#?}", Limits::default())),
        ("HTTP", format!("{:#?}", HttpLimits::default())),
        ("Client", format!("{:#?}", ClientLimits::default())),
    ] {
        let of_it = |row: &Documented<'static>| row.is_field && row.section == section;
        let documented = documented();
        let documented: BTreeMap<_, _> = documented
            .iter()
            .filter(|row| of_it(row))
            .map(|row| (row.name.to_owned(), row.default.to_owned()))
            .collect();
        let fields: BTreeMap<_, _> = fields(&debug).into_iter().collect();
        assert_eq!(documented, fields, "{section}");
    }
}
