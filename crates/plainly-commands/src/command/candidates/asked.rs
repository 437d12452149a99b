//! The completions that a server provides: names of its tools and prompts, their arguments, and
//! URIs.

use plainly::client::Client;
use plainly::protocol::types::{
    Arguments, CompleteParams, ListResourcesParams, Prompt, Reference, Tool,
};
use serde_json::Value;

use super::Candidate;
use crate::command::parameter::is_plain;
use crate::command::schema::{alternatives, named as named_values, resolved, types};

/// The kind of name that a word can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Uri,
    Tool,
    ToolArgument,
    Skill,
    Prompt,
    PromptArgument,
    /// A prompt or a template.
    Reference,
    /// An argument or variable of the reference.
    Variable,
    /// The text of that argument or variable.
    Text,
}

/// The kinds of each command's words after the server, and whether the last may be repeated.
const ROWS: [(&str, &[NameKind], bool); 9] = [
    ("ls", &[NameKind::Uri], false),
    ("stat", &[NameKind::Uri], false),
    ("read", &[NameKind::Uri], false),
    ("watch", &[NameKind::Uri], true),
    ("skills", &[NameKind::Skill], false),
    ("tools", &[NameKind::Tool], false),
    ("call", &[NameKind::Tool, NameKind::ToolArgument], true),
    (
        "prompt",
        &[NameKind::Prompt, NameKind::PromptArgument],
        true,
    ),
    (
        "complete",
        &[NameKind::Reference, NameKind::Variable, NameKind::Text],
        false,
    ),
];

/// The kind of the word at position `at` after the server.
pub(super) fn wanted(command: &str, at: usize) -> Option<NameKind> {
    let (_, words, is_repeated) = ROWS.iter().find(|(name, ..)| *name == command)?;
    let last = words.last().filter(|_| *is_repeated);
    words.get(at).or(last).copied()
}

/// The completions from the server. Errors are not reported, because missing candidates do no harm.
pub(super) async fn candidates(
    client: &Client,
    wanted: NameKind,
    before: &[String],
    current: &str,
) -> Vec<Candidate> {
    let of = before.first().map_or("", |word| &**word);
    match wanted {
        NameKind::Uri => uris(client, current).await,
        NameKind::Tool => {
            let tools = client.tools().await.unwrap_or_default();
            named(&tools, |tool| {
                (
                    &tool.name,
                    tool.description.as_deref().or(tool.title.as_deref()),
                )
            })
        }
        NameKind::ToolArgument => {
            let tools = client.tools().await.unwrap_or_default();
            let tool = tools.into_iter().find(|tool| tool.name == of);
            tool.map_or_else(Vec::new, |tool| tool_arguments(&tool, before, current))
        }
        NameKind::Skill => {
            let skills = client.skills().await.unwrap_or_default();
            named(&skills, |skill| (&skill.uri, skill.description()))
        }
        NameKind::Prompt => named(&prompts(client).await, about_prompt),
        NameKind::PromptArgument => prompt_arguments(client, of, before, current).await,
        NameKind::Reference => {
            let mut all = named(&prompts(client).await, about_prompt);
            all.extend(templates(client).await);
            all
        }
        NameKind::Variable => match of.contains('{') {
            true => variables(of).map(|name| Candidate::new(name, "")).collect(),
            false => argument_names(client, of).await,
        },
        NameKind::Text => {
            let argument = before.get(1).map_or("", |word| &**word);
            texts(client, reference(of), argument, current, &[]).await
        }
    }
}

fn named<T>(all: &[T], of: fn(&T) -> (&String, Option<&str>)) -> Vec<Candidate> {
    let candidates = all.iter().map(|one| {
        let (name, about) = of(one);
        let mut lines = about.unwrap_or_default().lines().map(str::trim);
        let first = lines.find(|line| !line.is_empty());
        Candidate::new(name, first.unwrap_or_default())
    });
    candidates.collect()
}

async fn prompts(client: &Client) -> Vec<Prompt> {
    client.prompts().await.unwrap_or_default()
}

fn about_prompt(prompt: &Prompt) -> (&String, Option<&str>) {
    let about = prompt.description.as_deref().or(prompt.title.as_deref());
    (&prompt.name, about)
}

async fn templates(client: &Client) -> Vec<Candidate> {
    let templates = client.resource_templates().await.unwrap_or_default();
    named(&templates, |it| {
        (&it.uri_template, it.description.as_deref())
    })
}

fn reference(of: &str) -> Reference {
    match of.contains('{') {
        true => Reference::resource(of),
        false => Reference::prompt(of),
    }
}

/// The resources on the first page, and completions of templates.
async fn uris(client: &Client, current: &str) -> Vec<Candidate> {
    let listed = client.list_resources(&ListResourcesParams::default()).await;
    let resources = listed.map(|page| page.resources).unwrap_or_default();
    let mut candidates = named(&resources, |it| (&it.uri, it.title.as_deref()));
    let templates = client.resource_templates().await.unwrap_or_default();
    for template in templates {
        candidates.extend(filled(client, &template.uri_template, current).await);
    }
    candidates
}

