//! One field of a form: its description in words, and the value of an answer.

use jiff::Timestamp;
use jiff::civil::Date;
use plainly::errors::Mistake;
use plainly::protocol::types::{
    BooleanField, Choice, ChoicesField, Field, NumberField, TextField, TextFormat,
};
use plainly_schema::{Limits, Schema};
use serde_json::{Number, Value};
use url::Url;

use super::secret::looks_secret;
use super::shown::{self, short};

/// The most choices that are listed.
const LISTED: usize = 40;

/// A field of a form, with its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedField<'a> {
    pub(super) name: &'a str,
    pub(super) field: &'a Field,
    pub(super) is_required: bool,
}

impl NamedField<'_> {
    /// The display name, and the possible values: `Age (whole number from 0, required)`.
    pub(super) fn head(&self) -> String {
        let need = if self.is_required { ", required" } else { "" };
        let name = self.title().unwrap_or(self.name);
        format!("{} ({}{need})", short(name), self.kind())
    }

    /// Like `head`, with the field's name in the form.
    pub(super) fn named(&self) -> String {
        let need = if self.is_required { ", required" } else { "" };
        format!("{} ({}{need})", short(self.name), self.kind())
    }

    /// The description, if the server gives one.
    pub(super) fn description(&self) -> Option<&str> {
        match self.field {
            Field::Text(field) => field.description.as_deref(),
            Field::Number(field) => field.description.as_deref(),
            Field::Boolean(field) => field.description.as_deref(),
            Field::Choice(field) => field.description.as_deref(),
            Field::Choices(field) => field.description.as_deref(),
            _ => None,
        }
    }

    /// The choices, each on a line, with the numbers that stand for them.
    pub(super) fn listed(&self) -> Option<String> {
        let choices = self.choices();
        let numbers = is_numbered(choices);
        let mut lines: Vec<_> = choices
            .iter()
            .take(LISTED)
            .zip(1..)
            .map(|(choice, number)| match (numbers, &choice.title) {
                (true, Some(title)) => format!("  {number}  {}", short(title)),
                (true, None) => format!("  {number}  {}", short(&choice.value)),
                (false, None) => format!("  {}", short(&choice.value)),
                (false, Some(title)) => format!("  {}: {}", short(&choice.value), short(title)),
            })
            .collect();
        let left = choices.len().saturating_sub(LISTED);
        if left > 0 {
            lines.push(format!("  … and {left} more"));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// A value in the form that users write: choices are shown by their titles.
    pub(super) fn shown(&self, value: &Value) -> String {
        let title = |value: &Value| {
            let mut choices = self.choices().iter();
            let choice = choices.find(|choice| *value == choice.value)?;
            Some(Value::from(choice.title.as_deref()?))
        };
        match value {
            Value::Array(values) => {
                let values = values.iter();
                shown::value(&values.map(|it| title(it).unwrap_or(it.clone())).collect())
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => shown::value(&title(value).unwrap_or(value.clone())),
        }
    }

    /// Whether the field seems to ask for a secret.
    pub(super) fn looks_secret(&self) -> bool {
        let is_typed = matches!(self.field, Field::Text(_) | Field::Number(_));
        let names = [Some(self.name), self.title()];
        is_typed
            && names
                .into_iter()
                .flatten()
                .any(|name| looks_secret(&short(name)))
    }

    /// The value of the typed text, or the mistake in it.
    pub(super) fn read(&self, text: &str) -> Result<Value, String> {
        let value = match self.field {
            Field::Text(field) => text_of(field, text)?,
            Field::Number(field) => number(field, text)?,
            Field::Boolean(_) => yes_or_no(text)?,
            Field::Choice(field) => choice(&field.choices, text)?.into(),
            Field::Choices(field) => several(field, text)?,
            _ => return Err("this kind of field can't be filled in here".to_owned()),
        };
        self.check(&value)?;
        Ok(value)
    }

    /// Checks whether the form accepts the value.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        let schema = serde_json::to_value(self.field).map_err(|error| error.to_string())?;
        // A field that is too large to be a schema only has choices, which are checked when they
        // are read.
        let Ok(schema) = Schema::new(schema, &Limits::default()) else {
            return Ok(());
        };
        let mistakes = schema.failures_of(value);
        match mistakes.is_empty() {
            true => Ok(()),
            false => Err(short(&Mistake::list(&mistakes))),
        }
    }

    fn title(&self) -> Option<&str> {
        match self.field {
            Field::Text(field) => field.title.as_deref(),
            Field::Number(field) => field.title.as_deref(),
            Field::Boolean(field) => field.title.as_deref(),
            Field::Choice(field) => field.title.as_deref(),
            Field::Choices(field) => field.title.as_deref(),
            _ => None,
        }
    }

    fn choices(&self) -> &[Choice] {
        match self.field {
            Field::Choice(field) => &field.choices,
            Field::Choices(field) => &field.choices,
            Field::Text(_) | Field::Number(_) | Field::Boolean(_) | _ => &[],
        }
    }

    fn kind(&self) -> String {
        match self.field {
            Field::Text(field) => {
                let kind = field.format.map_or("text", |format| format_row(format).0);
                let length = range(&field.min_length, &field.max_length);
                length.map_or(kind.to_owned(), |range| {
                    format!("{kind}, {range} characters")
                })
            }
            Field::Number(field) => {
                let kind = if field.is_integer {
                    "whole number"
                } else {
                    "number"
                };
                let range = range(&field.minimum, &field.maximum);
                range.map_or(kind.to_owned(), |range| format!("{kind}, {range}"))
            }
            Field::Boolean(BooleanField { .. }) => "yes or no".to_owned(),
            Field::Choice(_) => "one of these".to_owned(),
            Field::Choices(field) => {
                let count = range(&field.min_items, &field.max_items);
                count.map_or("any of these".to_owned(), |range| {
                    format!("{range} of these")
                })
            }
            _ => "of an unknown kind".to_owned(),
        }
    }
}

/// `1 to 10`, `at least 1`, `at most 10`.
fn range<T: ToString>(least: &Option<T>, most: &Option<T>) -> Option<String> {
    Some(match (least, most) {
        (Some(least), Some(most)) => format!("{} to {}", least.to_string(), most.to_string()),
        (Some(least), None) => format!("at least {}", least.to_string()),
        (None, Some(most)) => format!("at most {}", most.to_string()),
        (None, None) => return None,
    })
}

/// The name of each kind of text, its check, and an example.
fn format_row(format: TextFormat) -> (&'static str, fn(&str) -> bool, &'static str) {
    match format {
        TextFormat::Email => ("email address", is_email, "ada@example.com"),
        TextFormat::Uri => (
            "URL",
            |text| Url::parse(text).is_ok(),
            "https://example.com",
        ),
        TextFormat::Date => ("date", |text| text.parse::<Date>().is_ok(), "2026-07-28"),
        TextFormat::DateTime => (
            "date with time",
            |text| text.parse::<Timestamp>().is_ok(),
            "2026-07-28T12:00:00Z",
        ),
        _ => ("text", |_| true, ""),
    }
}

/// Whether this looks like an email address.
fn is_email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    let is_plain = !text.contains(|it: char| it.is_whitespace() || it.is_control());
    is_plain && parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
}

