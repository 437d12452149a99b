//! The arguments of a call: those of the command line, adapted to the schema of the tool or prompt.
//! Names are corrected, text is converted to the types of the schema, and missing arguments are
//! reported before the call.

mod given;
mod typed;

use clap::error::ErrorKind;
use plainly::errors::mistake::quoted;
use serde_json::{Map, Value};

use self::given::{Argument, Sources, WrittenValue, given, parser};
use self::typed::{listed, typed};
use super::described::{Description, command_line};
use super::listed::{Listable, missing, names};
use super::parameter::{Callee, Parameter, parameters};
use crate::args::{Server, Words};
use crate::failure::Failure;
use crate::json;
use crate::near::{bare, did_you_mean, known, nearest};

/// The most arguments that are named as missing.
const NAMED: usize = 20;

/// The arguments on the command line.
#[derive(Debug)]
pub(super) struct GivenArguments {
    callee: Callee,
    /// All arguments as one object.
    whole: Option<Map<String, Value>>,
    /// The arguments given one by one, which take precedence over the object.
    each: Vec<Argument>,
}

impl GivenArguments {
    /// Reads the arguments for a tool: an object, words, or both.
    pub(super) fn of_tool(
        whole: Option<&str>,
        mut words: Words,
        server: &Server,
    ) -> Result<Self, Failure> {
        let mut sources = Sources::beside(server);
        let whole = whole
            .map(|written| object(written, &mut sources))
            .transpose();
        let whole = whole.map_err(|why| words.wrong(ErrorKind::ValueValidation, &why))?;
        let callee = Callee::Tool;
        let each = given(&mut words, callee, &mut sources)?;
        Ok(Self {
            callee,
            whole,
            each,
        })
    }

    /// Reads the arguments for a prompt: words, whose values are all text.
    pub(super) fn of_prompt(mut words: Words, server: &Server) -> Result<Self, Failure> {
        let mut sources = Sources::beside(server);
        let callee = Callee::Prompt;
        let each = given(&mut words, callee, &mut sources)?;
        Ok(Self {
            callee,
            whole: None,
            each,
        })
    }

    /// Whether there is only an object, which is sent unchanged.
    pub(super) fn is_exact(&self) -> bool {
        self.whole.is_some() && self.each.is_empty()
    }

    /// The arguments for the tool or prompt with this name, according to the server's list; `None`
    /// if the server has no list. A name that is not listed may be valid nevertheless, unless it
    /// looks like a typing mistake.
    pub(super) fn fit_one<T: Listable>(
        self,
        name: &str,
        listed: Option<&[T]>,
        described: fn(&T) -> Description<'_>,
        server: &Server,
    ) -> Result<Map<String, Value>, Failure> {
        let callee = self.callee;
        let listed = listed.unwrap_or_default();
        let one = listed.iter().find(|one| one.named().name == name);
        let names = names(listed);
        let near = || nearest(name, names.iter().map(String::as_str));
        let schema = match one {
            Some(one) => described(one).schema,
            None if near().is_empty() => callee.unknown(),
            None => return Err(Failure::Missing(missing(callee, name, &names, server))),
        };
        self.fit(name, &schema).map_err(|what| {
            let shown = command_line(callee.listing(), server, &[name.to_owned()]);
            Failure::Arguments {
                what,
                help: format!("`{shown}` shows what it takes"),
            }
        })
    }

