//! `plainly task`: shows, awaits, answers and cancels by its id a call that continues at its
//! server.

use std::collections::BTreeMap;

use clap::error::ErrorKind;
use plainly::client::{Client, LocalError, TaskHandle};
use plainly::errors::mistake::{quoted, shortened};
use plainly::protocol::types::{
    CallToolResult, DetailedTask, ElicitParams, ElicitResult, Field, FormSchema, InputRequest,
    InputResponses, RawJson, TaskState,
};

use super::call::{print_whole, said};
use super::described::command_line;
use super::lacking::no_tasks;
use crate::args::{
    AnswerTaskArgs, CancelTaskArgs, GetTaskArgs, GivenAnswer, SaveArgs, Server, ServerArgs,
    TaskAction, TaskArgs, WaitTaskArgs, Words,
};
use crate::asking::{GivenAnswers, short};
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::near::{did_you_mean, known};
use crate::output::Output;

/// The most bytes of a question that are shown.
const LONGEST: usize = 4_000;
/// The most questions of a task, and the most fields of a question, that are named.
const NAMED: usize = 20;

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
    show_after(server, args.server, &id, async |_| Ok(())).await
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
        }),
        false => Ok(()),
    }
}

/// Waits for the result of the task. If it has a question, shows how to answer.
async fn finish(client: &Client, id: &str, at: &Server) -> Result<CallToolResult, Failure> {
    let mut task = task(client, id)?;
    let error = match task.wait().await {
        Ok(result) => return Ok(result),
        Err(error) => error,
    };
    if let Some(LocalError::Unanswered { .. }) = error.local()
        && let Ok(task) = task.get().await
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
    let given = answers(words)?;
    show_after(server, args.server, &id, async |task| {
        let now = poll(task).await?;
        let (key, question) = chosen(&now, args.question.as_deref())?;
        let answer = answer_to(question, &given)?;
        let answers = InputResponses::from_iter([(key, answer)]);
        let answered = task.answer(answers).await;
        answered.map_err(Failure::about(Subject::Task))
    })
    .await
}

async fn cancel(mut args: CancelTaskArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let id = words.take("ID")?;
    words.end()?;
    show_after(server, args.server, &id, async |task| {
        let cancelled = task.cancel().await;
        cancelled.map_err(Failure::about(Subject::Task))
    })
    .await
}

/// Performs an action with the task, and then shows its state.
async fn show_after(
    server: Server,
    args: ServerArgs,
    id: &str,
    work: impl AsyncFnOnce(&mut TaskHandle<CallToolResult>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut output = Output::new(args.format());
    let at = server.clone();
    let task = with_client(server, args, async |client| {
        let mut task = task(client, id)?;
        work(&mut task).await?;
        poll(&mut task).await
    })
    .await?;
    show(&task, &at, &mut output)
}

/// The task with this id, if the revision has tasks.
fn task(client: &Client, id: &str) -> Result<TaskHandle<CallToolResult>, Failure> {
    match no_tasks(client.revision()) {
        Some(why) => Err(Failure::refused(why)),
        None => Ok(client.task(id)),
    }
}

async fn poll(task: &mut TaskHandle<CallToolResult>) -> Result<DetailedTask, Failure> {
    task.get().await.map_err(Failure::about(Subject::Task))
}

/// The state of a task, and the way to answer its questions.
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
    for (key, question) in asked(task).into_iter().flatten().take(NAMED) {
        let asks = format!("{}: {}", short(key), words_of(question));
        output.labelled("asks", &asks)?;
        output.labelled("answer", &answering(task, key, question, at))?;
    }
    let left = asked(task).map_or(0, |all| all.len().saturating_sub(NAMED));
    if left > 0 {
        output.labelled("asks", &format!("… and {left} more"))?;
    }
    output.flush()
}

