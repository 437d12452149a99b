//! The values of variables, for expanding a template or extracted from a URI.

use std::collections::BTreeMap;

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "RFC 6570 section 2.3: a value is a string, a list or an associative array"
)]
pub enum Value {
    /// A text, not percent-encoded. An empty text is a value too.
    Text(String),
    /// Several texts. An empty list counts as no value.
    List(Vec<String>),
    /// Names and their texts, in order. An empty map counts as no value.
    Map(Vec<(String, String)>),
}

impl Value {
    /// Whether it counts as a value (RFC 6570 section 2.3).
    pub(super) fn is_defined(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::List(items) => !items.is_empty(),
            Self::Map(pairs) => !pairs.is_empty(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<String>> for Value {
    fn from(items: Vec<String>) -> Self {
        Self::List(items)
    }
}

impl<const N: usize> From<[&str; N]> for Value {
    fn from(items: [&str; N]) -> Self {
        Self::List(items.map(str::to_owned).into())
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Value {
    fn from(pairs: [(&str, &str); N]) -> Self {
        let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
        Self::Map(pairs.map(owned).into())
    }
}

/// Values by the names of their variables.
///
/// ```
/// use plainly_protocol::uri_template::Values;
///
/// let values = Values::new().with("id", "42").with("tags", ["new", "red"]).with("sort", [("by", "name")]);
/// assert_eq!(values.iter().count(), 3);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<String, Value>);

impl Values {
    /// A set without values.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds this value, or replaces the one with the same name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// The value of the variable with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All values, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value, if it counts as one.
    pub(super) fn defined(&self, name: &str) -> Option<&Value> {
        self.get(name).filter(|value| value.is_defined())
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Values {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(values: I) -> Self {
        let owned = |(name, value): (N, V)| (name.into(), value.into());
        Self(values.into_iter().map(owned).collect())
    }
}