    /// The arguments that match `schema`, or the reason why they don't. `callee` has that schema.
    fn fit(self, callee: &str, schema: &Value) -> Result<Map<String, Value>, String> {
        let parameters = parameters(schema);
        let mut by_name: Vec<(&str, Vec<&WrittenValue>)> = Vec::new();
        for Argument { name, written } in &self.each {
            let name = corrected(name, callee, schema, &parameters)?;
            match by_name.iter_mut().find(|(known, _)| *known == name) {
                Some((_, all)) => all.push(written),
                None => by_name.push((name, vec![written])),
            }
        }
        let unknown = by_name.iter().map(|(name, _)| *name);
        let unknown = unknown.filter(|name| parameters.iter().all(|it| it.name != *name));
        let unknown: Vec<_> = unknown.take(NAMED).map(|it| format!("{it:?}")).collect();
        let mut arguments = self.whole.unwrap_or_default();
        for (name, all) in by_name {
            let parameter = parameters.iter().find(|it| it.name == name);
            let open = Parameter {
                name,
                schema: &schema["additionalProperties"],
                root: schema,
                is_required: false,
            };
            let value = value(parameter.unwrap_or(&open), &all)?;
            arguments.insert(name.to_owned(), value);
        }
        // Some libraries list parameters with a default as required.
        for parameter in parameters.iter().filter(|it| it.is_required) {
            if let (false, Some(value)) =
                (arguments.contains_key(parameter.name), parameter.default())
            {
                arguments.insert(parameter.name.to_owned(), value.clone());
            }
        }
        let missing = parameters
            .iter()
            .filter(|it| it.is_required && !arguments.contains_key(it.name));
        let missing: Vec<_> = missing
            .take(NAMED)
            .map(|it| format!("{} ({})", it.name, it.kind()))
            .collect();
        let missing = missing.join(", ");
        match (missing.is_empty(), unknown.is_empty()) {
            (true, _) => Ok(arguments),
            (false, true) => Err(format!("{callee} needs {missing}")),
            // A schema that allows other arguments mostly does so by mistake.
            (false, false) => {
                let unknown = unknown.join(", ");
                Err(format!(
                    "{callee} needs {missing}, and names no argument {unknown}"
                ))
            }
        }
    }
}

/// The name of the parameter that is meant: this one, or the only one with a similar name.
fn corrected<'a>(
    name: &'a str,
    callee: &str,
    schema: &Value,
    parameters: &[Parameter<'a>],
) -> Result<&'a str, String> {
    let names = parameters.iter().map(|parameter| parameter.name);
    if names.clone().any(|known| known == name) {
        return Ok(name);
    }
    let mut alike = names.clone().filter(|known| bare(known) == bare(name));
    if let (Some(meant), None) = (alike.next(), alike.next()) {
        return Ok(meant);
    }
    let near = did_you_mean(name, names.clone());
    let is_closed = schema["additionalProperties"] == Value::Bool(false)
        && schema.get("patternProperties").is_none();
    if near.is_empty() && !is_closed {
        return Ok(name);
    }
    let all: Vec<_> = names.map(str::to_owned).collect();
    let instead = match near.is_empty() {
        true => known("arguments", &all),
        false => near,
    };
    Err(format!("{callee} has no argument {name:?}{instead}"))
}

/// The words for a parameter, as one value.
fn value(parameter: &Parameter<'_>, all: &[&WrittenValue]) -> Result<Value, String> {
    let Parameter {
        name, schema, root, ..
    } = *parameter;
    if let [WrittenValue::Json(value)] = all {
        return Ok(value.clone());
    }
    let texts = all.iter().map(|written| match written {
        WrittenValue::Text(text) | WrittenValue::Read(text) => Some(text.as_str()),
        WrittenValue::Json(_) => None,
    });
    let texts: Option<Vec<_>> = texts.collect();
    let twice = || format!("duplicate argument {name:?}");
    let is_read = all.iter().any(|it| matches!(it, WrittenValue::Read(_)));
    match &texts.ok_or_else(twice)?[..] {
        [text] => typed(root, schema, text).ok_or_else(|| misfit(parameter, text, is_read)),
        texts => listed(root, schema, texts).ok_or_else(|| match parameter.kind().is_list() {
            true => misfit(parameter, &texts.join(" "), is_read),
            false => twice(),
        }),
    }
}

/// The reason why the text is no value of the parameter. Text that was read from elsewhere may be a
/// secret, and is not shown.
fn misfit(parameter: &Parameter<'_>, text: &str, is_read: bool) -> String {
    let (name, kind) = (parameter.name, parameter.kind());
    let expected = format!("the argument {name:?} must be {}", kind.expected());
    if is_read {
        return format!("{expected}, but the value that was read is not");
    }
    let near = did_you_mean(text, kind.choices().into_iter());
    let is_begun = text.trim_start().starts_with(['[', '{']);
    let fault = is_begun.then(|| json::parse(text).err()).flatten();
    let fault = fault.map(|why| format!(": {why}")).unwrap_or_default();
    format!("{expected}, not {:?}{near}{fault}", quoted(text))
}

