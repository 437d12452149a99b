//! The errors that a peer receives when a handler fails: tools report to a model, and resources to
//! code. The client uses every revision.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io;

use plainly::client::{Client, Error};
use plainly::errors::{
    ApplicationCode, ErrorKind, Internal, Problem, ProblemBag, ProblemCode, Problems,
    ProtocolError, Revision,
};
use plainly::protocol::types::{CallToolResult, Content};
use plainly::server::{Failure, Resource, Server, ServerBuilder, Tool};
use plainly::{Json, Text};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

fn no_user() -> Problem {
    Problem::not_found("user", "u-1").suggest("Known users: u-2")
}

fn on_fire() -> io::Error {
    io::Error::other("disk /dev/sda on fire")
}

fn two_problems() -> Problems {
    let mut bag = ProblemBag::new();
    bag.invalid("email", "needs an @")
        .invalid("name", "is too short");
    bag.into_result().unwrap_err()
}

async fn problem() -> Result<String, Problem> {
    Err(no_user())
}

async fn promising() -> Result<Json<Sum>, Problem> {
    Err(no_user())
}

async fn bag() -> Result<String, Failure> {
    Err(two_problems().into())
}

async fn protocol() -> Result<String, ProtocolError> {
    Err(ProtocolError::invalid_params("Ids are numbers"))
}

async fn unable() -> Result<String, ProtocolError> {
    Err(ProtocolError::missing_client_capability(Map::from_iter([
        ("sampling".to_owned(), json!({})),
    ])))
}

async fn broken() -> Result<String, io::Error> {
    Err(on_fire())
}

#[derive(Debug, thiserror::Error)]
#[error("cannot greet")]
struct CannotGreet(#[source] Problem);

/// The outermost error with a meaning decides, not the one around it.
async fn wrapped() -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    Err(Box::new(CannotGreet(no_user())))
}

async fn sentence() -> Result<String, Failure> {
    Err(Failure::text("Try again on Monday"))
}

async fn note() -> Result<Text, Problem> {
    Err(Problem::not_found("note", "7"))
}

async fn denied() -> Result<Text, Problem> {
    Err(Problem::access_denied("read", "for admins"))
}

async fn teapot() -> Result<Text, ProtocolError> {
    Err(ProtocolError::application(
        ApplicationCode::of::<418>(),
        "I'm a teapot",
    ))
}

async fn unreadable() -> Result<Text, io::Error> {
    Err(on_fire())
}

fn builder() -> ServerBuilder {
    Server::builder("failing", "1")
        .tool(Tool::new("problem", problem))
        .tool(Tool::new("promising", promising))
        .tool(Tool::new("bag", bag))
        .tool(Tool::new("protocol", protocol))
        .tool(Tool::new("unable", unable))
        .tool(Tool::new("broken", broken))
        .tool(Tool::new("wrapped", wrapped))
        .tool(Tool::new("sentence", sentence))
        .resource(Resource::new("note://7", note))
        .resource(Resource::new("app://denied", denied))
        .resource(Resource::new("app://teapot", teapot))
        .resource(Resource::new("app://unreadable", unreadable))
}

async fn connect(builder: ServerBuilder, revision: Revision) -> Client {
    let server = builder.build().unwrap();
    let (reader, writer) = plainly_peer::served(&server);
    Client::over(reader, writer)
        .revision(revision)
        .connect()
        .await
        .unwrap()
}

async fn tool_error(client: &Client, name: &str) -> (String, CallToolResult) {
    let result = client.call_tool(name, ()).await.unwrap();
    assert!(result.is_tool_error(), "{name}");
    let Some(Content::Text(text)) = result.content.first() else {
        panic!("{name} has no text");
    };
    (text.text.clone(), result)
}

async fn protocol_error(client: &Client, uri: &str) -> ProtocolError {
    match client.read(uri).await {
        Err(Error::Protocol(error)) => error,
        other => panic!("{uri}: {other:?}"),
    }
}

