//! The frontmatter of a `SKILL.md`, and its comparison with the server's entry. Only reads the part
//! of YAML that corresponds to JSON. Aliases are not expanded, so a few lines can't become
//! gigabytes.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use plainly_errors::mistake::quoted;
use plainly_protocol::types::JsonObject;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};
use serde_json::{Map, Value};

/// The maximum size of the frontmatter, in bytes. Names and descriptions of the Agent Skills
/// specification need a hundredth of it.
const BYTES: usize = 64 << 10;
/// The maximum nesting of lists and mappings.
const DEPTH: usize = 64;
/// The line before and after the frontmatter.
const FENCE: &str = "---";

/// The maximum number of values in the JSON. With aliases, a few lines could need more than the
/// memory.
const VALUES: usize = 10_000;

/// The frontmatter of a `SKILL.md`: a mapping of names to values.
#[derive(Debug)]
pub struct Frontmatter(BTreeMap<String, Rc<Yaml>>);

/// The fault in the frontmatter of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(clippy::exhaustive_enums, reason = "frontmatter is read or compared")]
pub enum FrontmatterError {
    /// The file has no readable frontmatter.
    #[error("{why}")]
    Unreadable {
        /// The fault, with its line.
        why: String,
    },
    /// A field differs from the entry of the skill.
    #[error("{path} differs from the entry of the skill")]
    Different {
        /// The path of the field, as a JSON Pointer.
        path: String,
        /// The value in the entry, as JSON, without its middle if it is long; `None` if the entry
        /// has no such field.
        listed: Option<String>,
        /// The value in the file; `None` if the file has no such field.
        found: Option<String>,
    },
}

impl Frontmatter {
    /// Reads the frontmatter of a file.
    pub fn of(file: &str) -> Result<Self, FrontmatterError> {
        let whole = parse(cut(file)?)?;
        match &*whole {
            Yaml::Mapping { members, .. } => Ok(Self(members.clone())),
            Yaml::Scalar { .. } | Yaml::List { .. } => Err(unreadable(
                "its frontmatter is no mapping of names to values",
            )),
        }
    }

    /// Compares the frontmatter, field by field, with the entry of the skill.
    pub fn compare(&self, listed: &JsonObject) -> Result<(), FrontmatterError> {
        compare_members("", listed, &self.0)
    }

    /// Converts the frontmatter to JSON. Unquoted text follows the core schema of YAML 1.2: `true`
    /// is a boolean, `yes` is text.
    pub fn to_json(&self) -> Result<JsonObject, FrontmatterError> {
        let mut left = VALUES;
        Ok(json_members(&self.0, &mut left)?.into())
    }
}

fn unreadable(why: impl Into<String>) -> FrontmatterError {
    FrontmatterError::Unreadable { why: why.into() }
}

/// The YAML between the first line, which must be a fence, and the next fence.
fn cut(file: &str) -> Result<&str, FrontmatterError> {
    let file = file.strip_prefix('\u{feff}').unwrap_or(file);
    let (first, rest) = file.split_once('\n').unwrap_or((file, ""));
    if first.trim_end() != FENCE {
        return Err(unreadable(
            "it does not begin with frontmatter, between two lines of ---",
        ));
    }
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            return Ok(rest.get(..length).unwrap_or_default());
        }
        length += line.len();
        if length > BYTES {
            return Err(unreadable(format!(
                "its frontmatter is longer than {BYTES} bytes"
            )));
        }
    }
    Err(unreadable(
        "its frontmatter does not end: there is no second line of ---",
    ))
}

/// A YAML value. An alias shares the value that it repeats. Lists and mappings store their number
/// of levels, including those from aliases, because visiting or dropping a value recurses that
/// deep.
#[derive(Debug)]
enum Yaml {
    Scalar {
        text: String,
        is_plain: bool,
    },
    List {
        items: Vec<Rc<Self>>,
        levels: usize,
    },
    Mapping {
        members: BTreeMap<String, Rc<Self>>,
        levels: usize,
    },
}

