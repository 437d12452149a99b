//! The examples of RFC 6570, section by section, and what the RFC leaves open.

use plainly_protocol::uri_template::{ExpandError, MAX_URI_BYTES, UriTemplate, Value, Values};

/// Section 3.2, and what the earlier examples use besides.
fn values() -> Values {
    Values::new()
        .with("count", ["one", "two", "three"])
        .with("dom", ["example", "com"])
        .with("dub", "me/too")
        .with("hello", "Hello World!")
        .with("half", "50%")
        .with("var", "value")
        .with("who", "fred")
        .with("base", "http://example.com/home/")
        .with("path", "/foo/bar")
        .with("list", ["red", "green", "blue"])
        .with("keys", [("semi", ";"), ("dot", "."), ("comma", ",")])
        .with("v", "6")
        .with("x", "1024")
        .with("y", "768")
        .with("empty", "")
        .with("empty_keys", Value::Map(Vec::new()))
        .with("empty_list", Value::List(Vec::new()))
        .with("semi", ";")
        .with("year", ["1965", "2000", "2012"])
}

fn expand(template: &str, values: &Values) -> String {
    let parsed = UriTemplate::parse(template).unwrap_or_else(|error| panic!("{template}: {error}"));
    parsed.expand(values).expect("texts that are not too long")
}

fn check(cases: &[(&str, &str)]) {
    let values = values();
    for (template, uri) in cases {
        assert_eq!(expand(template, &values), *uri, "{template}");
    }
}

