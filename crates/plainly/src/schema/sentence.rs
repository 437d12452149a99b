//! What fails, said to whoever must mend it: where, what is wrong, and what would be right, if that is a short list or there
//! is something close.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

/// The longest sentence, in bytes: it quotes the value, which can be as long as a message.
pub(super) const LONGEST: usize = 512;

/// The most values that are listed as the valid ones.
const MOST_LISTED: usize = 24;

/// Bytes of what may be a slip of another word.
const LONGEST_SLIP: usize = 64;

/// The sentence for `error`, which came of holding a value against `schema`.
pub(super) fn sentence(error: &ValidationError<'_>, schema: &Value) -> String {
    let path = error.instance_path().to_string();
    let what = match allowed(error) {
        Some(allowed) => one_of(error.instance(), &allowed),
        None => format!("{}{}", short(error.to_string()), known(error, schema)),
    };
    if path.is_empty() {
        what
    } else {
        format!("{}: {what}", short(path))
    }
}

/// The valid values, if they are few: those of an enum, of a constant, or of alternatives that are such.
fn allowed(error: &ValidationError<'_>) -> Option<Vec<Value>> {
    if let ValidationErrorKind::Enum { options } = error.kind() {
        return options.as_array().cloned();
    }
    if let ValidationErrorKind::Constant { expected_value } = error.kind() {
        return Some(vec![(**expected_value).clone()]);
    }
    let (ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }) =
        error.kind()
    else {
        return None;
    };
    let mut all = Vec::new();
    for failures in context {
        let [failure] = &failures[..] else {
            return None;
        };
        if failure.instance_path() != error.instance_path() {
            return None;
        }
        // What may be null is of some other use than to be null.
        if !is_only_null(failure) {
            all.extend(allowed(failure)?);
        }
    }
    (!all.is_empty()).then_some(all)
}

fn is_only_null(error: &ValidationError<'_>) -> bool {
    error.to_string().ends_with("is not of type \"null\"")
}

fn one_of(value: &Value, allowed: &[Value]) -> String {
    let listed: Vec<String> = allowed.iter().map(Value::to_string).collect();
    let value_text = short(value.to_string());
    let words = allowed.iter().filter_map(Value::as_str);
    let close = value.as_str().and_then(|text| closest(text, words));
    let close = close.map_or_else(String::new, |it| format!(" (did you mean {it:?}?)"));
    match &listed[..] {
        [only] => format!("{value_text} is not {}{close}", short(only.clone())),
        all => format!("{value_text} is not one of {}{close}", some_of(all)),
    }
}

/// As many as make a sentence.
fn some_of(listed: &[String]) -> String {
    let mut bytes = 0;
    let fits = |text: &&String| {
        bytes += text.len() + 2;
        bytes <= LONGEST
    };
    let shown: Vec<&str> = listed
        .iter()
        .take(MOST_LISTED)
        .take_while(fits)
        .map(String::as_str)
        .collect();
    match listed.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// For a name that no property has: one that it may be a slip of.
fn known(error: &ValidationError<'_>, schema: &Value) -> String {
    let (ValidationErrorKind::AdditionalProperties { unexpected }
    | ValidationErrorKind::UnevaluatedProperties { unexpected }) = error.kind()
    else {
        return String::new();
    };
    let path = error.schema_path().to_string();
    let owner = path.rsplit_once('/').map_or("", |(owner, _)| owner);
    let properties = schema
        .pointer(owner)
        .and_then(|owner| owner.get("properties"));
    let Some(properties) = properties.and_then(Value::as_object) else {
        return String::new();
    };
    let missing = |name: &&String| error.instance().get(name.as_str()).is_none();
    let names = || properties.keys().filter(missing).map(String::as_str);
    let close = unexpected.iter().find_map(|name| closest(name, names()));
    close.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

/// The one of `words` that `text` is a slip of: other capitals, or no more than one letter in three.
fn closest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > LONGEST_SLIP {
        return None;
    }
    let lower = text.to_lowercase();
    let distance = |word: &&str| strsim::osa_distance(&lower, &word.to_lowercase());
    let is_close = |(distance, word): &(usize, &str)| *distance * 3 <= word.chars().count();
    words
        .filter(|word| word.len() <= LONGEST_SLIP)
        .map(|word| (distance(&word), word))
        .filter(is_close)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// The sentence, without its middle if that is too long: what is quoted comes before what is wrong with it.
fn short(sentence: String) -> String {
    if sentence.len() <= LONGEST {
        return sentence;
    }
    let begin = sentence.floor_char_boundary(LONGEST / 2);
    let end = sentence.ceil_char_boundary(sentence.len() - LONGEST / 2);
    let (before, after) = (sentence.get(..begin), sentence.get(end..));
    format!(
        "{}…{}",
        before.unwrap_or_default(),
        after.unwrap_or_default()
    )
}