impl Yaml {
    fn levels(&self) -> usize {
        match self {
            Self::Scalar { .. } => 0,
            Self::List { levels, .. } | Self::Mapping { levels, .. } => *levels,
        }
    }

    /// The number of levels of a list or mapping of these values.
    fn levels_around<'a>(values: impl IntoIterator<Item = &'a Rc<Self>>) -> usize {
        let levels = values.into_iter().map(|value| value.levels());
        1 + levels.max().unwrap_or_default()
    }
}

/// A list or mapping that has not ended, and the number of its anchor.
#[derive(Debug)]
enum OpenBlock {
    List(usize, Vec<Rc<Yaml>>),
    Mapping(usize, BTreeMap<String, Rc<Yaml>>, Option<String>),
}

/// The values read so far.
#[derive(Debug, Default)]
struct YamlReader {
    open: Vec<OpenBlock>,
    anchored: HashMap<usize, Rc<Yaml>>,
    whole: Option<Rc<Yaml>>,
}

fn parse(yaml: &str) -> Result<Rc<Yaml>, FrontmatterError> {
    let mut reader = YamlReader::default();
    for event in Parser::new_from_str(yaml) {
        let (event, _place) = event.map_err(|why| unreadable(no_yaml(&why)))?;
        reader.take(event).map_err(unreadable)?;
    }
    let whole = reader.whole;
    whole.ok_or_else(|| unreadable("its frontmatter is empty"))
}

/// The parser's error with its line. Line numbers are those of the file, which starts with a fence.
fn no_yaml(why: &ScanError) -> String {
    // The parser counts brackets before it reports any event.
    if why.info() == "recursion limit exceeded" {
        return too_deep();
    }
    let line = why.marker().line() + 1;
    format!("its frontmatter is not YAML from line {line} on")
}

fn too_deep() -> String {
    format!("its frontmatter is nested more than {DEPTH} deep")
}

