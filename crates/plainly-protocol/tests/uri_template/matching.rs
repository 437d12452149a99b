//! The URIs that match templates, and the values that matching returns.

use plainly_protocol::uri_template::{
    MAX_URI_BYTES, MatchProblem, Matcher, UriTemplate, Value, Values,
};

use crate::table::rows;

const TABLES: &str = include_str!("matching.txt");

fn matcher(template: &str) -> Matcher {
    let parsed = UriTemplate::parse(template).unwrap_or_else(|error| panic!("{template}: {error}"));
    parsed
        .matcher()
        .unwrap_or_else(|error| panic!("{template}: {error}"))
}

/// Writes values for tables, such as `a=1 b=[x|y] c={k:v}`.
fn written(values: &Values) -> String {
    let write = |(name, value): (&str, &Value)| match value {
        Value::Text(text) => format!("{name}={text}"),
        Value::List(items) => format!("{name}=[{}]", items.join("|")),
        Value::Map(pairs) => {
            let pairs = pairs.iter().map(|(name, text)| format!("{name}:{text}"));
            format!("{name}={{{}}}", pairs.collect::<Vec<_>>().join("|"))
        }
    };
    values.iter().map(write).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_name_of_a_variable_is_taken_as_it_is_spelled() {
    for (template, uri, values) in [
        ("{?a%2eb}", "?a%2eb=1", "a%2eb=1"),
        ("{?a%2eb*}", "?a%2eb=1&a%2eb=2", "a%2eb=[1|2]"),
    ] {
        let found = matcher(template).values(uri);
        assert_eq!(
            found.as_ref().map(written).as_deref(),
            Some(values),
            "{template} {uri}"
        );
    }
}

#[test]
fn values_are_read_out_of_uris() {
    for [template, uri, values] in rows(TABLES, "matches") {
        let found = matcher(template).values(uri);
        let found = found.unwrap_or_else(|| panic!("{uri} does not match {template}"));
        assert_eq!(written(&found), values, "{uri} against {template}");
    }
}

#[test]
fn other_spellings_and_other_uris_do_not_match() {
    let odd = [["f:///{+path}", "f:///a\0"], ["", "x"]];
    for [template, uri] in rows(TABLES, "no matches").chain(odd) {
        let found = matcher(template).values(uri);
        assert_eq!(found, None, "{uri} against {template}");
    }
}

#[test]
fn what_would_be_guesswork_is_refused() {
    let name = |name: &str| name.to_owned();
    let cases = [
        ("x{a}{b}", 4, MatchProblem::Adjacent { name: name("b") }),
        ("{/a}{+b}", 4, MatchProblem::Adjacent { name: name("b") }),
        ("{/a*}{/b}", 5, MatchProblem::Adjacent { name: name("b") }),
        ("{?a*}{&b}", 5, MatchProblem::Adjacent { name: name("b") }),
        ("{a:3}", 0, MatchProblem::Prefix { name: name("a") }),
        ("{a}/{a}", 4, MatchProblem::Repeated { name: name("a") }),
        ("{/a,a}", 0, MatchProblem::Repeated { name: name("a") }),
        (
            "{/a*,b}",
            0,
            MatchProblem::ExplodedNotLast { name: name("a") },
        ),
    ];
    for (template, at, problem) in cases {
        let error = UriTemplate::parse(template).unwrap().matcher().unwrap_err();
        assert_eq!((error.at, &error.problem), (at, &problem), "{template}");
    }
    let error = UriTemplate::parse("x{a}{b}")
        .unwrap()
        .matcher()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "URI template can't be matched: at byte 4: the expression before {b} has no clear end"
    );
}

#[test]
fn likeness_looks_through_names_that_are_not_in_the_uri() {
    let cases = [
        ("note://{id}", "note://{name}", true),
        ("note://{id}", "note://{+id}", false),
        ("note://{id}", "note://{id}/", false),
        ("x{?a}", "x{?b}", false),
        ("x{?a*}", "x{?b*}", true),
        ("x{/a}", "x/{a}", false),
    ];
    for (one, other, like) in cases {
        assert_eq!(matcher(one).is_like(&matcher(other)), like, "{one} {other}");
    }
}

#[test]
fn the_longest_uri_matches_and_one_longer_does_not() {
    let matcher = matcher("x{/p*}");
    let uri = format!("x/{}", "a".repeat(MAX_URI_BYTES - 2));
    assert!(matcher.values(&uri).is_some());
    assert!(matcher.values(&format!("{uri}a")).is_none());
}
