//! The operators of expressions, and how each writes (RFC 6570 appendix A): a table.

/// What kind an expression is of.
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

/// How an operator writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Before the first value that is there.
    pub(super) first: &'static str,
    /// Before each other, and between the parts of an exploded one.
    pub(super) separator: &'static str,
    /// Whether values stand after their names, and if so: what stands after the name of an empty one.
    pub(super) named: Option<&'static str>,
    /// What stands in values as it is.
    pub(super) alphabet: Alphabet,
}

/// The characters that are not percent-encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Letters, digits and `-._~`.
    Unreserved,
    /// Unreserved characters, the delimiters of URIs, and what is percent-encoded already.
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
    pub(super) const fn has(self, byte: u8) -> bool {
        let unreserved = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        unreserved || matches!(self, Self::Reserved) && is_reserved(byte)
    }
}

/// RFC 3986 section 2.2.
const fn is_reserved(byte: u8) -> bool {
    matches!(
        byte,
        b':' | b'/'
            | b'?'
            | b'#'
            | b'['
            | b']'
            | b'@'
            | b'!'
            | b'$'
            | b'&'
            | b'\''
            | b'('
            | b')'
            | b'*'
            | b'+'
            | b','
            | b';'
            | b'='
    )
}