impl YamlReader {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                // A tag changes the type of a value. JSON's types need no tag, except to make a
                // value text.
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                let text = text.into_owned();
                self.put(anchor, Yaml::Scalar { text, is_plain }.into())
            }
            Event::Alias(anchor) => match self.anchored.get(&anchor) {
                Some(node) => self.put(0, Rc::clone(node)),
                None => Err("a value of its frontmatter contains itself".to_owned()),
            },
            Event::SequenceStart(anchor, _) => self.begin(OpenBlock::List(anchor, Vec::new())),
            Event::MappingStart(anchor, _) => {
                self.begin(OpenBlock::Mapping(anchor, BTreeMap::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn begin(&mut self, open: OpenBlock) -> Result<(), String> {
        if self.open.len() == DEPTH {
            return Err(too_deep());
        }
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        match self.open.pop() {
            Some(OpenBlock::List(anchor, items)) => {
                let levels = Yaml::levels_around(&items);
                self.put(anchor, Yaml::List { items, levels }.into())
            }
            Some(OpenBlock::Mapping(anchor, members, _)) => {
                let levels = Yaml::levels_around(members.values());
                self.put(anchor, Yaml::Mapping { members, levels }.into())
            }
            None => Ok(()),
        }
    }

    /// Adds a value to the open list or mapping, or sets it as the whole document.
    fn put(&mut self, anchor: usize, node: Rc<Yaml>) -> Result<(), String> {
        // A value from an alias may have many levels itself.
        if self.open.len() + node.levels() > DEPTH {
            return Err(too_deep());
        }
        if anchor != 0 {
            self.anchored.insert(anchor, Rc::clone(&node));
        }
        match self.open.last_mut() {
            None if self.whole.is_some() => {
                return Err("its frontmatter is more than one document".to_owned());
            }
            None => self.whole = Some(node),
            Some(OpenBlock::List(_, items)) => items.push(node),
            Some(OpenBlock::Mapping(_, members, name)) => match (name.take(), &*node) {
                (Some(name), _) => drop(members.insert(name, node)),
                (None, Yaml::Scalar { text, .. }) if members.contains_key(text) => {
                    return Err(format!("its frontmatter has {:?} twice", quoted(text)));
                }
                (None, Yaml::Scalar { text, .. }) => *name = Some(text.clone()),
                (None, Yaml::List { .. } | Yaml::Mapping { .. }) => {
                    return Err("a name in its frontmatter is not text".to_owned());
                }
            },
        }
        Ok(())
    }
}

/// Visits each value of the entry at most once, even if the file repeats a value often.
fn compare_values(path: &str, listed: &Value, found: &Yaml) -> Result<(), FrontmatterError> {
    match (listed, found) {
        (Value::Object(listed), Yaml::Mapping { members, .. }) => {
            compare_members(path, listed, members)
        }
        (Value::Array(listed), Yaml::List { items, .. }) if listed.len() == items.len() => {
            let mut pairs = (0..).zip(listed.iter().zip(items));
            pairs.try_for_each(|(at, (listed, found)): (usize, _)| {
                compare_values(&format!("{path}/{at}"), listed, found)
            })
        }
        (listed, Yaml::Scalar { text, is_plain }) if reads_as(text, *is_plain, listed) => Ok(()),
        _ => Err(difference(path.to_owned(), Some(listed), Some(found))),
    }
}

fn compare_members(
    path: &str,
    listed: &Map<String, Value>,
    found: &BTreeMap<String, Rc<Yaml>>,
) -> Result<(), FrontmatterError> {
    let place = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
    for (name, listed) in listed {
        match found.get(name) {
            Some(found) => compare_values(&place(name), listed, found)?,
            None => return Err(difference(place(name), Some(listed), None)),
        }
    }
    match found.iter().find(|(name, _)| !listed.contains_key(*name)) {
        Some((name, found)) => Err(difference(place(name), None, Some(found))),
        None => Ok(()),
    }
}

/// Whether a scalar may mean this value. Unquoted text has several readings, and versions and
/// parsers of YAML differ in which one they choose. Such a difference is not a difference in
/// content.
fn reads_as(text: &str, is_plain: bool, listed: &Value) -> bool {
    match listed {
        Value::String(listed) => listed == text,
        Value::Number(listed) => {
            let number = json_number(text).filter(|_| is_plain);
            number.is_some_and(|number| number.as_f64() == listed.as_f64())
        }
        Value::Bool(listed) => is_plain && truth(text) == Some(*listed),
        Value::Null => is_plain && ["", "~", "null", "Null", "NULL"].contains(&text),
        Value::Array(_) | Value::Object(_) => false,
    }
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn difference(path: String, listed: Option<&Value>, found: Option<&Yaml>) -> FrontmatterError {
    FrontmatterError::Different {
        path,
        listed: listed.map(|listed| quoted(&listed.to_string()).into_owned()),
        found: found.map(|found| match found {
            Yaml::Scalar { text, .. } => format!("{:?}", quoted(text)),
            Yaml::List { items, .. } => format!("a list of {}", items.len()),
            Yaml::Mapping { members, .. } => format!("a mapping of {}", members.len()),
        }),
    }
}

fn json_members(
    members: &BTreeMap<String, Rc<Yaml>>,
    left: &mut usize,
) -> Result<Map<String, Value>, FrontmatterError> {
    let members = members.iter();
    members
        .map(|(name, value)| Ok((name.clone(), json_value(value, left)?)))
        .collect()
}

/// Converts a YAML value to JSON. Fails once no more values are allowed.
fn json_value(value: &Yaml, left: &mut usize) -> Result<Value, FrontmatterError> {
    *left = left
        .checked_sub(1)
        .ok_or_else(|| unreadable(format!("its frontmatter has more than {VALUES} values")))?;
    Ok(match value {
        Yaml::Scalar { text, is_plain } if *is_plain => json_plain(text),
        Yaml::Scalar { text, .. } => Value::String(text.clone()),
        Yaml::List { items, .. } => {
            let items = items.iter().map(|item| json_value(item, left));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Yaml::Mapping { members, .. } => Value::Object(json_members(members, left)?),
    })
}

/// Converts unquoted text by the core schema of YAML 1.2.
fn json_plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => json_number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

fn json_number(text: &str) -> Option<Value> {
    if let Some(digits) = text.strip_prefix("0x") {
        return json_digits(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return json_digits(digits, 8);
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    // `inf` and `nan` are numbers in Rust only, `.inf` and `.nan` in YAML only.
    let is_number = digits.starts_with(|it: char| it.is_ascii_digit() || it == '.');
    let number = text.parse().ok().filter(|_| is_number)?;
    serde_json::Number::from_f64(number).map(Value::Number)
}

/// A number of hexadecimal or octal digits, which has no sign in YAML.
fn json_digits(digits: &str, radix: u32) -> Option<Value> {
    let number = i64::from_str_radix(digits, radix).ok();
    number
        .filter(|_| !digits.starts_with(['+', '-']))
        .map(Value::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(yaml: &str) -> Result<Value, String> {
        let frontmatter = Frontmatter::of(&format!("---\n{yaml}\n---\n# Text\n"));
        let frontmatter = frontmatter.map_err(|error| error.to_string())?;
        let json = frontmatter.to_json().map_err(|error| error.to_string())?;
        frontmatter.compare(&json).expect("it is like itself");
        Ok(serde_json::to_value(json).unwrap())
    }

    #[test]
    fn frontmatter_is_json_by_the_core_schema() {
        for (yaml, expected) in [
            ("a: text", json!({"a": "text"})),
            ("a: 'true'", json!({"a": "true"})),
            (
                "a: true\nb: yes\nc: FALSE",
                json!({"a": true, "b": "yes", "c": false}),
            ),
            (
                "a:\nb: ~\nc: null\nd: ''",
                json!({"a": null, "b": null, "c": null, "d": ""}),
            ),
            (
                "a: 1\nb: -1\nc: 1.5\nd: 1e3",
                json!({"a": 1, "b": -1, "c": 1.5, "d": 1000.0}),
            ),
            (
                "a: 0x1f\nb: 0o17\nc: 1.0\nd: 0x1f00001726177950",
                json!({"a": 31, "b": 15, "c": 1.0, "d": 2_233_785_514_599_086_416_u64}),
            ),
            (
                "a: 0x-5\nb: 0o+7\nc: -0x5",
                json!({"a": "0x-5", "b": "0o+7", "c": "-0x5"}),
            ),
            (
                "a: 1.2.3\nb: 2026-11-27\nc: inf\nd: .nan",
                json!({"a": "1.2.3", "b": "2026-11-27", "c": "inf", "d": ".nan"}),
            ),
            (
                "a: [x, 2]\nb: {c: d}",
                json!({"a": ["x", 2], "b": {"c": "d"}}),
            ),
            ("a: >\n  two\n  lines\n", json!({"a": "two lines\n"})),
            ("a: &it [x]\nb: *it", json!({"a": ["x"], "b": ["x"]})),
            ("a: !!str 1", json!({"a": "1"})),
        ] {
            assert_eq!(read(yaml), Ok(expected), "{yaml}");
        }
    }

    #[test]
    fn a_few_lines_can_not_become_gigabytes() {
        let mut yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(9);
            yaml += &format!("a{level}: &a{level} [{below}]\n");
        }
        let why = "its frontmatter has more than 10000 values";
        assert_eq!(read(&yaml), Err(why.to_owned()));
    }
}
