//! Everything that is wrong with what a client sent, told at once and in one language: parameters, `_meta`, arguments and
//! answers. Nothing here is looked at before reading has failed.

use std::collections::HashMap;
use std::sync::LazyLock;

use plainly_errors::mistake::quoted;
use plainly_errors::problem::ProblemCode;
use plainly_errors::{InvalidParams, Mistake, Problem, ProtocolError, Revision};
use plainly_protocol::envelope::{Object, Request};
use plainly_protocol::meta::RequestMeta;
use plainly_protocol::method::{Method, methods};
use plainly_protocol::schemas;
use plainly_protocol::types::RawJson;
use plainly_schema::{Limits, Schema};
use serde_json::{Value, json};

use super::failure::Failure;

type SchemaOfMethod = HashMap<Method, Schema>;

static PARAMS: LazyLock<SchemaOfMethod> = LazyLock::new(|| each(schemas::params));
static RESULTS: LazyLock<SchemaOfMethod> = LazyLock::new(|| each(schemas::result));
static MODERN: LazyLock<SchemaOfMethod> =
    LazyLock::new(|| each(|method| Some(schemas::params_with_meta(Some(method)))));
/// For methods that nobody knows.
static META: LazyLock<Schema> = LazyLock::new(|| compiled(schemas::params_with_meta(None)));

fn each(schema: impl Fn(Method) -> Option<Value>) -> SchemaOfMethod {
    let methods = methods().iter().map(|row| row.method);
    let schemas = methods.filter_map(|method| Some((method, compiled(schema(method)?))));
    schemas.collect()
}

fn compiled(schema: Value) -> Schema {
    Schema::derived(schema, "", &Limits::default()).expect("ours is within the limits")
}

/// The error of a request of `method` whose parameters can't be read.
pub(super) fn in_params(method: Method, params: Option<&Object<'_>>) -> ProtocolError {
    let schema = PARAMS.get(&method);
    malformed(schema.map_or_else(Vec::new, |schema| failures(schema, params)))
}

/// The same of a request that stands for itself, with what is wrong with its `_meta`.
pub(super) fn in_request(request: &Request<'_>) -> ProtocolError {
    malformed(modern(request))
}

/// The error of a request whose `_meta` does not introduce its sender.
pub(super) fn in_introduction(request: &Request<'_>, meta: &RequestMeta<'_>) -> ProtocolError {
    let (keys, missing) = (meta.wrong_keys(), meta.missing_keys());
    let problems = modern(request);
    let mut sentences = Vec::new();
    if !missing.is_empty() {
        sentences.push(format!("_meta must contain {}", missing.join(" and ")));
    }
    // Whatever is missing of `_meta`, or `_meta` itself, is in that sentence.
    let is_said = |mistake: &Mistake| match &*mistake.path {
        "" => mistake.message.starts_with("\"_meta\""),
        "/_meta" => missing.iter().any(|key| mistake.message.contains(key)),
        _ => false,
    };
    let others = problems.iter().filter(|mistake| !is_said(mistake));
    sentences.extend(others.map(Mistake::to_string));
    let message = format!("Invalid params: {}", sentences.join("; "));
    ProtocolError::from(InvalidParams::MissingMeta { keys, problems }).with_message(message)
}

/// What is wrong with a client's answer to a question of this method.
pub(super) fn in_answer(method: Method, answer: &RawJson) -> Vec<Mistake> {
    let mistakes = RESULTS
        .get(&method)
        .map(|schema| schema.failures(answer.get()));
    known(mistakes.unwrap_or_default())
}

/// The error for a client whose answer under this key is none to the question.
pub(super) fn in_input_response(key: &str, mistakes: Vec<Mistake>) -> ProtocolError {
    let list = Mistake::list(&mistakes);
    let places = mistakes.into_iter();
    let places = places.map(|mistake| mistake.under(key).under("inputResponses"));
    let invalid = InvalidParams::InvalidInputResponse {
        key: key.to_owned(),
        problems: places.collect(),
    };
    let why = format!("Invalid input response: {}: {list}", quoted(key));
    ProtocolError::from(invalid).with_message(why)
}

/// The failure of a tool whose arguments are wrong, which its model can mend.
pub(super) fn in_arguments_of_tool(name: &str, mistakes: &[Mistake]) -> Failure {
    let list = Mistake::list(mistakes);
    let why = format!("Invalid arguments for tool {name}: {list}");
    let problem = Problem::new(ProblemCode::ValidationError, why);
    problem.detail("problems", json!(mistakes)).into()
}

/// The error of a prompt whose arguments are wrong.
pub(super) fn in_arguments_of_prompt(name: &str, problems: Vec<Mistake>) -> ProtocolError {
    let list = Mistake::list(&problems);
    let why = format!("Invalid arguments for prompt {name}: {list}");
    ProtocolError::from(InvalidParams::Malformed { problems }).with_message(why)
}

fn modern(request: &Request<'_>) -> Vec<Mistake> {
    let method = Method::find(&request.method, Revision::LATEST);
    let schema = method.and_then(|method| MODERN.get(&method));
    failures(schema.unwrap_or(&META), request.params.as_ref())
}

fn failures(schema: &Schema, params: Option<&Object<'_>>) -> Vec<Mistake> {
    schema.failures(params.map_or("{}", Object::raw))
}

fn malformed(problems: Vec<Mistake>) -> ProtocolError {
    let problems = known(problems);
    InvalidParams::Malformed { problems }.into()
}

/// A schema says no less than a type. If it did, the reader would have to do without the place.
fn known(mistakes: Vec<Mistake>) -> Vec<Mistake> {
    match mistakes.is_empty() {
        true => vec![Mistake::new("", "a value is not valid")],
        false => mistakes,
    }
}
