//! Parses the text of a template into its parts (RFC 6570, section 2).

use thiserror::Error;

use super::operator::{Alphabet, Operator};
use super::percent::{begins_with_hex, encode};
use super::{Expression, MAX_TEMPLATE_BYTES, MAX_VARIABLES, Modifier, TemplatePart, Variable};

/// The reason why a text is not a URI template.
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[error("invalid URI template: at byte {at}: {problem}")]
#[non_exhaustive]
pub struct TemplateError {
    /// The byte offset of the fault.
    pub at: usize,
    /// The fault at that place.
    pub problem: TemplateProblem,
}

plainly_errors::debug_with_causes!(TemplateError);

/// A fault of a URI template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TemplateProblem {
    /// The template is longer than [`MAX_TEMPLATE_BYTES`].
    #[error("it is longer than {MAX_TEMPLATE_BYTES} bytes")]
    TooLong,
    /// There are more variables than [`MAX_VARIABLES`].
    #[error("it has more than {MAX_VARIABLES} variables")]
    TooManyVariables,
    /// The character is not allowed in a URI, nor in an IRI that is spelled as a URI:
    /// percent-encode it.
    #[error("{0:?} is not allowed in a URI")]
    Character(char),
    /// A `%` is not followed by two hexadecimal digits.
    #[error("% is not followed by two hexadecimal digits")]
    Percent,
    /// A `{` has no matching `}`.
    #[error("{{ is not closed")]
    Unclosed,
    /// A `}` has no matching `{`.
    #[error("}} has no matching {{")]
    Unopened,
    /// An operator that the RFC reserves for later.
    #[error("the operator {0} is reserved")]
    ReservedOperator(char),
    /// A variable has no name.
    #[error("a variable has no name")]
    NoName,
    /// A name contains a character other than letters, digits, `_`, percent-encoded characters, and
    /// single `.` between them.
    #[error("{0:?} is not allowed in a variable name")]
    Name(char),
    /// The text after the `:` is not a number from 1 to 9999.
    #[error("the length of a prefix is not a number from 1 to 9999")]
    PrefixLength,
}

impl TemplateProblem {
    const fn at(self, at: usize) -> TemplateError {
        TemplateError { at, problem: self }
    }
}

pub(super) fn parse(text: &str) -> Result<Vec<TemplatePart>, TemplateError> {
    if text.len() > MAX_TEMPLATE_BYTES {
        return Err(TemplateProblem::TooLong.at(MAX_TEMPLATE_BYTES));
    }
    let (mut parts, mut variables) = (Vec::new(), 0);
    let mut rest = text;
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        if let Some(opened) = rest.strip_prefix('{') {
            let unclosed = || TemplateProblem::Unclosed.at(at);
            let (inner, after) = opened.split_once('}').ok_or_else(unclosed)?;
            let expression = expression(inner, at)?;
            variables += expression.variables.len();
            if variables > MAX_VARIABLES {
                return Err(TemplateProblem::TooManyVariables.at(at));
            }
            parts.push(TemplatePart::Expression(expression));
            rest = after;
        } else {
            let (literal, after) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
            parts.push(TemplatePart::Literal(self::literal(literal, at)?));
            rest = after;
        }
    }
    Ok(parts)
}

/// A literal, spelled as in a URI.
fn literal(text: &str, at: usize) -> Result<String, TemplateError> {
    for (offset, char) in text.char_indices() {
        let after = text.as_bytes().get(offset + 1..).unwrap_or_default();
        let problem = match char {
            '}' => TemplateProblem::Unopened,
            '%' if begins_with_hex(after) => continue,
            '%' => TemplateProblem::Percent,
            _ if is_of_uris(char) => continue,
            _ => TemplateProblem::Character(char),
        };
        return Err(problem.at(at + offset));
    }
    let mut spelled = String::with_capacity(text.len());
    encode(text, Alphabet::Reserved, &mut spelled);
    Ok(spelled)
}

/// Parses an expression whose braces begin at `at`.
fn expression(inner: &str, at: usize) -> Result<Expression, TemplateError> {
    let sign = inner.chars().next();
    // RFC 6570, section 2.2, reserves these operators. If they were read as names now, a later
    // version would give the template another meaning.
    if let Some(sign @ ('=' | ',' | '!' | '@' | '|')) = sign {
        return Err(TemplateProblem::ReservedOperator(sign).at(at + 1));
    }
    let found = sign.and_then(Operator::of);
    let list = inner
        .get(usize::from(found.is_some())..)
        .unwrap_or_default();
    let mut start = at + 1 + (inner.len() - list.len());
    let mut variables = Vec::new();
    for spec in list.split(',') {
        variables.push(variable(spec, start)?);
        start += spec.len() + 1;
    }
    Ok(Expression {
        at,
        operator: found.unwrap_or(Operator::Simple),
        variables,
    })
}

fn variable(spec: &str, at: usize) -> Result<Variable, TemplateError> {
    let (name, modifier) = if let Some(name) = spec.strip_suffix('*') {
        (name, Modifier::Explode)
    } else if let Some((name, length)) = spec.split_once(':') {
        let length = prefix_length(length)
            .ok_or_else(|| TemplateProblem::PrefixLength.at(at + name.len() + 1))?;
        (name, Modifier::Prefix(length))
    } else {
        (spec, Modifier::None)
    };
    check_name(name, at)?;
    Ok(Variable {
        name: name.to_owned(),
        modifier,
    })
}

fn prefix_length(digits: &str) -> Option<usize> {
    let fits = matches!(digits.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.len() < 4)
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| digits.parse().ok()).flatten()
}

fn check_name(name: &str, at: usize) -> Result<(), TemplateError> {
    if name.is_empty() {
        return Err(TemplateProblem::NoName.at(at));
    }
    let mut after_dot = true;
    for (offset, char) in name.char_indices() {
        let after = name.as_bytes().get(offset + 1..).unwrap_or_default();
        let problem = match char {
            '%' if !begins_with_hex(after) => Some(TemplateProblem::Percent),
            '%' | '_' => None,
            '.' if !after_dot && !after.is_empty() => None,
            _ if char.is_ascii_alphanumeric() => None,
            _ => Some(TemplateProblem::Name(char)),
        };
        if let Some(problem) = problem {
            return Err(problem.at(at + offset));
        }
        after_dot = char == '.';
    }
    Ok(())
}

/// Whether a URI may contain this character, or an IRI that is then spelled as a URI.
fn is_of_uris(char: char) -> bool {
    let code = u32::from(char);
    match u8::try_from(code) {
        Ok(byte) if byte.is_ascii() => Alphabet::Reserved.has(byte),
        _ => {
            // `ucschar` and `iprivate` of RFC 3987, section 2.2.
            matches!(code, 0xa0..=0xd7ff | 0xe000..=0xfdcf | 0xfdf0..=0xffef)
                || code > 0xffff && code & 0xffff <= 0xfffd && !matches!(code, 0xe0000..=0xe0fff)
        }
    }
}