/// The next part of a URI of the template: up to the next variable, or a value of the variable that
/// the user is typing.
async fn filled(client: &Client, template: &str, current: &str) -> Vec<Candidate> {
    let mut given: Vec<(String, String)> = Vec::new();
    let (mut done, mut rest, mut open) = (String::new(), current, template);
    loop {
        let (literal, variable) = open.split_once('{').unwrap_or((open, ""));
        let Some(after) = rest.strip_prefix(literal) else {
            let is_begun = literal.starts_with(rest);
            return is_begun
                .then(|| Candidate::new(done + literal, ""))
                .into_iter()
                .collect();
        };
        let Some((name, after_variable)) = variable.split_once('}') else {
            return Vec::new();
        };
        done.push_str(literal);
        let next = after_variable.split('{').next().unwrap_or_default();
        match after.find(next).filter(|_| !next.is_empty()) {
            // This variable already has a value.
            Some(end) => {
                let (value, left) = after.split_at(end);
                done.push_str(value);
                given.push((name.to_owned(), value.to_owned()));
                (rest, open) = (left, after_variable);
            }
            None => {
                let values =
                    texts(client, Reference::resource(template), name, after, &given).await;
                let values = values.into_iter();
                return values
                    .map(|it| Candidate::new(format!("{done}{}{next}", it.value), it.about))
                    .collect();
            }
        }
    }
}

fn variables(template: &str) -> impl Iterator<Item = &str> {
    let parts = template.split('{').skip(1);
    parts.filter_map(|part| {
        Some(
            part.split_once('}')?
                .0
                .trim_start_matches(['+', '#', '/', '?', '&', '.', ';']),
        )
    })
}

/// The server's completions of the text of an argument.
async fn texts(
    client: &Client,
    of: Reference,
    argument: &str,
    text: &str,
    given: &[(String, String)],
) -> Vec<Candidate> {
    let mut params = CompleteParams::new(of, argument, text);
    if !given.is_empty() {
        params = params.arguments(Arguments::from_iter(given.iter().cloned()));
    }
    let completion = client.complete(&params).await;
    let values = completion.map(|it| it.values).unwrap_or_default();
    values
        .into_iter()
        .map(|value| Candidate::new(value, ""))
        .collect()
}

/// The arguments of a tool that are not given yet, or the values of the one that the user is
/// typing.
fn tool_arguments(tool: &Tool, before: &[String], current: &str) -> Vec<Candidate> {
    let schema: Value = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let Some((name, _)) = current.split_once('=') else {
        let arguments = properties.map(|(name, own)| {
            let about = resolved(&schema, own)["description"].as_str();
            let first = about.unwrap_or_default().lines().next();
            (name.as_str(), first.unwrap_or_default().to_owned())
        });
        return left(arguments, before);
    };
    let bare = name.strip_suffix(':').unwrap_or(name);
    let is_json = bare != name;
    let own = resolved(&schema, &schema["properties"][bare]);
    let all = values(&schema, own);
    let values = all.iter().filter_map(|value| match (value, is_json) {
        (Value::Null, _) => None,
        // JSON is never read as the name of a file.
        (_, true) => Some(format!("{name}={value}")),
        (Value::String(text), false) => is_plain(text).then(|| format!("{name}={text}")),
        (Value::Bool(_) | Value::Number(_), false) => Some(format!("{name}={value}")),
        (Value::Array(_) | Value::Object(_), false) => None,
    });
    values.map(|value| Candidate::new(value, "")).collect()
}

/// The arguments that are not given yet, as `name=`.
fn left<'a>(
    arguments: impl Iterator<Item = (&'a str, String)>,
    words: &[String],
) -> Vec<Candidate> {
    let is_given = |name: &str| {
        let mut given = words.iter().filter_map(|word| word.split_once('='));
        given.any(|(given, _)| given.trim_end_matches(':') == name)
    };
    // The first `=` in a word ends the name.
    let left = arguments.filter(|(name, _)| !is_given(name) && !name.contains('='));
    left.map(|(name, about)| Candidate::new(format!("{name}="), about))
        .collect()
}

/// The values that a schema names, directly or in its alternatives.
fn values(root: &Value, schema: &Value) -> Vec<Value> {
    let others = alternatives(schema).unwrap_or_default();
    let all = [schema].into_iter().chain(others);
    let each = all.flat_map(|one| {
        let one = resolved(root, one);
        let both = [Value::Bool(true), Value::Bool(false)];
        let both = both.into_iter().filter(|_| types(one).contains(&"boolean"));
        named_values(one)
            .unwrap_or_default()
            .iter()
            .cloned()
            .chain(both)
    });
    each.collect()
}

async fn argument_names(client: &Client, prompt: &str) -> Vec<Candidate> {
    let prompts = prompts(client).await;
    let prompt = prompts.iter().find(|it| it.name == prompt);
    let arguments = prompt.and_then(|it| it.arguments.as_deref());
    named(arguments.unwrap_or_default(), |it| {
        (&it.name, it.description.as_deref())
    })
}

async fn prompt_arguments(
    client: &Client,
    prompt: &str,
    before: &[String],
    current: &str,
) -> Vec<Candidate> {
    let Some((name, text)) = current.split_once('=') else {
        let names = argument_names(client, prompt).await;
        return left(
            names.iter().map(|it| (&*it.value, it.about.clone())),
            before,
        );
    };
    let given = before
        .iter()
        .skip(1)
        .filter_map(|word| word.split_once('='));
    let given: Vec<_> = given
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let texts = texts(client, Reference::prompt(prompt), name, text, &given).await;
    let values = texts.into_iter().filter(|it| is_plain(&it.value));
    let values = values.map(|it| Candidate::new(format!("{name}={}", it.value), it.about));
    values.collect()
}
