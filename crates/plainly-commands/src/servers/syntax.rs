//! The languages of files: JSON with comments, as editors accept it, and TOML. Both are parsed to
//! JSON values.

use std::fmt;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use serde_json::{Map, Value};
use toml_edit::{Document, Item, TableLike, TomlError};

/// The language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Json,
    Toml,
}

/// A file that can't be read.
#[derive(Clone, Debug)]
pub(crate) struct FileFault {
    pub(crate) path: PathBuf,
    /// The line and the column, starting with 1, if they are known.
    pub(crate) place: Option<(usize, usize)>,
    pub(crate) why: String,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, place, why } = self;
        match place {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {why}", path.display()),
            None => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl Syntax {
    /// The language of a file, according to its name.
    pub(crate) fn of(path: &Path) -> Self {
        match path
            .extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("toml"))
        {
            true => Self::Toml,
            false => Self::Json,
        }
    }

    /// The contents of the file.
    pub(crate) fn read(self, path: &Path, text: &str) -> Result<Value, FileFault> {
        let text = text.trim_start_matches('\u{feff}');
        let broken = |place, why| FileFault {
            path: path.to_owned(),
            place,
            why,
        };
        match self {
            Self::Json => {
                let parsed = jsonc_parser::parse_to_serde_value(text, &commented());
                parsed.map_err(|error| {
                    let place = (error.line_display(), error.column_display());
                    broken(Some(place), lowercase_first(&error.kind().to_string()))
                })
            }
            Self::Toml => {
                let parsed = Document::parse(text).map_err(|error: TomlError| {
                    let place = error.span().map(|span| place(text, span.start));
                    broken(place, lowercase_first(error.message()))
                });
                parsed.map(|document| Value::Object(members(document.as_table())))
            }
        }
    }
}

/// JSON with comments and trailing commas, as editors accept it.
pub(super) fn commented() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// A parser's message, in the form of the end of a sentence.
fn lowercase_first(said: &str) -> String {
    let said = said.lines().next().unwrap_or_default();
    let mut rest = said.chars();
    let first = rest.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(rest).collect()
}

/// The line and the column of a byte, starting with 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let last = before.rsplit('\n').next().unwrap_or(before);
    (before.matches('\n').count() + 1, last.chars().count() + 1)
}

fn members(table: &dyn TableLike) -> Map<String, Value> {
    let members = table.iter();
    members
        .map(|(key, item)| (key.to_owned(), value(item)))
        .collect()
}

/// A value of TOML as one of JSON. JSON has no dates, and entries don't use them.
fn value(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return members(table).into();
    }
    if let Some(tables) = item.as_array_of_tables() {
        let tables = tables.iter();
        return tables.map(|table| Value::Object(members(table))).collect();
    }
    let Some(item) = item.as_value() else {
        return Value::Null;
    };
    if let Some(text) = item.as_str() {
        text.into()
    } else if let Some(flag) = item.as_bool() {
        flag.into()
    } else if let Some(number) = item.as_integer() {
        number.into()
    } else if let Some(number) = item.as_float() {
        number.into()
    } else if let Some(array) = item.as_array() {
        let items = array.iter().cloned();
        items.map(|item| value(&Item::Value(item))).collect()
    } else {
        Value::Null
    }
}
