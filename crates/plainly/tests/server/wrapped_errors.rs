//! The meaning of a handler's error, which survives every wrapping: each kind of meaning, in each
//! wrapping, on each channel and in each revision, as clients read it from the wire.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::error::Error;
use std::io;
use std::sync::Arc;

use plainly::errors::{Problem, ProblemBag, Problems, ProtocolError, Revision};
use plainly::protocol::shape::Feature;
use plainly::server::extract::{Args, PartialArgument, ResourceUri, Vars};
use plainly::server::{Failure, Prompt, ResourceTemplate, Server, Tool};
use plainly_peer::Client;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinError;

/// Each kind of error that has a meaning.
const MEANINGS: [&str; 5] = ["problem", "problems", "protocol", "panic", "transport"];

/// Each way of wrapping an error.
const WRAPPINGS: [&str; 13] = [
    "itself",
    "source",
    "transparent",
    "transparent-twice",
    "transparent-arc",
    "transparent-box",
    "io",
    "io-transparent",
    "box",
    "anyhow",
    "anyhow-under",
    "eyre",
    "eyre-under",
];

/// Wrappings of `anyhow` and `eyre` in the other direction, in which the meaning is around another
/// error.
const AROUND: [&str; 2] = ["anyhow-around", "eyre-around"];

