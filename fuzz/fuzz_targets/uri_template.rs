//! A template on the first line, a URI on the second, and values on the others. A matching URI must
//! expand to itself, and an expanded URI must match.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plainly_protocol::uri_template::{Matcher, UriTemplate, Value, Values};

fuzz_target!(|text: &str| {
    let mut lines = text.split('\n');
    let Ok(template) = UriTemplate::parse(lines.next().unwrap_or_default()) else {
        return;
    };
    assert_eq!(
        UriTemplate::parse(template.as_str()).as_ref(),
        Ok(&template)
    );
    let uri = lines.next().unwrap_or_default();
    let texts: Vec<&str> = lines.collect();
    let named = template.variables().enumerate();
    let values: Values = named
        .filter_map(|(index, name)| Some((name, value(texts.get(index)?))))
        .collect();
    let expanded = template.expand(&values);
    let Ok(matcher) = template.matcher() else {
        return;
    };
    check(&matcher, uri);
    // A match is not required if a reserved variable can't distinguish a text from its encoding, or
    // if a map has no form of its own.
    if let Ok(expanded) = expanded
        && texts.iter().all(|text| !text.contains(['%', ':', '|']))
    {
        assert!(check(&matcher, &expanded), "{expanded} does not match");
    }
});

/// `a:b|c:d` is a map, `a|b` is a list.
fn value(text: &str) -> Value {
    let items = || text.split('|');
    if text.contains(':') {
        let pair = |item: &str| {
            item.split_once(':')
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
        };
        Value::Map(items().filter_map(pair).collect())
    } else if text.contains('|') {
        Value::List(items().map(str::to_owned).collect())
    } else {
        Value::from(text)
    }
}

fn check(matcher: &Matcher, uri: &str) -> bool {
    let Some(values) = matcher.values(uri) else {
        return false;
    };
    let again = matcher.template().expand(&values);
    assert_eq!(again.as_deref(), Ok(uri));
    assert_eq!(matcher.values(uri), Some(values));
    true
}
