//! `plainly task`: a call that goes on at its server, asked for, waited for, answered and cancelled by its id.

use std::collections::BTreeMap;

use clap::error::ErrorKind;
use plainly::client::{Client, LocalError, TaskHandle};
use plainly::protocol::types::{
    CallToolResult, DetailedTask, ElicitAction, ElicitParams, ElicitResult, FormSchema,
    InputRequest, InputResponses, JsonObject, RawJson, TaskState,
};
use serde_json::{Map, Value};

use super::arguments::exact;
use super::call::{print_whole, said};
use crate::args::{
    AnswerTaskArgs, CancelTaskArgs, GetTaskArgs, SaveArgs, Server, ServerName, TaskAction,
    TaskArgs, WaitTaskArgs, Words,
};
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::json;
use crate::output::Output;
use crate::shell_word::shell_word;

pub(crate) async fn run(args: TaskArgs) -> Result<(), Failure> {
    match args.action {
        TaskAction::Get(args) => get(args).await,
        TaskAction::Wait(args) => wait(args).await,
        TaskAction::Answer(args) => answer(args).await,
        TaskAction::Cancel(args) => cancel(args).await,
    }
}

async fn get(mut args: GetTaskArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let id = words.take("ID")?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let task = with_client(server, args.server, async |client| {
        poll(&mut client.task(&id)).await
    })
    .await?;
    show(&task, &at, &mut output)
}

async fn wait(mut args: WaitTaskArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let id = words.take("ID")?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let result = with_client(server, args.server, async |client| {
        finish(client, &id, &at).await
    })
    .await?;
    print_whole(&result, "task", &SaveArgs::default(), &mut output)?;
    match result.is_tool_error() {
        true => Err(Failure::Tool {
            name: "the tool".to_owned(),
            text: said(&result),
            help: None,
        }),
        false => Ok(()),
    }
}

/// Waits for the result of the task; if it asks something, says how to answer.
async fn finish(client: &Client, id: &str, at: &Server) -> Result<CallToolResult, Failure> {
    let mut task = client.task(id).detach();
    let error = match task.wait().await {
        Ok(result) => return Ok(result),
        Err(error) => error,
    };
    if let Some(LocalError::Unanswered { .. }) = error.local()
        && let Ok(task) = task.poll().await
        && let Some((key, question)) = asked(&task).and_then(BTreeMap::first_key_value)
    {
        return Err(Failure::Waiting {
            question: words_of(question),
            help: answering(&task, key, question, at),
        });
    }
    Err(Failure::Call {
        error,
        subject: Subject::Task,
    })
}

async fn answer(mut args: AnswerTaskArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let id = words.take("ID")?;
    let given = Given::read(words)?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let task = with_client(server, args.server, async |client| {
        let mut task = client.task(&id);
        let now = poll(&mut task).await?;
        let (key, question) = chosen(&now, args.question.as_deref())?;
        let answer = given.answer(question)?;
        let answers = InputResponses::from_iter([(key, answer)]);
        let answered = task.answer(answers).await;
        answered.map_err(Failure::about(Subject::Task))?;
        poll(&mut task).await
    })
    .await?;
    show(&task, &at, &mut output)
}

async fn cancel(mut args: CancelTaskArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let id = words.take("ID")?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let task = with_client(server, args.server, async |client| {
        let mut task = client.task(&id);
        let cancelled = task.cancel().await;
        cancelled.map_err(Failure::about(Subject::Task))?;
        poll(&mut task).await
    })
    .await?;
    show(&task, &at, &mut output)
}

async fn poll(task: &mut TaskHandle<CallToolResult>) -> Result<DetailedTask, Failure> {
    task.poll().await.map_err(Failure::about(Subject::Task))
}

