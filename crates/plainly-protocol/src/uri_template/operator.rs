//! The operators of expressions, and a table of their output formats (RFC 6570, appendix A).

/// The operator of an expression, which determines its expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// `{x}`
    Simple,
    /// `{+x}`
    Reserved,
    /// `{#x}`
    Fragment,
    /// `{.x}`
    Label,
    /// `{/x}`
    Path,
    /// `{;x}`
    Parameters,
    /// `{?x}`
    Query,
    /// `{&x}`
    Continuation,
}

/// The form of an operator's output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// The text before the first value that is present.
    pub(super) first: &'static str,
    /// The text before each further value, and between the parts of an exploded one.
    pub(super) separator: &'static str,
    /// The text after the name of an empty value, if values have names.
    pub(super) named: Option<&'static str>,
    /// The characters that are not encoded in values.
    pub(super) alphabet: Alphabet,
}

/// The unreserved characters that are neither letters nor digits (RFC 3986, 2.3).
pub(super) const UNRESERVED_MARKS: &[u8] = b"-._~";

/// The delimiters of URIs (RFC 3986, 2.2).
pub(super) const RESERVED: &[u8] = b":/?#[]@!$&'()*+,;=";

/// A set of characters that are not percent-encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Letters, digits and `-._~`.
    Unreserved,
    /// Unreserved characters, the delimiters of URIs, and percent-encoded ones.
    Reserved,
}

impl Operator {
    pub(super) const fn style(self) -> Style {
        use Alphabet::{Reserved, Unreserved};
        let (first, separator, named, alphabet) = match self {
            Self::Simple => ("", ",", None, Unreserved),
            Self::Reserved => ("", ",", None, Reserved),
            Self::Fragment => ("#", ",", None, Reserved),
            Self::Label => (".", ".", None, Unreserved),
            Self::Path => ("/", "/", None, Unreserved),
            Self::Parameters => (";", ";", Some(""), Unreserved),
            Self::Query => ("?", "&", Some("="), Unreserved),
            Self::Continuation => ("&", "&", Some("="), Unreserved),
        };
        Style {
            first,
            separator,
            named,
            alphabet,
        }
    }

    /// The operator that this character stands for at the beginning of an expression.
    pub(super) const fn of(sign: char) -> Option<Self> {
        Some(match sign {
            '+' => Self::Reserved,
            '#' => Self::Fragment,
            '.' => Self::Label,
            '/' => Self::Path,
            ';' => Self::Parameters,
            '?' => Self::Query,
            '&' => Self::Continuation,
            _ => return None,
        })
    }
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        let unreserved = byte.is_ascii_alphanumeric() || UNRESERVED_MARKS.contains(&byte);
        unreserved || self == Self::Reserved && RESERVED.contains(&byte)
    }
}
