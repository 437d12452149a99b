//! From a URI back to the values that a template was expanded with.

use std::fmt;

use super::compile::compile;
use super::percent::decode;
use super::walk::{Step, walk};
use super::{Expression, MAX_URI_BYTES, Modifier, NotMatchable, UriTemplate, Value, Values};

/// Reads values out of URIs, by the rule in [the module's description](super).
#[derive(Clone)]
pub struct Matcher {
    template: UriTemplate,
    steps: Vec<Step>,
}

impl Matcher {
    pub(super) fn new(template: UriTemplate) -> Result<Self, NotMatchable> {
        let steps = compile(&template.parts)?;
        Ok(Self { template, steps })
    }

    /// The template that it matches against.
    pub fn template(&self) -> &UriTemplate {
        &self.template
    }

    /// The values that expand to `uri`, or nothing if it does not match; so if it is longer than [`MAX_URI_BYTES`].
    pub fn values(&self, uri: &str) -> Option<Values> {
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let mut variables: Vec<Parts> = vec![Vec::new(); self.template.variables().count()];
        let mut name = None;
        // Decoded only now that the whole URI is known to match, and once: `%2525` is `%25`.
        for (found, span) in walk(&self.steps, uri)? {
            let text = decode(uri.get(span)?)?;
            if found.is_name {
                name = Some(text);
            } else {
                variables.get_mut(found.variable)?.push((name.take(), text));
            }
        }
        let mut variables = variables.into_iter();
        let expressions = self.template.expressions();
        let values: Values = expressions
            .flat_map(|expression| values_of(expression, &mut variables))
            .collect();
        // What was spelled another way than it would be here is another URI.
        (self.template.expand(&values).ok()? == uri).then_some(values)
    }

    /// Whether it matches the same URIs as `other`, with the same variables under whatever names.
    /// If not, there may still be common URIs.
    pub fn is_like(&self, other: &Self) -> bool {
        self.steps == other.steps
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Matcher").field(&self.template.text).finish()
    }
}

/// The parts of a variable's value, with their names if they have some.
type Parts = Vec<(Option<String>, String)>;

/// The values of the variables of one expression.
fn values_of(
    expression: &Expression,
    variables: &mut impl Iterator<Item = Parts>,
) -> Vec<(String, Value)> {
    let named = expression.variables.iter().zip(variables);
    let mut values: Vec<_> = named
        .filter(|(_, parts)| !parts.is_empty())
        .map(|(variable, parts)| {
            let value = match variable.modifier {
                Modifier::Explode => several(&variable.name, parts),
                Modifier::None | Modifier::Prefix(_) => {
                    Value::Text(parts.into_iter().map(|(_, text)| text).collect())
                }
            };
            (variable.name.clone(), value)
        })
        .collect();
    if expression.operator.style().first.is_empty() {
        values = without_nothing(values);
    }
    values
}

/// A list, unless the parts have other names than the variable's.
fn several(variable: &str, parts: Parts) -> Value {
    let is_other = |name: &Option<String>| name.as_ref().is_some_and(|name| name != variable);
    if parts.iter().any(|(name, _)| is_other(name)) {
        let pairs = parts.into_iter();
        Value::Map(
            pairs
                .map(|(name, text)| (name.unwrap_or_default(), text))
                .collect(),
        )
    } else {
        Value::List(parts.into_iter().map(|(_, text)| text).collect())
    }
}

/// One empty text that has left no mark in the URI is no value.
fn without_nothing(values: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let is_nothing = match values.as_slice() {
        [(_, Value::Text(text))] => text.is_empty(),
        [(_, Value::List(items))] => matches!(items.as_slice(), [item] if item.is_empty()),
        _ => false,
    };
    if is_nothing { Vec::new() } else { values }
}