/// How far a task is, and how to answer what it asks.
fn show(task: &DetailedTask, at: &Server, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        output.json(task)?;
        return output.flush();
    }
    let status = serde_json::to_value(task.state.status()).unwrap_or_default();
    let error = match &task.state {
        TaskState::Failed { error } => Some(error.message.to_string()),
        TaskState::Working
        | TaskState::InputRequired { .. }
        | TaskState::Completed { .. }
        | TaskState::Cancelled => None,
    };
    output.facts([
        ("status", status.as_str().map(str::to_owned)),
        ("message", task.status_message.clone()),
        ("error", error),
        ("created", Some(task.created_at.clone())),
        ("updated", Some(task.last_updated_at.clone())),
    ])?;
    for (key, question) in asked(task).into_iter().flatten() {
        output.labelled("asks", &format!("{key}: {}", words_of(question)))?;
        output.labelled("answer", &answering(task, key, question, at))?;
    }
    output.flush()
}

/// What the task asks.
fn asked(task: &DetailedTask) -> Option<&BTreeMap<String, InputRequest>> {
    match &task.state {
        TaskState::InputRequired { input_requests } => Some(input_requests),
        TaskState::Working
        | TaskState::Completed { .. }
        | TaskState::Failed { .. }
        | TaskState::Cancelled => None,
    }
}

/// The question that is meant: that of this key, or the only one.
fn chosen<'a>(
    task: &'a DetailedTask,
    key: Option<&str>,
) -> Result<(&'a str, &'a InputRequest), Failure> {
    let asked: Vec<_> = asked(task).into_iter().flatten().collect();
    let keys = || {
        let keys = asked.iter().map(|(key, _)| key.as_str());
        keys.collect::<Vec<_>>().join(", ")
    };
    let found = match (key, asked.as_slice()) {
        (_, []) => return Err(Failure::refused("the task does not ask anything now")),
        (None, [one]) => Some(one),
        (None, _) => {
            let why = format!(
                "the task asks several things: choose one with --question: {}",
                keys()
            );
            return Err(Failure::impossible(why, None));
        }
        (Some(key), all) => all.iter().find(|(known, _)| *known == key),
    };
    match found {
        Some((key, question)) => Ok((key, question)),
        None => {
            let why = format!(
                "the task does not ask {}; it asks: {}",
                key.unwrap_or_default(),
                keys()
            );
            Err(Failure::impossible(why, None))
        }
    }
}

/// The question in words for people.
fn words_of(question: &InputRequest) -> String {
    match question {
        InputRequest::Elicit(ElicitParams::Form(form)) => form.message.clone(),
        InputRequest::Elicit(ElicitParams::Url(visit)) => {
            format!("{} ({})", visit.message, visit.url)
        }
        InputRequest::CreateMessage(_) => "something of a model".to_owned(),
        InputRequest::ListRoots(_) => "where it may work".to_owned(),
        InputRequest::Elicit(_) | _ => "something that this program does not know".to_owned(),
    }
}

/// The command that answers a question of the task.
fn answering(task: &DetailedTask, key: &str, question: &InputRequest, at: &Server) -> String {
    let (before, after) = match at {
        Server::Open(_) => (vec!["task", "answer"], None),
        Server::Url(target) | Server::Named(ServerName { text: target, .. }) => {
            (vec!["plainly", "task", "answer", target], None)
        }
        Server::Child(command) => (vec!["plainly", "task", "answer"], Some(command)),
    };
    let mut words: Vec<String> = before.into_iter().map(str::to_owned).collect();
    words.push(task.task_id.clone());
    if asked(task).is_some_and(|all| all.len() > 1) {
        words.extend(["--question".to_owned(), key.to_owned()]);
    }
    match question {
        InputRequest::Elicit(ElicitParams::Form(form)) => {
            words.extend(examples(&form.requested_schema))
        }
        InputRequest::Elicit(ElicitParams::Url(_)) => words.push("accept".to_owned()),
        InputRequest::Elicit(_)
        | InputRequest::CreateMessage(_)
        | InputRequest::ListRoots(_)
        | _ => return "only a program can answer this; `task cancel` gives it up".to_owned(),
    }
    if let Some(command) = after {
        words.push("--".to_owned());
        words.extend(
            command
                .iter()
                .map(|word| word.to_string_lossy().into_owned()),
        );
    }
    let quoted: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
    quoted.join(" ")
}

