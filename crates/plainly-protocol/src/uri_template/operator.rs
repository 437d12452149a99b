//! The operators of expressions, and how each writes (RFC 6570 appendix A): a table.

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
    /// Before the first value that is there.
    pub(super) first: &'static str,
    /// Before each other, and between the parts of an exploded one.
    pub(super) separator: &'static str,
    /// Whether values stand after their names, and if so: what stands after the name of an empty one.
    pub(super) named: Option<&'static str>,
    /// The characters that stand in values as they are.
    pub(super) alphabet: Alphabet,
}

/// The unreserved characters that are neither letters nor digits (RFC 3986, 2.3).
pub(super) const UNRESERVED_MARKS: &[u8] = b"-._~";

/// The delimiters of URIs (RFC 3986, 2.2).
pub(super) const RESERVED: &[u8] = b":/?#[]@!$&'()*+,;=";

/// The characters that are not percent-encoded.
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

    /// The operator that this sign at the beginning of an expression is.
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
