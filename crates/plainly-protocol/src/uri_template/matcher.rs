//! Extracts from a URI the values that a template was expanded with.

use std::fmt;

use super::compile::compile;
use super::percent::decode;
use super::walk::{Step, walk};
use super::{Expression, MAX_URI_BYTES, Modifier, NotMatchable, UriTemplate, Value, Values};

/// A matcher that extracts values from URIs, by the rule in [the module's description](super).
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

    /// The template that the matcher is for.
    pub fn template(&self) -> &UriTemplate {
        &self.template
    }

    /// The values that expand to `uri`; `None` if it does not match or is longer than
    /// [`MAX_URI_BYTES`].
    pub fn values(&self, uri: &str) -> Option<Values> {
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let mut variables: Vec<Parts> = vec![Vec::new(); self.template.variables().count()];
        let mut name = None;
        // Decoded only after the whole URI has matched, and only once: `%2525` is `%25`.
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
        // A URI with another spelling than the expansion does not match.
        (self.template.expand(&values).ok()? == uri).then_some(values)
    }

    /// Whether both matchers match the same URIs, with the same variables under any names. Even if
    /// they do not, some URIs may match both.
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

/// Treats a single empty text that left no mark in the URI as no value.
fn without_nothing(values: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let is_nothing = match values.as_slice() {
        [(_, Value::Text(text))] => text.is_empty(),
        [(_, Value::List(items))] => matches!(items.as_slice(), [item] if item.is_empty()),
        _ => false,
    };
    if is_nothing { Vec::new() } else { values }
}
