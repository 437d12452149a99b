//! Valid and invalid templates, and the positions of errors.

use crate::cases;
use plainly_protocol::uri_template::{MAX_TEMPLATE_BYTES, MAX_VARIABLES, UriTemplate};
use plainly_protocol::uri_template::{TemplateError, TemplateProblem as Problem};

fn refused(template: &str) -> (usize, Problem) {
    let error = UriTemplate::parse(template).expect_err(template);
    let TemplateError { at, problem, .. } = error;
    (at, problem)
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let cases = [
        ("a b", 1, Problem::Character(' ')),
        ("a\"", 1, Problem::Character('"')),
        ("a<b", 1, Problem::Character('<')),
        ("a\\b", 1, Problem::Character('\\')),
        ("a^", 1, Problem::Character('^')),
        ("a`", 1, Problem::Character('`')),
        ("a|", 1, Problem::Character('|')),
        ("\0", 0, Problem::Character('\0')),
        ("é\u{85}", 2, Problem::Character('\u{85}')),
        ("\u{fffe}", 0, Problem::Character('\u{fffe}')),
        ("%", 0, Problem::Percent),
        ("a%4", 1, Problem::Percent),
        ("a%zz", 1, Problem::Percent),
        ("%é", 0, Problem::Percent),
        ("a{b", 1, Problem::Unclosed),
        ("{a}{", 3, Problem::Unclosed),
        ("a}b", 1, Problem::Unopened),
        ("{a}}", 3, Problem::Unopened),
        ("{}", 1, Problem::NoName),
        ("{a,}", 3, Problem::NoName),
        ("{?,a}", 2, Problem::NoName),
        ("{+}", 2, Problem::NoName),
        ("{*}", 1, Problem::NoName),
        ("{:1}", 1, Problem::NoName),
        ("{=a}", 1, Problem::ReservedOperator('=')),
        ("{,a}", 1, Problem::ReservedOperator(',')),
        ("{!a}", 1, Problem::ReservedOperator('!')),
        ("x{@a}", 2, Problem::ReservedOperator('@')),
        ("{|a}", 1, Problem::ReservedOperator('|')),
        ("{a b}", 2, Problem::Name(' ')),
        ("{ a}", 1, Problem::Name(' ')),
        ("{a-b}", 2, Problem::Name('-')),
        ("{a{b}}", 2, Problem::Name('{')),
        ("{é}", 1, Problem::Name('é')),
        ("{$a}", 1, Problem::Name('$')),
        ("{a.}", 2, Problem::Name('.')),
        ("{..a}", 2, Problem::Name('.')),
        ("{a..b}", 3, Problem::Name('.')),
        ("{a%4}", 2, Problem::Percent),
        ("{a*:1}", 2, Problem::Name('*')),
        ("{a**}", 2, Problem::Name('*')),
        ("{a:}", 3, Problem::PrefixLength),
        ("{a:0}", 3, Problem::PrefixLength),
        ("{a:01}", 3, Problem::PrefixLength),
        ("{a:10000}", 3, Problem::PrefixLength),
        ("{a:-1}", 3, Problem::PrefixLength),
        ("{a:+1}", 3, Problem::PrefixLength),
        ("{a:1*}", 2, Problem::Name(':')),
        ("{a:1:2}", 3, Problem::PrefixLength),
        ("{a:x}", 3, Problem::PrefixLength),
    ];
    for (template, at, problem) in cases {
        assert_eq!(refused(template), (at, problem), "{template:?}");
    }
}

#[test]
fn what_is_right_is_read() {
    let cases = cases::<(&str, Vec<&str>)>("right templates");
    for (text, names) in cases {
        let template: UriTemplate = text.parse().unwrap();
        assert!(template.variables().eq(names.iter().copied()), "{text}");
        assert_eq!(template.to_string(), text);
    }
}

#[test]
fn limits_are_at_their_place() {
    assert!(UriTemplate::parse(&"x".repeat(MAX_TEMPLATE_BYTES)).is_ok());
    let (at, problem) = refused(&"x".repeat(MAX_TEMPLATE_BYTES + 1));
    assert_eq!((at, problem), (MAX_TEMPLATE_BYTES, Problem::TooLong));
    assert!(UriTemplate::parse(&"{x}/".repeat(MAX_VARIABLES)).is_ok());
    let (at, problem) = refused(&"{x}/".repeat(MAX_VARIABLES + 1));
    assert_eq!(
        (at, problem),
        (MAX_VARIABLES * 4, Problem::TooManyVariables)
    );
}

#[test]
fn errors_are_sentences() {
    let error = UriTemplate::parse("note://{id").unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid URI template: at byte 7: { is not closed"
    );
    let error = UriTemplate::parse("{a b}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid URI template: at byte 2: ' ' is not allowed in a variable name"
    );
}