/// All arguments as one object, from the value of `--args`.
fn object(written: &str, sources: &mut Sources) -> Result<Map<String, Value>, String> {
    const USAGE: &str = "use an object with an argument under each name, such as '{\"limit\": 10}'";
    let object = sources
        .read(written)
        .and_then(|text| match parser(written)(&text) {
            Ok(Value::Object(members)) => Ok(members),
            Ok(other) => Err(format!("it is {}: {USAGE}", json::kind(&other))),
            Err(why) => Err(format!("{why}; {USAGE}")),
        });
    object.map_err(|why| {
        let written = quoted(written);
        format!("invalid value '{written}' for '--args <JSON>': {why}")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fitted(words: &[(&str, &str)], schema: &Value) -> Result<Value, String> {
        let each = words.iter().map(|(name, text)| Argument {
            name: (*name).to_owned(),
            written: WrittenValue::Text((*text).to_owned()),
        });
        let asked = GivenArguments {
            callee: Callee::Tool,
            whole: None,
            each: each.collect(),
        };
        asked.fit("find", schema).map(Value::Object)
    }

    #[test]
    fn a_wrong_text_is_repeated_in_part_and_never_if_it_was_read() {
        let schema =
            json!({"properties": {"limit": {"type": "integer"}, "kind": {"enum": ["a", "b"]}}});
        let secret = "s3cret ".repeat(100_000);
        for name in ["limit", "kind"] {
            let why = fitted(&[(name, &secret)], &schema).unwrap_err();
            assert!(why.len() < 1_000 && why.contains("s3cret"), "{why}");
            let each = vec![Argument {
                name: name.to_owned(),
                written: WrittenValue::Read(secret.clone()),
            }];
            let asked = GivenArguments {
                callee: Callee::Tool,
                whole: None,
                each,
            };
            let why = asked.fit("find", &schema).unwrap_err();
            assert!(!why.contains("s3cret"), "{why}");
            let expected = format!("the argument {name:?} must be ");
            assert!(why.starts_with(&expected), "{why}");
        }
    }

    #[test]
    fn arguments_fit_the_schema_or_it_is_said_why_not() {
        let open = json!({
            "properties": {
                "pattern": {"type": "string"},
                "maxResults": {"type": "integer"},
                "kinds": {"type": "array", "items": {"enum": ["file", "folder"]}},
            },
            "required": ["pattern"],
        });
        let preset = json!({
            "properties": {"scale": {"enum": ["css", "device"], "default": "css"}, "to": {"default": 1}},
            "required": ["scale"],
        });
        let mut closed = open.clone();
        closed["additionalProperties"] = json!(false);
        #[rustfmt::skip]
        let cases = [
            (&[("pattern", "a")][..], &open, Ok(json!({"pattern": "a"}))),
            (&[("Pattern", "a"), ("max-results", "7")], &closed, Ok(json!({"pattern": "a", "maxResults": 7}))),
            (&[("pattern", "a"), ("kinds", "file"), ("kinds", "folder")], &open,
                Ok(json!({"pattern": "a", "kinds": ["file", "folder"]}))),
            (&[("pattern", "a"), ("x", "7")], &open, Ok(json!({"pattern": "a", "x": 7}))),
            (&[("pattern", "a"), ("x", "7")], &closed,
                Err("find has no argument \"x\": its arguments are pattern, kinds, maxResults")),
            (&[("patern", "a")], &open, Err("find has no argument \"patern\"; did you mean pattern?")),
            (&[], &open, Err("find needs pattern (string)")),
            (&[("x", "7")], &open, Err("find needs pattern (string), and names no argument \"x\"")),
            (&[("maxResults", "ten")], &open,
                Err("the argument \"maxResults\" must be of type integer, not \"ten\"")),
            (&[("kinds", "fil")], &open,
                Err("the argument \"kinds\" must be a list of file | folder, not \"fil\"; did you mean file?")),
            (&[], &preset, Ok(json!({"scale": "css"}))),
            (&[("scale", "device")], &preset, Ok(json!({"scale": "device"}))),
            (&[("pattern", "a"), ("Pattern", "b")], &open, Err("duplicate argument \"pattern\"")),
        ];
        for (words, schema, expected) in cases {
            assert_eq!(
                fitted(words, schema),
                expected.map_err(str::to_owned),
                "{words:?}"
            );
        }
    }
}
