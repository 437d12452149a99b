//! Which URIs match which templates, and what is read out of them.

use plainly_protocol::uri_template::{
    MAX_URI_BYTES, MatchProblem, Matcher, UriTemplate, Value, Values,
};

fn matcher(template: &str) -> Matcher {
    let parsed = UriTemplate::parse(template).unwrap_or_else(|error| panic!("{template}: {error}"));
    parsed
        .matcher()
        .unwrap_or_else(|error| panic!("{template}: {error}"))
}

/// `a=1 b=[x|y] c={k:v}`: values, written for tables.
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
    let cases = [
        ("note://{id}", "note://42", "id=42"),
        ("note://{id}", "note://a%2Fb%20%C3%A9", "id=a/b é"),
        ("note://{id}", "note://100%25", "id=100%"),
        ("note://{id}", "note://%252F", "id=%2F"),
        ("note://{id}", "note://", ""),
        ("note://all", "note://all", ""),
        ("{a}/{b}", "x/y", "a=x b=y"),
        ("{a}.{b}", "x.y.z", "a=x b=y.z"),
        ("{a}.md", "x.md.md", "a=x.md"),
        ("{a}-{b}-{c}", "1-2-3-4", "a=1 b=2 c=3-4"),
        ("{a}2{b}", "%2F2y", "a=/ b=y"),
        ("f:///{+path}", "f:///a/b.c?d#e", "path=a/b.c?d#e"),
        ("{+path}/{name}", "a/b/c", "name=c path=a/b"),
        ("{+dir}/x/{name}", "a/x/b/x/c", "dir=a/x/b name=c"),
        ("{+path}{?line}", "a/b?line=1", "line=1 path=a/b"),
        ("{+path}{?line}", "a/b?lines=1", "path=a/b?lines=1"),
        ("{+path}{#part}", "a#b#c", "part=b#c path=a"),
        ("{a}{/b}{/c}", "x/y", "a=x b=y"),
        ("{a}{/b}{/c}", "x/y/z", "a=x b=y c=z"),
        ("{a}{/b}{?c}", "x?c=1", "a=x c=1"),
        ("{name}{.ext}", "a.b", "ext=b name=a"),
        ("{name}{.ext}", "a", "name=a"),
        ("{name}{.ext}", "a.", "ext= name=a"),
        ("{x,y}", "1", "x=1"),
        ("{x,y}", "1,2", "x=1 y=2"),
        ("{x,y}", ",2", "x= y=2"),
        ("{+x,y}", "1,2,3", "x=1 y=2,3"),
        ("{/x,y}", "/1/", "x=1 y="),
        ("{/p*}", "/a//b", "p=[a||b]"),
        ("{/p*}", "/", "p=[]"),
        ("{/p*}", "", ""),
        ("{p*}", "a,b", "p=[a|b]"),
        ("{p*}", ",", "p=[|]"),
        ("{+p*}", "a/,b", "p=[a/|b]"),
        ("x{.p*}", "x.a.b", "p=[a|b]"),
        ("x{#p*}", "x#a,b", "p=[a|b]"),
        ("{/x,p*}", "/1/2/3", "p=[2|3] x=1"),
        ("{;x,y}", ";x=1;y=2", "x=1 y=2"),
        ("{;x,y}", ";y", "y="),
        ("{;x,xy}", ";xy=1", "xy=1"),
        ("{;p*}", ";p=1;p", "p=[1|]"),
        ("{;p*}", ";a=1;b", "p={a:1|b:}"),
        ("{?x,y,z}", "", ""),
        ("{?x,y,z}", "?x=1&z=3", "x=1 z=3"),
        ("{?x,y,z}", "?y=&z=%26", "y= z=&"),
        ("{?x,p*}", "?x=1&p=2&p=3", "p=[2|3] x=1"),
        ("{?p*}", "?p=1", "p=[1]"),
        ("{?p*}", "?a=1&b=&a=%3D", "p={a:1|b:|a:=}"),
        ("?q=1{&x,y}", "?q=1&y=2", "y=2"),
        ("?q=1{&p*}", "?q=1&a=2&b=3", "p={a:2|b:3}"),
        ("é{x}", "%C3%A9%C3%A9", "x=é"),
        ("%c3{x}", "%c31", "x=1"),
    ];
    for (template, uri, values) in cases {
        let found = matcher(template).values(uri);
        let found = found.unwrap_or_else(|| panic!("{uri} does not match {template}"));
        assert_eq!(written(&found), values, "{uri} against {template}");
    }
}

#[test]
fn other_spellings_and_other_uris_do_not_match() {
    let cases = [
        ("note://{id}", "note:/1"),
        ("note://{id}", "NOTE://1"),
        ("note://{id}", "note://1/2"),
        ("note://{id}", "note://1?a"),
        ("note://{id}", "note://a@b"),
        ("note://{id}", "note://a b"),
        ("note://{id}", "note://é"),
        ("note://{id}", "note://%41"),
        ("note://{id}", "note://%2f"),
        ("note://{id}", "note://%"),
        ("note://{id}", "note://%2"),
        ("note://{id}", "note://%2x"),
        ("note://{id}", "note://%FF"),
        ("note://{id}", "note://%C0%AF"),
        ("note://{id}", "note://%ED%A0%80"),
        ("note://{id}", "note://a,b"),
        ("note://all", "note://al"),
        ("note://all", "note://all/"),
        ("f:///{+path}", "f:///a%2Fb"),
        ("f:///{+path}", "f:///a\\b"),
        ("f:///{+path}", "f:///a\0"),
        ("{a}.md", "x.m"),
        ("{x,y}", "1,2,3"),
        ("{/x}", "/1/2"),
        ("{;x}", ";x="),
        ("{;x,y}", ";y;x"),
        ("{?x,y}", "?y=1&x=2"),
        ("{?x,y}", "?x=1&x=2"),
        ("{?x,y}", "?"),
        ("{?x,y}", "?x"),
        ("{?x,y}", "?x=1&"),
        ("{?x,y}", "?x=1?y=2"),
        ("{?x,y}", "&x=1"),
        ("{?p*}", "?a"),
        ("", "x"),
    ];
    for (template, uri) in cases {
        assert_eq!(
            matcher(template).values(uri),
            None,
            "{uri} against {template}"
        );
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
