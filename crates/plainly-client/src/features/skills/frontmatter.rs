//! The frontmatter of a `SKILL.md`, and its comparison with the server's entry. Only the part of
//! YAML that JSON has is read: nothing is expanded, so a few lines can't become gigabytes.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use plainly_errors::mistake::quoted;
use plainly_protocol::types::JsonObject;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};
use serde_json::{Map, Value};

use crate::error::Mismatch;

/// The most bytes of frontmatter. The names and descriptions of the Agent Skills specification take a hundredth of it.
const BYTES: usize = 64 << 10;
/// The most levels of lists and mappings in it.
const DEPTH: usize = 64;
/// The line before and after it.
const FENCE: &str = "---";

/// Compares the frontmatter of a file, field by field, with its entry.
pub(super) fn compare(file: &str, listed: &JsonObject) -> Result<(), Mismatch> {
    let found = parse(cut(file)?)?;
    let Yaml::Mapping { members, .. } = &*found else {
        return Err(unreadable(
            "its frontmatter is no mapping of names to values",
        ));
    };
    compare_members("", listed, members)
}

fn unreadable(why: impl Into<String>) -> Mismatch {
    Mismatch::Unreadable { why: why.into() }
}

/// The YAML between the first line and the next one that is a fence.
fn cut(file: &str) -> Result<&str, Mismatch> {
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

/// A value of YAML. One that an alias repeats is shared. Lists and mappings know how many levels they are, with those that
/// aliases bring: whoever walks one, if only to drop it, goes as deep.
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

    /// The levels of a list or mapping of these.
    fn levels_around<'a>(values: impl IntoIterator<Item = &'a Rc<Self>>) -> usize {
        let levels = values.into_iter().map(|value| value.levels());
        1 + levels.max().unwrap_or_default()
    }
}

/// A list or mapping whose end has not come yet, and the number of its anchor.
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

fn parse(yaml: &str) -> Result<Rc<Yaml>, Mismatch> {
    let mut reader = YamlReader::default();
    for event in Parser::new_from_str(yaml) {
        let (event, _place) = event.map_err(|why| unreadable(no_yaml(&why)))?;
        reader.take(event).map_err(unreadable)?;
    }
    let whole = reader.whole;
    whole.ok_or_else(|| unreadable("its frontmatter is empty"))
}

/// The place where the parser gave up, with its reason. The line is that of the file, which starts
/// with a fence.
fn no_yaml(why: &ScanError) -> String {
    // Brackets are counted before there is any event.
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
                // A tag says of which type it is, and none of those that JSON has needs one but text.
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

    /// Puts a value where one is due: into the open one, or as the whole.
    fn put(&mut self, anchor: usize, node: Rc<Yaml>) -> Result<(), String> {
        // What an alias brings may be deep already.
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

/// Visits each value of the entry once at most, however often the file repeats one of its own.
fn compare_values(path: &str, listed: &Value, found: &Yaml) -> Result<(), Mismatch> {
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
) -> Result<(), Mismatch> {
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

/// Whether a scalar may mean this value. What has no quotes can be read in more than one way, and versions and readers of YAML
/// differ in which they choose: none of them is a difference in content.
fn reads_as(text: &str, is_plain: bool, listed: &Value) -> bool {
    match listed {
        Value::String(listed) => listed == text,
        Value::Number(listed) => is_plain && number(text) == listed.as_f64(),
        Value::Bool(listed) => is_plain && truth(text) == Some(*listed),
        Value::Null => is_plain && ["", "~", "null", "Null", "NULL"].contains(&text),
        Value::Array(_) | Value::Object(_) => false,
    }
}

fn number(text: &str) -> Option<f64> {
    let (radix, digits) = match text.get(..2) {
        Some("0x") => (16, text.get(2..)?),
        Some("0o") => (8, text.get(2..)?),
        _ => return text.parse().ok(),
    };
    let whole = u32::from_str_radix(digits, radix).ok()?;
    Some(whole.into())
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn difference(path: String, listed: Option<&Value>, found: Option<&Yaml>) -> Mismatch {
    Mismatch::Frontmatter {
        path,
        listed: listed.map(|listed| quoted(&listed.to_string()).into_owned()),
        found: found.map(|found| match found {
            Yaml::Scalar { text, .. } => format!("{:?}", quoted(text)),
            Yaml::List { items, .. } => format!("a list of {}", items.len()),
            Yaml::Mapping { members, .. } => format!("a mapping of {}", members.len()),
        }),
    }
}