#[test]
fn section_1_2_levels() {
    check(&[
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("X{#var}", "X#value"),
        ("X{#hello}", "X#Hello%20World!"),
        ("map?{x,y}", "map?1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("X{.var}", "X.value"),
        ("X{.x,y}", "X.1024.768"),
        ("{/var}", "/value"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
    ]);
}

#[test]
fn section_2_4_modifiers() {
    check(&[
        ("{var}", "value"),
        ("{var:20}", "value"),
        ("{var:3}", "val"),
        ("{semi}", "%3B"),
        ("{semi:2}", "%3B"),
        ("find{?year*}", "find?year=1965&year=2000&year=2012"),
        ("www{.dom*}", "www.example.com"),
    ]);
}

#[test]
fn section_3_2_1_lists() {
    check(&[
        ("{count}", "one,two,three"),
        ("{count*}", "one,two,three"),
        ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"),
        ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"),
        ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"),
        ("{&count*}", "&count=one&count=two&count=three"),
    ]);
}

#[test]
fn section_3_2_2_simple() {
    check(&[
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("?{undef,y}", "?768"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"),
        ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
    ]);
}

#[test]
fn section_3_2_3_reserved() {
    check(&[
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"),
        ("O{+undef}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{+list}", "red,green,blue"),
        ("{+list*}", "red,green,blue"),
        ("{+keys}", "semi,;,dot,.,comma,,"),
        ("{+keys*}", "semi=;,dot=.,comma=,"),
    ]);
}

#[test]
fn section_3_2_4_fragment() {
    check(&[
        ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"),
        ("{#half}", "#50%25"),
        ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("{#path:6}/here", "#/foo/b/here"),
        ("{#list}", "#red,green,blue"),
        ("{#list*}", "#red,green,blue"),
        ("{#keys}", "#semi,;,dot,.,comma,,"),
        ("{#keys*}", "#semi=;,dot=.,comma=,"),
    ]);
}

#[test]
fn section_3_2_5_label() {
    check(&[
        ("{.who}", ".fred"),
        ("{.who,who}", ".fred.fred"),
        ("{.half,who}", ".50%25.fred"),
        ("www{.dom*}", "www.example.com"),
        ("X{.var}", "X.value"),
        ("X{.empty}", "X."),
        ("X{.undef}", "X"),
        ("X{.var:3}", "X.val"),
        ("X{.list}", "X.red,green,blue"),
        ("X{.list*}", "X.red.green.blue"),
        ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
        ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"),
        ("X{.empty_keys*}", "X"),
    ]);
}

#[test]
fn section_3_2_6_path() {
    check(&[
        ("{/who}", "/fred"),
        ("{/who,who}", "/fred/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var}", "/value"),
        ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/var:1,var}", "/v/value"),
        ("{/list}", "/red,green,blue"),
        ("{/list*}", "/red/green/blue"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
        ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
    ]);
}

#[test]
fn section_3_2_7_parameters() {
    check(&[
        ("{;who}", ";who=fred"),
        ("{;half}", ";half=50%25"),
        ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;v,bar,who}", ";v=6;who=fred"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;hello:5}", ";hello=Hello"),
        ("{;list}", ";list=red,green,blue"),
        ("{;list*}", ";list=red;list=green;list=blue"),
        ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
        ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
    ]);
}

#[test]
fn section_3_2_8_query() {
    check(&[
        ("{?who}", "?who=fred"),
        ("{?half}", "?half=50%25"),
        ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"),
        ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
        ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
    ]);
}

#[test]
fn section_3_2_9_continuation() {
    check(&[
        ("{&who}", "&who=fred"),
        ("{&half}", "&half=50%25"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ("{&x,y,undef}", "&x=1024&y=768"),
        ("{&var:3}", "&var=val"),
        ("{&list}", "&list=red,green,blue"),
        ("{&list*}", "&list=red&list=green&list=blue"),
        ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
        ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
    ]);
}

#[test]
fn no_value_leaves_its_place() {
    let hostile = [
        "../../etc/passwd",
        "%2e%2e/",
        "?admin=1",
        "#x",
        "//evil.example",
        "\\..\\",
        "a&b=c",
        "\r\nHost: x",
        "\0",
        "{id}",
    ];
    for text in hostile {
        let values = Values::new().with("x", text).with("m", [(text, text)]);
        for (template, marks) in [("a:{x}", 0), ("a:{/x}", 1), ("a:{?x}", 2), ("a:{?m*}", 2)] {
            let uri = expand(template, &values);
            let found = uri.matches(['/', '?', '#', '&', '=', '\\', '\r', '\n', '\0', '{']);
            assert_eq!(found.count(), marks, "{template} with {text:?}: {uri}");
        }
    }
}

#[test]
fn what_is_no_ascii_is_encoded() {
    let values = Values::new().with("x", "é€😀").with("y", "%c3%a9 %zz");
    let cases = [
        ("{x}", "%C3%A9%E2%82%AC%F0%9F%98%80"),
        ("{+x}", "%C3%A9%E2%82%AC%F0%9F%98%80"),
        ("{x:2}", "%C3%A9%E2%82%AC"),
        ("é/{x:1}", "%C3%A9/%C3%A9"),
        ("{+y}", "%c3%a9%20%25zz"),
        ("{y}", "%25c3%25a9%20%25zz"),
        ("%c3%a9'{x:1}", "%c3%a9'%C3%A9"),
    ];
    for (template, uri) in cases {
        assert_eq!(expand(template, &values), uri, "{template}");
    }
}

#[test]
fn empty_lists_are_no_values() {
    check(&[
        ("X{/empty_list*}{?empty_list,empty_keys*}{;empty_list}", "X"),
        ("{?empty_list,x}", "?x=1024"),
    ]);
}

#[test]
fn what_cannot_be_expanded_says_so() {
    let prefixed = UriTemplate::parse("{list:3}").unwrap();
    let error = prefixed.expand(&values()).unwrap_err();
    let name = "list".to_owned();
    assert_eq!(error, ExpandError::PrefixOfSeveral { name });

    let template = UriTemplate::parse("{x}").unwrap();
    let long = |length| Values::new().with("x", "x".repeat(length));
    assert!(template.expand(&long(MAX_URI_BYTES)).is_ok());
    let error = template.expand(&long(MAX_URI_BYTES + 1)).unwrap_err();
    assert_eq!(error, ExpandError::TooLong);
}
