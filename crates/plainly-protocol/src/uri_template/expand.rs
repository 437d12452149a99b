//! Expands a template with values to a URI (RFC 6570, section 3).

use thiserror::Error;

use super::operator::{Alphabet, Style};
use super::percent::encode;
use super::{Expression, MAX_URI_BYTES, Modifier, TemplatePart, Value, Values, Variable};

/// The reason why a template can't be expanded with some values.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// The template uses a prefix of a variable whose value is not a text.
    #[error("the variable {name} has several values, which can't have a prefix")]
    PrefixOfSeveral {
        /// The name of the variable.
        name: String,
    },
    /// The URI would be longer than [`MAX_URI_BYTES`].
    #[error("the expanded URI is longer than {MAX_URI_BYTES} bytes")]
    TooLong,
}

plainly_errors::debug_with_causes!(ExpandError);

pub(super) fn expand(parts: &[TemplatePart], values: &Values) -> Result<String, ExpandError> {
    let mut out = String::new();
    for part in parts {
        match part {
            TemplatePart::Literal(literal) => out.push_str(literal),
            TemplatePart::Expression(expression) => write_expression(expression, values, &mut out)?,
        }
    }
    check_length(&out)?;
    Ok(out)
}

fn write_expression(
    expression: &Expression,
    values: &Values,
    out: &mut String,
) -> Result<(), ExpandError> {
    let style = expression.operator.style();
    let mut before = style.first;
    for variable in &expression.variables {
        let Some(value) = values.defined(&variable.name) else {
            continue;
        };
        out.push_str(before);
        write_value(&style, variable, value, out)?;
        // Checked after each value, so that many long values are never joined first.
        check_length(out)?;
        before = style.separator;
    }
    Ok(())
}

fn write_value(
    style: &Style,
    variable: &Variable,
    value: &Value,
    out: &mut String,
) -> Result<(), ExpandError> {
    let name = &variable.name;
    match (value, variable.modifier) {
        (Value::Text(text), Modifier::Prefix(length)) => {
            // Counted in characters and not in bytes: RFC 6570, section 2.4.1.
            let end = text.char_indices().nth(length);
            let prefix = end.map_or(text.as_str(), |(end, _)| text.split_at(end).0);
            write_named(style, name, prefix, out);
        }
        (Value::Text(text), Modifier::None | Modifier::Explode) => {
            write_named(style, name, text, out);
        }
        (Value::List(_) | Value::Map(_), Modifier::Prefix(_)) => {
            return Err(ExpandError::PrefixOfSeveral { name: name.clone() });
        }
        (Value::List(items), Modifier::None) => {
            write_together(style, name, items.iter(), out);
        }
        (Value::Map(pairs), Modifier::None) => {
            let flat = pairs.iter().flat_map(|(name, text)| [name, text]);
            write_together(style, name, flat, out);
        }
        (Value::List(items), Modifier::Explode) => {
            separated(items, style.separator, out, |item, out| {
                write_named(style, name, item, out);
            });
        }
        (Value::Map(pairs), Modifier::Explode) => {
            separated(pairs, style.separator, out, |(name, text), out| {
                encode(name, style.alphabet, out);
                write_after_name(text, style.named.unwrap_or("="), style.alphabet, out);
            });
        }
    }
    Ok(())
}

/// Writes a text, after its name if the operator names values. The name contains no character that
/// needs encoding.
fn write_named(style: &Style, name: &str, text: &str, out: &mut String) {
    let Some(if_empty) = style.named else {
        return encode(text, style.alphabet, out);
    };
    out.push_str(name);
    write_after_name(text, if_empty, style.alphabet, out);
}

fn write_after_name(text: &str, if_empty: &str, alphabet: Alphabet, out: &mut String) {
    if text.is_empty() {
        return out.push_str(if_empty);
    }
    out.push('=');
    encode(text, alphabet, out);
}

/// Writes several texts as a single value.
fn write_together<'a>(
    style: &Style,
    name: &str,
    texts: impl Iterator<Item = &'a String>,
    out: &mut String,
) {
    if style.named.is_some() {
        out.push_str(name);
        out.push('=');
    }
    separated(texts, ",", out, |text, out| {
        encode(text, style.alphabet, out);
    });
}

fn separated<T>(
    items: impl IntoIterator<Item = T>,
    separator: &str,
    out: &mut String,
    write: impl Fn(T, &mut String),
) {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        write(item, out);
    }
}

fn check_length(out: &str) -> Result<(), ExpandError> {
    if out.len() > MAX_URI_BYTES {
        return Err(ExpandError::TooLong);
    }
    Ok(())
}
