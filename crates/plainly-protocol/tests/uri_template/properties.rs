//! Any text is a template or an error, and expanding and matching are inverse.

use plainly_protocol::uri_template::{UriTemplate, Value, Values};
use proptest::prelude::*;

/// Pieces of templates, valid and invalid.
const PIECES: &[&str] = &[
    "{", "}", "{a}", "{b}", "{+c}", "{#d}", "{.e}", "{/f}", "{;g}", "{?h}", "{&i}", "{j*}",
    "{/k*}", "{;l*}", "{?m*}", "{&n*}", "{o,p}", "{+q,r}", "{/s,t*}", "{;u,v}", "{?w,x*}",
    "{?y,z}", "{a:3}", "{=a}", "/", ".", "-", ",", "=", "?", "&", ";", "#", "x", "a=", "%41", "%",
    "é", " ", "é%C3", "note://",
];

/// Pieces of URIs.
const URI_PIECES: &[&str] = &[
    "/", ".", "-", ",", "=", "?", "&", ";", "#", "x", "a", "a=", "h=1", "g", ";g", "u=", "v=2",
    "w=1", "m=1", "%41", "%2F", "%2f", "%C3%A9", "%C3", "%", "é", " ", "note://", "%25",
];

fn soup(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let any = prop_oneof![
        20 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => ".",
    ];
    prop::collection::vec(any, 0..8).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c/.,;=?&#é %-]{0,5}", ".{0,4}",]
}

fn some_text() -> impl Strategy<Value = String> {
    ("[a-c/.,;=?&#é %-]", text()).prop_map(|(first, rest)| first + &rest)
}

/// A value for a variable of this kind, without `%`, because reserved expansion can't distinguish a
/// character from its encoding.
fn value(exploded: bool) -> impl Strategy<Value = Option<Value>> {
    let text = || text().prop_map(|text| text.replace('%', "~"));
    let some = if exploded {
        prop_oneof![
            prop::collection::vec(text(), 0..4).prop_map(Value::List),
            prop::collection::vec((text(), text()), 0..4).prop_map(Value::Map),
        ]
        .boxed()
    } else {
        text().prop_map(Value::Text).boxed()
    };
    prop::option::weighted(0.8, some)
}

/// Values for all variables in the pieces. `{j*}` and `{/k*}` have no form of their own for maps.
fn values() -> impl Strategy<Value = Values> {
    let named = ('a'..='z').map(|name| {
        let exploded = "jklmntx".contains(name);
        value(exploded).prop_map(move |value| {
            let value = match value {
                Some(Value::Map(pairs)) if "jkt".contains(name) => Some(Value::List(
                    pairs.into_iter().map(|(name, _)| name).collect(),
                )),
                value => value,
            };
            Some((name.to_string(), value?))
        })
    });
    let all: Vec<_> = named.collect();
    all.prop_map(|values| values.into_iter().flatten().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_a_template_or_an_error(text in ".*") {
        let _ = UriTemplate::parse(&text).map(UriTemplate::matcher);
    }

    #[test]
    fn what_matches_expands_to_the_same_uri(template in soup(PIECES), uri in soup(URI_PIECES)) {
        let matcher = UriTemplate::parse(&template).ok().and_then(|template| template.matcher().ok());
        if let Some(matcher) = matcher && let Some(values) = matcher.values(&uri) {
            prop_assert_eq!(matcher.template().expand(&values), Ok(uri));
        }
    }

    #[test]
    fn what_was_expanded_matches(template in soup(PIECES), values in values()) {
        let matcher = UriTemplate::parse(&template).ok().and_then(|template| template.matcher().ok());
        if let Some(matcher) = matcher {
            let uri = matcher.template().expand(&values).unwrap();
            let found = matcher.values(&uri);
            prop_assert!(found.is_some(), "{uri} does not match {template}");
            let again = matcher.template().expand(&found.unwrap());
            prop_assert_eq!(again, Ok(uri));
        }
    }

    #[test]
    fn what_went_in_comes_out(
        a in some_text(),
        b in "[a-c/%é]{1,4}",
        c in prop::option::of("[a-c/%é]{0,4}"),
        d in prop::collection::vec(text(), 0..4),
        e in prop::option::of(text()),
        f in prop::option::of(text()),
    ) {
        let template = UriTemplate::parse("x://{a}/{b}{.c}{/d*}{?e,f}").unwrap();
        let d = (!d.is_empty()).then_some(d);
        let values: Values = [
            ("a", Some(Value::Text(a))),
            ("b", Some(Value::Text(b))),
            ("c", c.map(Value::Text)),
            ("d", d.map(Value::List)),
            ("e", e.map(Value::Text)),
            ("f", f.map(Value::Text)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
        let uri = template.expand(&values).unwrap();
        prop_assert_eq!(template.matcher().unwrap().values(&uri), Some(values));
    }

    #[test]
    fn a_path_comes_out_as_it_went_in(path in some_text(), id in some_text()) {
        let template = UriTemplate::parse("x://{id}/{+path}").unwrap();
        let values = Values::new().with("id", id).with("path", path.replace('%', "~"));
        let uri = template.expand(&values).unwrap();
        prop_assert_eq!(template.matcher().unwrap().values(&uri), Some(values));
    }
}