fn object(result: &CallToolResult) -> Option<Value> {
    result
        .structured_content
        .as_ref()
        .map(|output| output.decode().unwrap())
}

/// Returns the problem of a tool without structured output: its structured content if the revision
/// supports that, or else from `_meta`.
fn stated(result: &CallToolResult, revision: Revision) -> Value {
    let other = result
        .meta
        .as_ref()
        .and_then(|meta| meta.get("dev.plainly/problem"));
    match revision {
        Revision::V2024_11_05 | Revision::V2025_03_26 => {
            assert_eq!(result.structured_content, None);
            other.unwrap().clone()
        }
        Revision::V2025_06_18 | Revision::V2025_11_25 | Revision::V2026_07_28 => {
            assert_eq!(other, None);
            object(result).unwrap()
        }
    }
}

#[tokio::test]
async fn a_model_reads_what_became_of_its_tool() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        let sentence = "The user 'u-1' was not found. Known users: u-2";
        for name in ["problem", "wrapped"] {
            let (text, result) = tool_error(&client, name).await;
            assert_eq!(text, sentence, "{name} {revision}");
            let problem = Problem::from_object(&stated(&result, revision)).unwrap();
            assert_eq!(problem.code(), &ProblemCode::NotFound);
        }
        let (text, result) = tool_error(&client, "promising").await;
        assert_eq!((text.as_str(), object(&result)), (sentence, None));
        let meta = result.meta.unwrap();
        assert_eq!(meta["dev.plainly/problem"]["code"], "NOT_FOUND");
        let (text, result) = tool_error(&client, "bag").await;
        assert_eq!(text, two_problems().text());
        assert_eq!(stated(&result, revision), two_problems().to_object());
        assert_eq!(tool_error(&client, "protocol").await.0, "Ids are numbers");
        assert_eq!(
            tool_error(&client, "broken").await.0,
            "disk /dev/sda on fire"
        );
        assert_eq!(
            tool_error(&client, "sentence").await.0,
            "Try again on Monday"
        );
    }
}

#[tokio::test]
async fn what_the_host_must_act_on_goes_past_the_model() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        let error = client.call_tool("unable", ()).await.unwrap_err();
        assert!(error.is_missing_capability(), "{revision}: {error}");
        assert!(
            error
                .required_capabilities()
                .unwrap()
                .contains_key("sampling")
        );
    }
}

#[tokio::test]
async fn code_reads_what_became_of_its_resource() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        let missing = protocol_error(&client, "note://7").await;
        let uri = Some("note://7".to_owned());
        assert_eq!(
            missing.kind(),
            &ErrorKind::ResourceNotFound { uri },
            "{revision}"
        );
        let denied = protocol_error(&client, "app://denied").await;
        assert_eq!(denied.problem().unwrap().code(), &ProblemCode::AccessDenied);
        let teapot = protocol_error(&client, "app://teapot").await;
        assert_eq!(
            teapot,
            ProtocolError::application(ApplicationCode::of::<418>(), "I'm a teapot")
        );
        let unreadable = protocol_error(&client, "app://unreadable").await;
        assert_eq!(unreadable, ProtocolError::internal("disk /dev/sda on fire"));
    }
}

#[tokio::test]
async fn masked_errors_are_a_number_and_errors_with_a_meaning_are_not_masked() {
    let client = connect(builder().mask_internal_errors(), Revision::LATEST).await;
    let (text, _) = tool_error(&client, "broken").await;
    assert!(
        text.starts_with("Internal error. See the server's log for incident "),
        "{text}"
    );
    assert_eq!(
        tool_error(&client, "sentence").await.0,
        "Try again on Monday"
    );
    assert!(
        tool_error(&client, "problem")
            .await
            .0
            .starts_with("The user")
    );
    let unreadable = protocol_error(&client, "app://unreadable").await;
    let ErrorKind::Internal(Internal::Incident { incident }) = unreadable.kind() else {
        panic!("{unreadable:?}");
    };
    assert_eq!(incident.len(), 16, "{incident}");
    assert!(!unreadable.message().contains("sda"));
}
