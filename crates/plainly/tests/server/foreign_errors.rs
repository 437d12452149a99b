//! Handlers that fail with `anyhow` and `eyre`, whose errors reach a client like any other.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io;

use plainly::client::{Client, Error};
use plainly::errors::{Problem, ProblemCode, ProtocolError};
use plainly::protocol::types::Content;
use plainly::server::{Failure, Resource, Server, ServerBuilder, Tool};

const UNKNOWN: &str = "The note '7' was not found.";

fn unknown() -> Problem {
    Problem::not_found("note", "7")
}

fn on_fire() -> io::Result<String> {
    Err(io::Error::other("disk /dev/sda on fire"))
}

/// The handlers of one library. Each library has its own method for wrapping an error.
macro_rules! handlers {
    ($library:ident, $feature:literal, $Context:ident, $context:ident) => {
        mod $library {
            use ::$library::$Context as _;

            use super::*;

            async fn question_mark() -> ::$library::Result<String> {
                Ok(on_fire()?)
            }

            async fn sentence() -> ::$library::Result<String> {
                on_fire().$context("Cannot read note 7")
            }

            async fn problem() -> ::$library::Result<String> {
                Err(unknown())?
            }

            async fn within() -> ::$library::Result<String> {
                let found: Result<String, Problem> = Err(unknown());
                found.$context("Cannot read note 7")
            }

            async fn around() -> ::$library::Result<String> {
                on_fire().$context(unknown()).$context("Cannot read note 7")
            }

            async fn around_protocol() -> ::$library::Result<String> {
                let failed: Result<String, _> = Err(ProtocolError::internal("no disk"));
                failed.$context(unknown())
            }

            async fn protocol() -> ::$library::Result<String> {
                Err(ProtocolError::invalid_params("Ids are numbers"))?
            }

            async fn mixed() -> Result<String, Failure> {
                "7".parse::<u8>()?;
                within().await.map_err(Failure::of)
            }

            pub(super) const AROUND: &[&str] = &["around", "around-protocol"];

            pub(super) fn builder() -> ServerBuilder {
                Server::builder($feature, "1")
                    .tool(Tool::new("question-mark", question_mark))
                    .tool(Tool::new("sentence", sentence))
                    .tool(Tool::new("problem", problem))
                    .tool(Tool::new("within", within))
                    .tool(Tool::new("around", around))
                    .tool(Tool::new("around-protocol", around_protocol))
                    .tool(Tool::new("protocol", protocol))
                    .tool(Tool::new("mixed", mixed))
                    .resource(Resource::new("a:question-mark", question_mark))
                    .resource(Resource::new("a:sentence", sentence))
                    .resource(Resource::new("a:problem", problem))
                    .resource(Resource::new("a:within", within))
                    .resource(Resource::new("a:around", around))
                    .resource(Resource::new("a:around-protocol", around_protocol))
                    .resource(Resource::new("a:protocol", protocol))
                    .resource(Resource::new("a:mixed", mixed))
            }
        }
    };
}

handlers!(anyhow, "anyhow", Context, context);
handlers!(eyre, "eyre", WrapErr, wrap_err);

async fn connect(builder: ServerBuilder) -> Client {
    let server = builder.build().unwrap();
    let (reader, writer) = plainly_peer::served(&server);
    Client::over(reader, writer).connect().await.unwrap()
}

/// Returns the text for the model, and the code of the problem for programs.
async fn tool_error(client: &Client, name: &str) -> (String, Option<ProblemCode>) {
    let result = client.call_tool(name, ()).await.unwrap();
    assert!(result.is_tool_error(), "{name}");
    let Some(Content::Text(text)) = result.content.first() else {
        panic!("{name} has no text");
    };
    let object = result.structured_content.as_ref();
    let problem = object.map(|object| Problem::from_object(&object.decode().unwrap()).unwrap());
    (
        text.text.clone(),
        problem.map(|problem| problem.code().clone()),
    )
}

async fn protocol_error(client: &Client, name: &str) -> ProtocolError {
    match client.read(format!("a:{name}")).await {
        Err(Error::Protocol(error)) => error,
        other => panic!("{name}: {other:?}"),
    }
}

/// A library: its name, a server of its handlers, and the handlers whose problem is found although
/// it is around an error.
type Library = (&'static str, fn() -> ServerBuilder, &'static [&'static str]);

const LIBRARIES: [Library; 2] = [
    ("anyhow", anyhow::builder, anyhow::AROUND),
    ("eyre", eyre::builder, eyre::AROUND),
];

#[tokio::test]
async fn the_outermost_sentence_is_shown_and_the_outermost_problem_decides() {
    for (library, builder, around) in LIBRARIES {
        let client = connect(builder()).await;
        for (name, sentence) in [
            ("question-mark", "disk /dev/sda on fire"),
            ("sentence", "Cannot read note 7"),
        ] {
            let shown = (sentence.to_owned(), None);
            assert_eq!(tool_error(&client, name).await, shown, "{library}");
            let error = protocol_error(&client, name).await;
            assert_eq!(error, ProtocolError::internal(sentence), "{library}");
        }
        let problems = ["problem", "within", "mixed"];
        for name in problems.iter().chain(around) {
            let shown = (UNKNOWN.to_owned(), Some(ProblemCode::NotFound));
            assert_eq!(tool_error(&client, name).await, shown, "{library} {name}");
            let error = protocol_error(&client, name).await;
            assert!(error.is_resource_not_found(), "{library} {name}: {error:?}");
        }
        let invalid = ProtocolError::invalid_params("Ids are numbers");
        let shown = (invalid.message().to_string(), None);
        assert_eq!(tool_error(&client, "protocol").await, shown, "{library}");
        assert_eq!(protocol_error(&client, "protocol").await, invalid);
    }
}

#[tokio::test]
async fn what_has_no_meaning_is_masked_with_all_that_was_put_around_it() {
    for (library, builder, around) in LIBRARIES {
        let client = connect(builder().mask_internal_errors()).await;
        for name in ["question-mark", "sentence"] {
            let (text, _) = tool_error(&client, name).await;
            assert!(text.contains("for incident"), "{library} {name}: {text}");
            let error = protocol_error(&client, name).await;
            assert!(error.message().contains("for incident"), "{library} {name}");
        }
        for name in ["problem", "within"].iter().chain(around) {
            let (text, _) = tool_error(&client, name).await;
            assert_eq!(text, UNKNOWN, "{library} {name}");
        }
    }
}