/// The task's questions.
fn asked(task: &DetailedTask) -> Option<&BTreeMap<String, InputRequest>> {
    match &task.state {
        TaskState::InputRequired { input_requests } => Some(input_requests),
        TaskState::Working
        | TaskState::Completed { .. }
        | TaskState::Failed { .. }
        | TaskState::Cancelled => None,
    }
}

/// The question to answer: that with this key, or the only one.
fn chosen<'a>(
    task: &'a DetailedTask,
    key: Option<&str>,
) -> Result<(&'a str, &'a InputRequest), Failure> {
    let asked: Vec<_> = asked(task).into_iter().flatten().collect();
    let keys = || {
        let keys = asked.iter().take(NAMED).map(|(key, _)| short(key));
        keys.collect::<Vec<_>>().join(", ")
    };
    let found = match (key, asked.as_slice()) {
        (_, []) => return Err(Failure::refused("the task has no question now")),
        (None, [one]) => Some(one),
        (None, _) => {
            let why = format!(
                "the task has several questions: choose one with --question: {}",
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

/// The question as text.
fn words_of(question: &InputRequest) -> String {
    let shortened = |text| shortened(text, LONGEST);
    match question {
        InputRequest::Elicit(ElicitParams::Form(form)) => shortened(&form.message).into_owned(),
        InputRequest::Elicit(ElicitParams::Url(visit)) => {
            format!("{} ({})", shortened(&visit.message), shortened(&visit.url))
        }
        InputRequest::CreateMessage(_) => "an answer of a model".to_owned(),
        InputRequest::ListRoots(_) => "the directories that it may use".to_owned(),
        InputRequest::Elicit(_) | _ => "an unknown kind of answer".to_owned(),
    }
}

/// The command that answers a question of the task.
fn answering(task: &DetailedTask, key: &str, question: &InputRequest, at: &Server) -> String {
    let mut words = vec![shortened(&task.task_id, LONGEST).into_owned()];
    if asked(task).is_some_and(|all| all.len() > 1) {
        words.extend([
            "--question".to_owned(),
            shortened(key, LONGEST).into_owned(),
        ]);
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
    command_line("task answer", at, &words)
}

/// An example word for each required field.
fn examples(form: &FormSchema) -> Vec<String> {
    if form.required.is_empty() {
        return vec!["accept".to_owned()];
    }
    let required = form.required.iter().take(NAMED);
    let words = required.map(|name| {
        let example = match form.properties.get(name) {
            Some(Field::Boolean(_)) => "yes",
            Some(Field::Number(_)) => "1",
            Some(Field::Choice(field)) => field.choices.first().map_or("TEXT", |it| &it.value),
            Some(Field::Choices(field)) => field.choices.first().map_or("none", |it| &it.value),
            Some(Field::Text(_) | _) | None => "TEXT",
        };
        format!("{}={}", quoted(name), quoted(example))
    });
    words.collect()
}

/// The answers on the command line.
fn answers(mut words: Words) -> Result<Vec<GivenAnswer>, Failure> {
    let mut all = Vec::new();
    let mut next = Some(words.take("ANSWER")?);
    while let Some(word) = next {
        let one = GivenAnswer::parse(&word).map_err(|why| {
            let why = format!("invalid value '{}' for '<ANSWER>': {why}", quoted(&word));
            words.wrong(ErrorKind::ValueValidation, &why)
        });
        all.push(one?);
        next = words.next();
    }
    let checked = GivenAnswer::check(&all);
    checked.map_err(|why| words.wrong(ErrorKind::ArgumentConflict, &why))?;
    Ok(all)
}

/// The answer to this question.
fn answer_to(question: &InputRequest, given: &[GivenAnswer]) -> Result<RawJson, Failure> {
    let result = match (question, given) {
        (InputRequest::Elicit(ElicitParams::Form(form)), _) => {
            let filled = filled(&form.requested_schema, given);
            filled.map_err(|why| Failure::impossible(why, None))?
        }
        (InputRequest::Elicit(_), [GivenAnswer::Action(action)]) => ElicitResult::new(*action),
        (InputRequest::Elicit(_), _) => {
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

/// The filled-in form. It is the only form, so an answer to a field that it lacks is a mistake.
fn filled(form: &FormSchema, given: &[GivenAnswer]) -> Result<ElicitResult, String> {
    let mut names = given.iter().filter_map(GivenAnswer::name);
    if let Some(unknown) = names.find(|name| form.properties.get(name).is_none()) {
        let fields: Vec<_> = form
            .properties
            .iter()
            .map(|(name, _)| name.to_owned())
            .collect();
        let near = did_you_mean(unknown, fields.iter().map(String::as_str));
        let instead = match near.is_empty() {
            true => known("fields", &fields),
            false => near,
        };
        return Err(format!("the form has no field {unknown:?}{instead}"));
    }
    GivenAnswers::new(given).fill(form, "")
}

#[cfg(test)]
mod tests {
    use plainly::protocol::types::{BooleanField, ChoiceField, NumberField, TextField};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_form_is_filled_in_with_the_words_of_answers() {
        let ways = ChoiceField::new([("a", "By air"), ("s", "By sea")]);
        let form = FormSchema::new()
            .field("name", TextField::new())
            .field("age", NumberField::integer().minimum(18))
            .field("sure", BooleanField::new())
            .field("way", ways);
        assert_eq!(examples(&form), ["name=TEXT", "age=1", "sure=yes", "way=a"]);
        let age = "the server asks for name (text, required), age (whole number, at least 18, required), sure (yes or no, required), \
            way (one of these, required)";
        let content = json!({"name": "36", "age": 36, "sure": true, "way": "s"});
        #[rustfmt::skip]
        let cases = [
            ("name=36 age=36 sure=yes way=2", Ok(json!({"action": "accept", "content": content}))),
            ("decline", Ok(json!({"action": "decline"}))),
            ("name=A age=7 sure=yes way=a", Err(format!("invalid age: 7 is less than the minimum of 18; {age}"))),
            ("name=A", Err(format!("no answer for age: give it as age=…; {age}"))),
            ("nam=A", Err("the form has no field \"nam\"; did you mean name?".to_owned())),
            ("x=A", Err("the form has no field \"x\": its fields are name, age, sure, way".to_owned())),
        ];
        for (words, expected) in cases {
            let given: Result<Vec<_>, _> = words.split(' ').map(GivenAnswer::parse).collect();
            let result = filled(&form, &given.unwrap());
            let result = result.map(|it| serde_json::to_value(it).unwrap());
            assert_eq!(result, expected, "{words}");
        }
    }

    #[test]
    fn a_question_without_end_is_told_in_part() {
        let long = "x".repeat(100_000);
        let name = "x".repeat(2_000);
        let names: Vec<_> = (0..200).map(|number| format!("{number}{name}")).collect();
        let fields: serde_json::Map<_, _> = names
            .iter()
            .map(|name| (name.clone(), json!({"type": "boolean"})))
            .collect();
        let schema = json!({"type": "object", "properties": fields, "required": names});
        let form = json!({"message": long, "requestedSchema": schema});
        let question = json!({"method": "elicitation/create", "params": form});
        let questions: serde_json::Map<_, Value> = [(long.clone(), question)].into_iter().collect();
        let task: DetailedTask = serde_json::from_value(json!({
            "taskId": long, "status": "input_required", "inputRequests": questions, "createdAt": "2026-07-28T10:00:00Z",
            "lastUpdatedAt": "2026-07-28T10:01:00Z", "ttlMs": null,
        }))
        .unwrap();
        let (key, question) = chosen(&task, None).unwrap();
        let told = words_of(question).len();
        assert!(told < 5_000, "{told}");
        let how = answering(&task, key, question, &Server::Url("http://a/".to_owned()));
        assert!(how.len() < 20_000, "{}", how.len());
    }
}
