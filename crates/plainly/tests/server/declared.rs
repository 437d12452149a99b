//! Handlers that declare their failures: the declarations that clients read, and the failures
//! themselves.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::client::{Client, Error};
use plainly::errors::Revision;
use plainly::protocol::types::Meta;
use plainly::server::{DeclaredFailure, DeclaredProblems, Server};
use plainly::{
    AskError, Problem, ProblemCode, Prompt, ProtocolError, Resource, ResourceTemplate, Tool,
};
use serde_json::json;

/// An error type of a program, which could also be written without `thiserror`.
#[derive(Clone, Copy, Debug, thiserror::Error)]
enum NoteError {
    #[error("no such note")]
    Missing,
    #[error("locked")]
    Locked,
    #[error("undeclared")]
    Full,
}

impl From<NoteError> for Problem {
    fn from(error: NoteError) -> Self {
        match error {
            NoteError::Missing => Self::not_found("note", "7"),
            NoteError::Locked => Self::custom("LOCKED", "Somebody else is writing."),
            NoteError::Full => Self::internal("The disk is full."),
        }
        .with_source(error)
    }
}

impl DeclaredProblems for NoteError {
    const CODES: &'static [ProblemCode] = &[ProblemCode::NotFound, ProblemCode::custom("LOCKED")];
}

fn note(error: NoteError) -> Result<String, NoteError> {
    Err(error)
}

/// A plain handler, which declares no codes.
async fn plain() -> Result<String, Problem> {
    Ok(note(NoteError::Missing)?)
}

async fn missing() -> Result<String, DeclaredFailure<NoteError>> {
    Ok(note(NoteError::Missing)?)
}

async fn locked() -> Result<String, DeclaredFailure<NoteError>> {
    Ok(note(NoteError::Locked)?)
}

async fn undeclared() -> Result<String, DeclaredFailure<NoteError>> {
    Ok(note(NoteError::Full)?)
}

async fn other() -> Result<String, DeclaredFailure<NoteError>> {
    let asked: Result<(), AskError> = Ok(());
    asked?;
    Err(ProtocolError::invalid_params("Ids are numbers"))?
}

async fn client(revision: Revision) -> Client {
    let server = Server::builder("notes", "1")
        .tool(Tool::new("plain", plain))
        .tool(Tool::new("missing", missing).meta(Meta::from([("a", json!(1))])))
        .tool(Tool::new("locked", locked))
        .tool(Tool::new("undeclared", undeclared))
        .tool(Tool::new("other", other))
        .resource(Resource::new("a:missing", missing))
        .resource(Resource::new("a:locked", locked))
        .resource_template(ResourceTemplate::new("b:{id}", missing))
        .prompt(Prompt::new("locked", locked))
        .build()
        .unwrap();
    let (reader, writer) = plainly_peer::served(&server);
    let client = Client::over(reader, writer).revision(revision);
    client.connect().await.unwrap()
}

#[tokio::test]
async fn the_codes_stand_in_the_meta_of_each_definition() {
    let declared = json!(["NOT_FOUND", "LOCKED"]);
    for revision in Revision::ALL {
        let client = client(revision).await;
        let tools = client.tools().await.unwrap();
        let meta = |name: &str| {
            let tool = tools.iter().find(|tool| tool.name == name).unwrap();
            json!(tool.meta)
        };
        assert_eq!(meta("plain"), json!(null), "{revision}");
        assert_eq!(
            meta("missing"),
            json!({ "a": 1, "dev.plainly/problems": declared })
        );
        let prompts = client.prompts().await.unwrap();
        let resources = client.resources(None).await.unwrap();
        let templates = client.resource_templates().await.unwrap();
        for meta in [&prompts[0].meta, &resources[0].meta, &templates[0].meta] {
            let meta = json!(meta);
            assert_eq!(meta["dev.plainly/problems"], declared, "{revision}: {meta}");
        }
    }
}

#[tokio::test]
async fn declared_or_not_each_problem_arrives() {
    for revision in Revision::ALL {
        let client = client(revision).await;
        for (tool, text) in [
            ("plain", "The note '7' was not found."),
            ("missing", "The note '7' was not found."),
            ("locked", "Somebody else is writing."),
            ("undeclared", "The disk is full."),
            ("other", "Ids are numbers"),
        ] {
            let result = client.call_tool(tool, ()).await.unwrap();
            assert!(result.is_tool_error(), "{revision}: {tool}");
            assert_eq!(json!(result.content)[0]["text"], text, "{revision}");
        }
        let missing = client.read("a:missing").await.unwrap_err();
        assert!(missing.is_resource_not_found(), "{revision}: {missing:?}");
        let Err(Error::Protocol(locked)) = client.read("a:locked").await else {
            panic!("{revision}: it is locked");
        };
        assert_eq!(locked.message(), "Somebody else is writing.");
        assert_eq!(locked.own_data().unwrap()["code"], "LOCKED", "{revision}");
    }
}