fn text_of(field: &TextField, text: &str) -> Result<Value, String> {
    // Enter without text has another meaning.
    let text = if text == "\"\"" { "" } else { text };
    if let Some((kind, is_one, example)) = field.format.map(format_row)
        && !is_one(text)
    {
        return Err(format!("it must be a {kind}, such as {example}"));
    }
    Ok(text.into())
}

fn number(field: &NumberField, text: &str) -> Result<Value, String> {
    let number = text.parse::<Number>();
    let number = number
        .ok()
        .filter(|number| number.as_f64().is_some_and(f64::is_finite));
    let example = if field.is_integer {
        "a whole number such as 10"
    } else {
        "a number such as 10 or -1.5"
    };
    number
        .map(Value::from)
        .ok_or_else(|| format!("it must be {example}"))
}

fn yes_or_no(text: &str) -> Result<Value, String> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "true" => Ok(true.into()),
        "n" | "no" | "false" => Ok(false.into()),
        _ => Err("it must be yes or no".to_owned()),
    }
}

/// Whether choices have numbers. They have none if a choice is itself a number, because the two
/// could be confused.
fn is_numbered(choices: &[Choice]) -> bool {
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    !choices
        .iter()
        .any(|choice| is_number(&choice.value) || choice.title.as_deref().is_some_and(is_number))
}