/// A word for each field that must be filled in.
fn examples(form: &FormSchema) -> Vec<String> {
    let schema = serde_json::to_value(form).unwrap_or_default();
    if form.required.is_empty() {
        return vec!["accept".to_owned()];
    }
    let required = form.required.iter();
    let words = required.map(|name| match schema["properties"][name]["type"].as_str() {
        Some("boolean") => format!("{name}=true"),
        Some("integer" | "number") => format!("{name}=1"),
        Some("array") => format!("{name}:=[]"),
        Some(_) | None => format!("{name}=TEXT"),
    });
    words.collect()
}

/// What the command line says to a question.
#[derive(Debug, PartialEq)]
enum Given {
    /// What becomes of the whole question.
    Action(ElicitAction),
    /// The fields of a form: text, or JSON.
    Fields(Map<String, Value>),
}

impl Given {
    fn read(mut words: Words) -> Result<Self, Failure> {
        let first = words.take("ANSWER")?;
        let action = match first.as_str() {
            "accept" => Some(ElicitAction::Accept),
            "decline" => Some(ElicitAction::Decline),
            "cancel" => Some(ElicitAction::Cancel),
            _ => None,
        };
        if let Some(action) = action {
            return words.end().map(|()| Self::Action(action));
        }
        let mut fields = Map::new();
        let mut next = Some(first);
        while let Some(word) = next {
            let (name, value) =
                exact(&word).map_err(|why| words.wrong(ErrorKind::ValueValidation, &why))?;
            fields.insert(name.to_owned(), value);
            next = words.next();
        }
        Ok(Self::Fields(fields))
    }

    /// The answer to this question.
    fn answer(self, question: &InputRequest) -> Result<RawJson, Failure> {
        let result = match (question, self) {
            (InputRequest::Elicit(_), Self::Action(action)) => ElicitResult::new(action),
            (InputRequest::Elicit(ElicitParams::Form(form)), Self::Fields(fields)) => {
                ElicitResult::accept(typed(fields, &form.requested_schema))
            }
            (InputRequest::Elicit(_), Self::Fields(_)) => {
                let why = "the task asks for a visit: answer accept, decline or cancel";
                return Err(Failure::impossible(why, None));
            }
            (question, _) => {
                let why = format!(
                    "the task asks for {}, and only a program can answer",
                    words_of(question)
                );
                return Err(Failure::refused(why));
            }
        };
        RawJson::encode(&result).map_err(|error| Failure::caused("cannot write the answer", error))
    }
}

/// The fields, text as JSON where the form wants something else.
fn typed(fields: Map<String, Value>, form: &FormSchema) -> JsonObject {
    let schema = serde_json::to_value(form).unwrap_or_default();
    let fields = fields.into_iter().map(|(name, value)| {
        let wants_text = schema["properties"][&name]["type"] == "string";
        let value = match value.as_str().map(json::parse) {
            Some(Ok(parsed)) if !wants_text => parsed,
            _ => value,
        };
        (name, value)
    });
    fields.collect()
}

#[cfg(test)]
mod tests {
    use plainly::protocol::types::{BooleanField, NumberField, TextField};
    use serde_json::json;

    use super::*;

    #[test]
    fn text_is_what_the_field_wants() {
        let form = FormSchema::new()
            .field("name", TextField::new())
            .field("age", NumberField::integer())
            .field("sure", BooleanField::new());
        let given = json!({"name": "36", "age": "36", "sure": "true", "other": "x"});
        let expected = json!({"name": "36", "age": 36, "sure": true, "other": "x"});
        let Value::Object(given) = given else {
            panic!("it is an object");
        };
        assert_eq!(json!(typed(given, &form)), expected);
        assert_eq!(examples(&form), ["name=TEXT", "age=1", "sure=true"]);
    }
}
