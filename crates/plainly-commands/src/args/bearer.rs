//! `--bearer`: the place of a token, so that the token need not be on the command line.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A token, or its place.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum BearerArg {
    /// A file that contains only the token.
    File(PathBuf),
    /// The first line of standard input.
    Input,
    /// A variable of the environment.
    Variable(String),
    /// The token itself, which all users of this machine can see.
    Token(String),
}

impl FromStr for BearerArg {
    /// Nothing is rejected here, because the error would repeat a text that may be the token.
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match (text.strip_prefix('@'), text.strip_prefix("env:")) {
            (Some("-"), _) => Self::Input,
            (Some(file), _) => Self::File(file.into()),
            (None, Some(name)) => Self::Variable(name.to_owned()),
            (None, None) => Self::Token(text.to_owned()),
        })
    }
}

/// Omits the token.
impl fmt::Debug for BearerArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Input => f.write_str("Input"),
            Self::Variable(name) => f.debug_tuple("Variable").field(name).finish(),
            Self::Token(_) => f.write_str("Token(…)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_told_from_where_it_is() {
        for (text, shown) in [
            ("@token.txt", r#"File("token.txt")"#),
            ("@", r#"File("")"#),
            ("@-", "Input"),
            ("env:TOKEN", r#"Variable("TOKEN")"#),
            ("env:", r#"Variable("")"#),
            ("s3cret", "Token(…)"),
            ("", "Token(…)"),
        ] {
            let Ok(read) = text.parse::<BearerArg>();
            assert_eq!(format!("{read:?}"), shown);
        }
    }
}