#[derive(Debug, thiserror::Error)]
enum App<E: Error + 'static> {
    #[error(transparent)]
    Transparent(#[from] E),
    #[error("cannot load the note")]
    Source(#[source] E),
}

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Boxed(Box<dyn Error + Send + Sync>);

#[derive(Debug, Deserialize, JsonSchema)]
struct Way {
    meaning: String,
    wrapping: String,
}

fn wrapped<E>(error: E, wrapping: &str) -> Failure
where
    E: Error + Send + Sync + 'static,
{
    match wrapping {
        "itself" => Failure::of(error),
        "source" => Failure::of(App::Source(error)),
        "transparent" => Failure::of(App::Transparent(error)),
        "transparent-twice" => Failure::of(App::Transparent(App::Transparent(error))),
        "transparent-arc" => Failure::of(App::Transparent(Arc::new(error))),
        "transparent-box" => Failure::of(Boxed(error.into())),
        "io" => Failure::of(io::Error::other(error)),
        "io-transparent" => Failure::of(io::Error::other(App::Transparent(error))),
        "box" => Failure::of(Box::<dyn Error + Send + Sync>::from(error)),
        "anyhow" => Failure::of(anyhow::Error::from(error)),
        "anyhow-under" => Failure::of(anyhow::Error::from(error).context("cannot load the note")),
        "anyhow-around" => Failure::of(anyhow::anyhow!("disk full").context(error)),
        "eyre" => Failure::of(eyre::Report::from(error)),
        "eyre-under" => Failure::of(eyre::Report::from(error).wrap_err("cannot load the note")),
        "eyre-around" => Failure::of(eyre::eyre!("disk full").wrap_err(error)),
        other => panic!("no wrapping {other}"),
    }
}

fn problem() -> Problem {
    Problem::validation("id", "Not a number.").retry_in(std::time::Duration::from_secs(2))
}

fn problems() -> Problems {
    ProblemBag::from_iter([problem(), Problem::missing_required("name")])
        .into_result()
        .unwrap_err()
}

async fn panicked() -> JoinError {
    let task = tokio::spawn(async { panic!("secret hunter2") });
    task.await.map(|()| "it ended").unwrap_err()
}

async fn fail(meaning: &str, wrapping: &str) -> Result<String, Failure> {
    Err(match meaning {
        "problem" => wrapped(problem(), wrapping),
        "problems" => wrapped(problems(), wrapping),
        "protocol" => wrapped(ProtocolError::invalid_params("Ids are numbers"), wrapping),
        "panic" => wrapped(panicked().await, wrapping),
        "transport" => wrapped(ProtocolError::header_mismatch("Header mismatch"), wrapping),
        other => panic!("no meaning {other}"),
    })
}

async fn tool(Args(way): Args<Way>) -> Result<String, Failure> {
    fail(&way.meaning, &way.wrapping).await
}

async fn resource(_: ResourceUri, Vars(way): Vars<Way>) -> Result<String, Failure> {
    fail(&way.meaning, &way.wrapping).await
}

async fn completion(typed: PartialArgument) -> Result<Vec<String>, Failure> {
    let wrapping = typed.argument("wrapping").unwrap_or("itself").to_owned();
    Err(fail(typed.text(), &wrapping).await.unwrap_err())
}

fn server() -> Server {
    Server::builder("wrapped", "1")
        .tool(Tool::new("fail", tool))
        .resource_template(ResourceTemplate::new("fail:{meaning}/{wrapping}", resource))
        .prompt(Prompt::new("fail", tool).complete("meaning", completion))
        .build()
        .unwrap()
}

/// Returns the tool's result, and the errors of the other channels.
async fn answers(client: &mut Client, meaning: &str, wrapping: &str) -> (Value, [Value; 3]) {
    let arguments = json!({ "meaning": meaning, "wrapping": wrapping });
    let call = json!({ "name": "fail", "arguments": arguments });
    let tool = client.ask("tools/call", call.clone()).await;
    let uri = format!("fail:{meaning}/{wrapping}");
    let resource = client.ask("resources/read", json!({ "uri": uri })).await;
    let prompt = client.ask("prompts/get", call).await;
    let completing = json!({
        "ref": { "type": "ref/prompt", "name": "fail" },
        "argument": { "name": "meaning", "value": meaning },
        "context": { "arguments": { "wrapping": wrapping } },
    });
    let completion = client.ask("completion/complete", completing).await;
    let errors = [resource, prompt, completion].map(|reply| reply["error"].clone());
    (tool["result"].clone(), errors)
}

/// Returns the text that a model reads, the code that a program reads, and the data of a protocol
/// error.
fn expected(meaning: &str) -> (String, i64, Value) {
    match meaning {
        "problem" => {
            let mut data = problem().to_object();
            let members = data.as_object_mut().unwrap();
            members.remove("success");
            members.remove("error");
            (problem().text().into(), -32602, data)
        }
        "problems" => {
            let mut data = problems().to_object();
            let members = data.as_object_mut().unwrap();
            members.remove("success");
            members.remove("error");
            (problems().text().into(), -32602, data)
        }
        "protocol" => {
            let data = json!({ "kind": "malformed" });
            ("Ids are numbers".to_owned(), -32602, data)
        }
        "panic" => ("Internal error".to_owned(), -32603, Value::Null),
        // A handler may not return this error, so only its text is sent, with the code of a
        // failure.
        _ => ("Header mismatch".to_owned(), -32603, Value::Null),
    }
}

async fn check(client: &mut Client, revision: Revision, meaning: &str, wrapping: &str) {
    let at = format!("{revision}: {meaning} in {wrapping}");
    let (text, code, data) = expected(meaning);
    let (result, errors) = answers(client, meaning, wrapping).await;
    assert_eq!(result["isError"], true, "{at}: {result}");
    assert_eq!(result["content"][0]["text"], *text, "{at}");
    let is_structured = Feature::StructuredContent.is_in(revision);
    let object = match is_structured {
        true => &result["structuredContent"],
        false => &result["_meta"]["dev.plainly/problem"],
    };
    let stated = match meaning {
        "problem" => problem().to_object(),
        "problems" => problems().to_object(),
        _ => Value::Null,
    };
    assert_eq!(*object, stated, "{at}");
    for error in errors {
        assert_eq!(error["code"], code, "{at}: {error}");
        assert_eq!(error["data"], data, "{at}: {error}");
        assert!(!error.to_string().contains("hunter2"), "{at}: {error}");
    }
}

#[tokio::test]
async fn each_meaning_survives_each_wrapping_on_each_channel_and_revision() {
    for revision in Revision::ALL {
        let mut client = Client::stream(&server(), revision, json!({})).await;
        for meaning in MEANINGS {
            for wrapping in WRAPPINGS {
                check(&mut client, revision, meaning, wrapping).await;
            }
        }
        for meaning in ["problem", "problems", "protocol", "transport"] {
            for wrapping in AROUND {
                check(&mut client, revision, meaning, wrapping).await;
            }
        }
    }
}

#[tokio::test]
async fn what_a_handler_fails_with_never_chooses_the_http_status() {
    for revision in Revision::ALL {
        let mut client = Client::http(&server(), revision, json!({})).await;
        for meaning in MEANINGS {
            let uri = format!("fail:{meaning}/itself");
            let reply = client.begin("resources/read", json!({ "uri": uri })).await;
            assert_eq!(reply.status, 200, "{revision}: {meaning}");
        }
    }
}
