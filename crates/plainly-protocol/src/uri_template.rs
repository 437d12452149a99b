//! URI templates (RFC 6570, all four levels), the syntax of resource templates. A template expands
//! to a URI, and a [`Matcher`] extracts the values from one.
//!
//! The RFC defines expansion but not matching, so this is the complete rule:
//!
//! - **A URI matches if the template expands to it** for texts in plain variables and lists or maps
//!   in exploded ones (`*`), and the extracted values expand to exactly that URI again. Values are
//!   percent-decoded once. So each value has a single spelling: `%2f`, `%41` or a raw `@` in `{id}`
//!   do not match where `%2F`, `A` and `%40` do.
//! - **If there are several ways, the leftmost variable gets the shortest value**, and a variable
//!   is present rather than absent: `{a}.{b}` reads `x.y.z` as `x` and `y.z`. `{+path}` may match
//!   `/`, `?` and all the rest; other variables end at a character that they would encode.
//! - **An empty match is no value**: if `{id}` or `{+path}` matches no characters, the variable is
//!   absent. An operator that writes a mark, as in `{/id}` and `{?id}`, distinguishes an empty text
//!   from an absent one.
//! - **Parameters keep their order**: `{?a,b}` matches `?a=1&b=2`, `?b=2` and an empty string, but
//!   not `?b=2&a=1`.
//!
//! [`UriTemplate::matcher`] rejects a template for which this rule is ambiguous; such a template
//! can still be expanded.
//!
//! The extracted value equals the original one if the original does not contain the text that
//! follows it in the template: with `{a}/{b}` for any two texts except the empty one, because `{a}`
//! would encode the `/`; with `{a}.{b}` for an `a` without a full stop; with `{+path}` for every
//! text without percent-encoded characters of its own.
//!
//! Matching takes time and memory in proportion to the length of the URI, for any template, because
//! it never backtracks.
//!
//! ```
//! use plainly_protocol::uri_template::{UriTemplate, Values};
//!
//! let template = UriTemplate::parse("repo://{owner}/{+path}{?line}")?;
//! let values = Values::new().with("owner", "ann").with("path", "src/été.rs").with("line", "7");
//! let uri = template.expand(&values)?;
//! assert_eq!(uri, "repo://ann/src/%C3%A9t%C3%A9.rs?line=7");
//!
//! let matcher = template.matcher()?;
//! assert_eq!(matcher.values(&uri), Some(values));
//! assert_eq!(matcher.values("repo://ann"), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod operator;
mod parse;

mod values;

mod expand;
mod percent;

mod compile;
mod matcher;
mod walk;

use std::fmt;
use std::str::FromStr;

pub use self::compile::{MatchProblem, NotMatchable};
pub use self::expand::ExpandError;
pub use self::matcher::Matcher;
use self::operator::Operator;
pub use self::parse::{TemplateError, TemplateProblem};
pub use self::values::{Value, Values};

/// The maximum length of a template in bytes.
pub const MAX_TEMPLATE_BYTES: usize = 4096;
/// The maximum number of variables of a template, in all its expressions together.
pub const MAX_VARIABLES: usize = 32;
/// The maximum length, in bytes, of a URI that a template expands to or is matched against.
pub const MAX_URI_BYTES: usize = 64 * 1024;

/// A URI template, parsed. Displayed as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    parts: Vec<TemplatePart>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    /// Text that is spelled as in a URI. Never empty, never next to another literal.
    Literal(String),
    Expression(Expression),
}

/// An expression in braces.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Expression {
    /// The byte offset in the template where the expression begins.
    at: usize,
    operator: Operator,
    /// The variables, at least one.
    variables: Vec<Variable>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable {
    name: String,
    modifier: Modifier,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Modifier {
    None,
    /// The maximum number of characters, from 1 to 9999.
    Prefix(usize),
    Explode,
}

impl UriTemplate {
    /// Parses a template.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        Ok(Self {
            text: text.to_owned(),
            parts: parse::parse(text)?,
        })
    }

    /// The template as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of the variables, in order and with repetitions.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.expressions()
            .flat_map(|expression| &expression.variables)
            .map(|variable| variable.name.as_str())
    }

    /// The template up to and including this variable; `None` if it has no such variable.
    ///
    /// ```
    /// use plainly_protocol::uri_template::UriTemplate;
    ///
    /// let template = UriTemplate::parse("repo://{owner}/{+path}{?line,column}")?;
    /// let until = |variable| template.until(variable).map(|it| it.to_string());
    /// assert_eq!(until("path").as_deref(), Some("repo://{owner}/{+path}"));
    /// assert_eq!(until("line").as_deref(), Some("repo://{owner}/{+path}{?line}"));
    /// assert_eq!(until("branch"), None);
    /// # Ok::<(), plainly_protocol::uri_template::TemplateError>(())
    /// ```
    #[must_use]
    pub fn until(&self, variable: &str) -> Option<Self> {
        let expressions = self.parts.iter().filter_map(|part| match part {
            TemplatePart::Expression(expression) => Some(expression),
            TemplatePart::Literal(_) => None,
        });
        let (at, count) = expressions.into_iter().find_map(|expression| {
            let mut names = expression.variables.iter();
            let position = names.position(|one| one.name == variable)?;
            Some((expression.at, position + 1))
        })?;
        let (before, rest) = self.text.split_at_checked(at)?;
        let (expression, _) = rest.split_once('}')?;
        let kept: Vec<&str> = expression.split(',').take(count).collect();
        Self::parse(&format!("{before}{}}}", kept.join(","))).ok()
    }

    /// The expansion of the template with these values (RFC 6570, section 3). A variable without a
    /// value is left out.
    ///
    /// Names in an exploded map are encoded like values, which is stricter than the RFC, so that no
    /// name can add another pair.
    pub fn expand(&self, values: &Values) -> Result<String, ExpandError> {
        expand::expand(&self.parts, values)
    }

    /// A matcher for this template, if matching is unambiguous.
    pub fn matcher(self) -> Result<Matcher, NotMatchable> {
        Matcher::new(self)
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Expression(expression) => Some(expression),
            TemplatePart::Literal(_) => None,
        })
    }
}

impl FromStr for UriTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        Self::parse(text)
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}