/// The value of the choice with this number, name or title.
fn choice(choices: &[Choice], text: &str) -> Result<String, String> {
    let is_title = |choice: &&Choice| choice.title.as_deref() == Some(text);
    let by_name = choices.iter().find(|choice| choice.value == text);
    let by_name = by_name.or_else(|| choices.iter().find(is_title));
    let by_number = || {
        let number: usize = text.parse().ok().filter(|_| is_numbered(choices))?;
        choices.get(number.checked_sub(1)?)
    };
    let lower = text.to_lowercase();
    let is_alike = |choice: &&Choice| {
        let names = [Some(&choice.value), choice.title.as_ref()];
        names
            .into_iter()
            .flatten()
            .any(|name| name.to_lowercase() == lower)
    };
    let found = by_name.or_else(by_number).or_else(|| {
        let mut alike = choices.iter().filter(is_alike);
        alike.next().filter(|_| alike.next().is_none())
    });
    match found {
        Some(choice) => Ok(choice.value.clone()),
        None => Err(format!("{} is not one of the choices", short(text))),
    }
}

/// The values of several choices, separated by commas.
fn several(field: &ChoicesField, text: &str) -> Result<Value, String> {
    if text == "none" {
        return Ok(Value::Array(Vec::new()));
    }
    if let Ok(one) = choice(&field.choices, text) {
        return Ok(vec![one].into());
    }
    let mut chosen: Vec<String> = Vec::new();
    for part in text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let value = choice(&field.choices, part)?;
        if !chosen.contains(&value) {
            chosen.push(value);
        }
    }
    Ok(chosen.into())
}

#[cfg(test)]
mod tests {
    use plainly::protocol::types::ChoiceField;
    use serde_json::json;

    use super::*;

    fn read(field: impl Into<Field>, text: &str) -> Result<Value, String> {
        let field = &field.into();
        let named = NamedField {
            name: "it",
            field,
            is_required: true,
        };
        named.read(text)
    }

    #[test]
    fn words_are_taken_by_the_type_of_the_field() {
        let short = || TextField::new().min_length(2_u64).max_length(3_u64);
        let age = || NumberField::integer().minimum(1).maximum(150);
        let ways = || ChoiceField::new([("a", "By air"), ("s", "By sea")]);
        let sizes = || ChoiceField::new(["1", "42"]);
        let format = |format| TextField::new().format(format);
        let cases: Vec<(Field, &str, Option<Value>)> = vec![
            (short().into(), "ab", Some(json!("ab"))),
            (short().into(), "a", None),
            (short().into(), "abcd", None),
            (TextField::new().into(), "\"\"", Some(json!(""))),
            (age().into(), "36", Some(json!(36))),
            (age().into(), "0", None),
            (age().into(), "1.5", None),
            (age().into(), "ten", None),
            (NumberField::new().into(), "-1.5", Some(json!(-1.5))),
            (NumberField::new().into(), "1e999", None),
            (BooleanField::new().into(), "Y", Some(json!(true))),
            (BooleanField::new().into(), "no", Some(json!(false))),
            (BooleanField::new().into(), "maybe", None),
            (ways().into(), "2", Some(json!("s"))),
            (ways().into(), "by AIR", Some(json!("a"))),
            (ways().into(), "s", Some(json!("s"))),
            (ways().into(), "3", None),
            (ways().into(), "0", None),
            (sizes().into(), "1", Some(json!("1"))),
            (sizes().into(), "2", None),
            (
                format(TextFormat::Email).into(),
                "ada@example.com",
                Some(json!("ada@example.com")),
            ),
            (format(TextFormat::Email).into(), "ada", None),
            (format(TextFormat::Date).into(), "2026-02-30", None),
            (
                format(TextFormat::Date).into(),
                "2026-02-28",
                Some(json!("2026-02-28")),
            ),
            (
                format(TextFormat::DateTime).into(),
                "2026-02-28T10:00:00Z",
                Some(json!("2026-02-28T10:00:00Z")),
            ),
            (format(TextFormat::DateTime).into(), "tomorrow", None),
            (format(TextFormat::Uri).into(), "example.com", None),
            (
                format(TextFormat::Uri).into(),
                "https://example.com",
                Some(json!("https://example.com")),
            ),
        ];
        for (field, text, expected) in cases {
            let value = read(field.clone(), text);
            assert_eq!(value.clone().ok(), expected, "{field:?} {text}: {value:?}");
        }
    }

    #[test]
    fn several_choices_are_taken_by_number_or_name() {
        let field = || ChoicesField::new(["red", "green", "blue"]).max_items(2_u64);
        for (text, expected) in [
            ("1, blue", Some(json!(["red", "blue"]))),
            ("2,2", Some(json!(["green"]))),
            ("none", Some(json!([]))),
            ("1,2,3", None),
            ("1,pink", None),
        ] {
            assert_eq!(read(field(), text).ok(), expected, "{text}");
        }
        let odd = ChoicesField::new(["a, b", "c"]);
        assert_eq!(read(odd, "a, b").unwrap(), json!(["a, b"]));
    }
}
