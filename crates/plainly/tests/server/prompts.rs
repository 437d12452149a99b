//! Prompts and completion, and their failures, as clients of every revision see them.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io;

use plainly::client::{Client, Error};
use plainly::errors::{
    Era, ErrorKind, Internal, InvalidParams, Mistake, Problem, ProblemBag, ProblemCode,
    ProtocolError, Revision, UrlElicitation,
};
use plainly::limits::Limits;
use plainly::protocol::types::{
    Arguments, CompleteParams, Completion, Content, Cursor, GetPromptResult, Icon,
    ListPromptsParams, PromptMessage, Reference, Role,
};
use plainly::server::extract::{Args, Context, PartialArgument, State};
use plainly::server::{Failure, Prompt, Resource, Server, ServerBuilder, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Blunt,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the prompt says all fields by `Debug`")]
struct Review {
    /// The code to review.
    source_code: String,
    /// The most findings.
    most: u8,
    #[schemars(title = "Language")]
    language: Option<String>,
    framework: Option<String>,
    tone: Option<Tone>,
    brief: Option<bool>,
}

async fn review(Args(review): Args<Review>) -> String {
    format!("{review:?}")
}

#[derive(Clone)]
struct Known(&'static [&'static str]);

async fn languages(State(Known(languages)): State<Known>, typed: PartialArgument) -> Vec<String> {
    typed.matching(languages.iter().copied())
}

async fn frameworks(typed: PartialArgument) -> Result<Vec<&'static str>, Problem> {
    match typed.argument("language") {
        Some("python") => Ok(vec!["flask", "django"]),
        Some(other) => Err(Problem::not_found("language", other)),
        None => Ok(vec![]),
    }
}

async fn talk() -> Vec<PromptMessage> {
    vec![
        PromptMessage::user("Hello?"),
        PromptMessage::new(Role::Assistant, Content::image(*b"abc", "image/png")),
    ]
}

async fn described() -> GetPromptResult {
    GetPromptResult::new([PromptMessage::assistant("Be kind.")]).description("A word")
}

async fn who(context: Context) -> Result<String, Failure> {
    let client = context.client().ok_or_else(|| Failure::text("nobody"))?;
    Ok(client.name.clone())
}

fn builder() -> ServerBuilder {
    Server::builder("prompts", "1")
        .state(Known(&["c", "python", "pytorch", "rust"]))
        .prompt(
            Prompt::new("review", review)
                .title("Review")
                .description("Asks for a review")
                .icons([Icon::new("data:image/png;base64,AAAA")])
                .complete("language", languages)
                .complete("framework", frameworks),
        )
        .prompt(Prompt::new("talk", talk))
        .prompt(Prompt::new("described", described))
        .prompt(Prompt::new("who", who))
        .prompt(Prompt::new("motd", async || "Be kind."))
}

async fn connect(builder: ServerBuilder, revision: Revision) -> Client {
    let server = builder.build().unwrap();
    let (reader, writer) = plainly_peer::served(&server);
    let client = Client::over(reader, writer).revision(revision);
    client.connect().await.unwrap()
}

fn said(result: &GetPromptResult) -> Vec<(Role, &str)> {
    let messages = result.messages.iter().map(|message| {
        let Content::Text(block) = &message.content else {
            panic!("{message:?}");
        };
        (message.role, block.text.as_str())
    });
    messages.collect()
}

fn protocol<T: std::fmt::Debug>(outcome: Result<T, Error>) -> ProtocolError {
    match outcome {
        Err(Error::Protocol(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_prompt_is_listed_with_the_arguments_of_its_type() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        assert!(client.capabilities().prompts.is_some());
        let has_capability = revision != Revision::V2024_11_05;
        assert_eq!(client.capabilities().completions.is_some(), has_capability);
        let prompts = client.prompts().await.unwrap();
        let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(names, ["review", "talk", "described", "who", "motd"]);
        assert_eq!(
            serde_json::to_value(&prompts[0]).unwrap(),
            json!({
                "name": "review", "title": "Review", "description": "Asks for a review",
                "icons": [{ "src": "data:image/png;base64,AAAA" }],
                "arguments": [
                    { "name": "sourceCode", "description": "The code to review.", "required": true },
                    { "name": "most", "description": "The most findings.", "required": true },
                    { "name": "language", "title": "Language", "required": false },
                    { "name": "framework", "required": false },
                    { "name": "tone", "required": false },
                    { "name": "brief", "required": false },
                ],
            })
        );
        assert_eq!(prompts[1].arguments, None);
    }
}

#[tokio::test]
async fn a_prompt_is_filled_in_from_text() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        let given = [
            ("sourceCode", "1"),
            ("most", "3"),
            ("tone", "kind"),
            ("brief", "true"),
            ("unheard-of", "is ignored"),
        ];
        let review = client.prompt("review", given).await.unwrap();
        let expected = "Review { source_code: \"1\", most: 3, language: None, framework: None, \
                        tone: Some(Kind), brief: Some(true) }";
        assert_eq!(said(&review), [(Role::User, expected)], "{revision}");

        let talk = client.prompt("talk", ()).await.unwrap();
        assert_eq!(talk.messages, self::talk().await);

        let described = client.prompt("described", ()).await.unwrap();
        assert_eq!(described.description.as_deref(), Some("A word"));
        assert_eq!(said(&described), [(Role::Assistant, "Be kind.")]);

        let who = client.prompt("who", [("no", "argument")]).await.unwrap();
        assert_eq!(said(&who), [(Role::User, "plainly")]);
        let motd = client.prompt("motd", ()).await.unwrap();
        assert_eq!(said(&motd), [(Role::User, "Be kind.")]);
    }
}

#[tokio::test]
async fn all_that_is_wrong_with_the_arguments_is_told_at_once() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        for (given, expected) in [
            (
                Arguments::new(),
                vec![
                    r#""sourceCode" is a required property"#,
                    r#""most" is a required property"#,
                ],
            ),
            (
                Arguments::from([("most", "many"), ("tone", "rude"), ("brief", "yes")]),
                vec![
                    r#""sourceCode" is a required property"#,
                    r#"/most: "many" is not of type "integer""#,
                    "/tone: ",
                    "/brief: ",
                ],
            ),
            (
                Arguments::from([("sourceCode", "x"), ("most", "256")]),
                vec!["/most: 256 is greater than the maximum of 255"],
            ),
        ] {
            let error = protocol(client.prompt("review", given).await);
            let kind = error.kind();
            assert!(
                matches!(kind, ErrorKind::InvalidParams(InvalidParams::Malformed { problems }) if problems.len() == expected.len()),
                "{revision}: {kind:?}"
            );
            let message = error.message();
            let told = message.strip_prefix("Invalid arguments for prompt review: ");
            let told: Vec<_> = told.unwrap().split("; ").collect();
            assert_eq!(told.len(), expected.len(), "{message}");
            for one in expected {
                assert!(
                    told.iter().any(|it| it.starts_with(one)),
                    "{one}: {message}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_prompt_that_is_not_there_is_named() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        let complete = CompleteParams::new(Reference::prompt("nope"), "a", "");
        for error in [
            protocol(client.prompt("nope", ()).await),
            protocol(client.complete(&complete).await),
        ] {
            let name = "nope".to_owned();
            assert_eq!(error, InvalidParams::UnknownPrompt { name }.into());
        }
        let error = protocol(client.prompt("x".repeat(129), ()).await);
        let message = "Unknown prompt: no name has more than 128 bytes";
        assert_eq!(error.message(), message);
        let kind = error.kind();
        assert!(
            matches!(
                kind,
                ErrorKind::InvalidParams(InvalidParams::UnknownPrompt { .. })
            ),
            "{kind:?}"
        );

        let without = Server::builder("none", "1").tool(Tool::new("tool", async || "x"));
        let client = connect(without, revision).await;
        assert_eq!(client.capabilities().prompts, None);
        for error in [
            client.prompts().await.unwrap_err(),
            client.prompt("nope", ()).await.unwrap_err(),
            client.complete(&complete).await.unwrap_err(),
        ] {
            assert!(error.is_method_not_found(), "{revision}: {error}");
        }
    }
}

#[tokio::test]
async fn prompts_are_listed_page_by_page() {
    let mut limits = Limits::default();
    limits.page_entries = 2;
    let tools = |builder: ServerBuilder| builder.tool(Tool::new("talk", async || "x"));
    for revision in Revision::ALL {
        let client = connect(tools(builder().limits(limits.clone())), revision).await;
        assert_eq!(client.prompts().await.unwrap().len(), 5);
        let mut sizes = Vec::new();
        let mut params = ListPromptsParams::new();
        loop {
            let page = client.list_prompts(&params).await.unwrap();
            sizes.push(page.prompts.len());
            params.cursor = page.next_cursor;
            if params.cursor.is_none() {
                break;
            }
        }
        assert_eq!(sizes, [2, 2, 1]);
        for cursor in ["", "x", "dG9vbHMKdGFsaw", "cHJvbXB0cwpub3doZXJl"] {
            let params = ListPromptsParams::new().cursor(Cursor::from(cursor));
            let error = protocol(client.list_prompts(&params).await);
            assert_eq!(error, InvalidParams::InvalidCursor.into(), "{cursor}");
        }
    }
}

async fn complete(client: &Client, argument: &str, value: &str) -> Completion {
    let params = CompleteParams::new(Reference::prompt("review"), argument, value);
    client.complete(&params).await.unwrap()
}

fn all(values: &[&str]) -> Completion {
    let values: Vec<_> = values.iter().map(|&value| value.to_owned()).collect();
    let total = values.len() as u64;
    Completion::new(values).total(total).has_more(false)
}

#[tokio::test]
async fn arguments_are_completed_by_handlers_and_by_their_types() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        for (argument, value, expected) in [
            ("language", "PY", all(&["python", "pytorch"])),
            ("language", "cobol", all(&[])),
            ("tone", "", all(&["kind", "blunt"])),
            ("tone", "b", all(&["blunt"])),
            ("brief", "f", all(&["false"])),
            // This argument has no completion.
            ("sourceCode", "fn", Completion::default()),
            ("framework", "", all(&[])),
        ] {
            let found = complete(&client, argument, value).await;
            assert_eq!(found, expected, "{argument} {value} {revision}");
        }
        let params = CompleteParams::new(Reference::prompt("review"), "framework", "");
        let known = params.clone().arguments([("language", "python")]);
        let found = client.complete(&known).await.unwrap();
        assert_eq!(found, all(&["flask", "django"]));
        let unknown = params.arguments([("language", "cobol")]);
        let error = protocol(client.complete(&unknown).await);
        assert!(!error.is_resource_not_found());
        assert_eq!(error.problem().unwrap().code(), &ProblemCode::NotFound);
    }
}

#[tokio::test]
async fn what_can_not_be_completed_is_refused() {
    for revision in Revision::ALL {
        let client = connect(builder(), revision).await;
        for (reference, argument, path, why) in [
            (
                Reference::prompt("review"),
                "languages",
                "/argument/name",
                r#""languages" is not one of "sourceCode", "most", "language", "framework", "tone", "brief" (did you mean "language"?)"#,
            ),
            (
                Reference::prompt("talk"),
                "x",
                "/argument/name",
                r#""x" is unknown: there is no argument"#,
            ),
            (
                Reference::resource("file:///{path}"),
                "path",
                "/ref/uri",
                r#""file:///{path}" is unknown: there is no resource template"#,
            ),
        ] {
            let params = CompleteParams::new(reference, argument, "");
            let error = protocol(client.complete(&params).await);
            let problems = vec![Mistake::new(path, why)];
            assert_eq!(
                error,
                InvalidParams::Malformed { problems }.into(),
                "{revision}"
            );
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Number {
    number: Option<String>,
    other: Option<String>,
}

async fn numbers() -> Vec<String> {
    (0..150).map(|number| number.to_string()).collect()
}

async fn told() -> Completion {
    let values: Vec<_> = (0..101).map(|number| number.to_string()).collect();
    Completion::new(values).total(1_000)
}

#[tokio::test]
async fn no_more_than_a_hundred_values_leave() {
    let prompt = Prompt::new("review", async |Args(_): Args<Number>| "x")
        .complete("number", numbers)
        .complete("other", told);
    let client = connect(
        Server::builder("many", "1").prompt(prompt),
        Revision::LATEST,
    )
    .await;
    for (argument, total) in [("number", 150), ("other", 1_000)] {
        let found = complete(&client, argument, "").await;
        assert_eq!(found.values.len(), 100);
        assert_eq!(found.values[99], "99");
        assert_eq!(found.total, Some(total));
        assert_eq!(found.has_more, Some(true));
    }
}

fn on_fire() -> io::Error {
    io::Error::other("disk /dev/sda on fire")
}

async fn missing() -> Result<String, Problem> {
    Err(Problem::not_found("note", "7"))
}

async fn two_problems() -> Result<String, Failure> {
    let mut bag = ProblemBag::new();
    bag.invalid("email", "needs an @")
        .invalid("name", "is too short");
    bag.into_result()?;
    Ok("valid".to_owned())
}

async fn gone() -> Result<String, ProtocolError> {
    Err(ProtocolError::resource_not_found("note://7"))
}

async fn broken() -> Result<Vec<PromptMessage>, Failure> {
    Err(on_fire())?
}

async fn panics() -> String {
    panic!("{}", on_fire())
}

async fn sentence() -> Result<PromptMessage, Failure> {
    Err(Failure::text("Try again on Monday"))
}

async fn visit() -> Result<String, ProtocolError> {
    let visit = UrlElicitation::new("1", "https://a.example/", "Sign in");
    Err(ProtocolError::url_elicitation_required([visit]))
}

async fn broken_completion() -> Result<Vec<String>, io::Error> {
    Err(on_fire())
}

fn failing() -> ServerBuilder {
    Server::builder("failing", "1")
        .prompt(Prompt::new("missing", missing))
        .prompt(Prompt::new("two_problems", two_problems))
        .prompt(Prompt::new("gone", gone))
        .prompt(Prompt::new("broken", broken))
        .prompt(Prompt::new("panics", panics))
        .prompt(Prompt::new("sentence", sentence))
        .prompt(Prompt::new("visit", visit))
        .prompt(
            Prompt::new("review", async |Args(_): Args<Number>| "x")
                .complete("number", broken_completion)
                .complete("other", async || -> Vec<String> { panic!("{}", on_fire()) }),
        )
        .resource(Resource::new("note://8", async || "x"))
}

#[tokio::test]
async fn code_reads_what_became_of_its_prompt() {
    for revision in Revision::ALL {
        let client = connect(failing(), revision).await;
        let get = async |name: &str| protocol(client.prompt(name, ()).await);

        // The missing note is neither the prompt nor a requested resource.
        let missing = get("missing").await;
        assert!(!missing.is_resource_not_found());
        let kind = ErrorKind::InvalidParams(InvalidParams::MALFORMED);
        assert_eq!(missing.kind(), &kind);
        assert_eq!(missing.problem(), Some(&Problem::not_found("note", "7")));
        let gone = get("gone").await;
        assert_eq!(gone, ProtocolError::resource_not_found("note://7"));

        let two = get("two_problems").await;
        assert_eq!(two.message(), "2 validation errors occurred.");
        for (name, message) in [
            ("broken", "disk /dev/sda on fire"),
            ("sentence", "Try again on Monday"),
        ] {
            assert_eq!(get(name).await, ProtocolError::internal(message), "{name}");
        }
        let panics = get("panics").await;
        assert_eq!(panics, Internal::Failed.into());
        assert!(!panics.message().contains("sda"));

        for (argument, message) in [
            ("number", "disk /dev/sda on fire".into()),
            ("other", panics.message()),
        ] {
            let params = CompleteParams::new(Reference::prompt("review"), argument, "");
            let error = protocol(client.complete(&params).await);
            assert_eq!(error, ProtocolError::internal(message.into_owned()));
        }
        assert_eq!(get("sentence").await.message(), "Try again on Monday");
    }
}

#[tokio::test]
async fn a_visit_of_the_user_is_asked_for_as_the_revision_can() {
    for revision in Revision::ALL {
        let client = connect(failing(), revision).await;
        let error = client.prompt("visit", ()).await.unwrap_err();
        // This client did not declare that its user can visit URLs.
        match revision.era() {
            Era::Modern => assert!(error.is_missing_capability(), "{error}"),
            Era::Legacy => {
                let urls = error.url_elicitations().unwrap();
                assert_eq!(urls[0].url, "https://a.example/", "{error}");
            }
        }
    }
}

#[tokio::test]
async fn masked_errors_are_a_number() {
    let client = connect(failing().mask_internal_errors(), Revision::LATEST).await;
    let completion = CompleteParams::new(Reference::prompt("review"), "number", "");
    for error in [
        protocol(client.prompt("broken", ()).await),
        protocol(client.complete(&completion).await),
    ] {
        let incident = matches!(error.kind(), ErrorKind::Internal(Internal::Incident { .. }));
        assert!(incident, "{error:?}");
        assert!(!error.message().contains("sda"));
    }
    let missing = protocol(client.prompt("missing", ()).await);
    assert_eq!(missing.problem().unwrap().code(), &ProblemCode::NotFound);
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it is there to be refused")]
struct Parts {
    one: u8,
    all: Option<Vec<u8>>,
}

#[test]
fn a_server_is_not_built_with_prompts_that_are_wrong() {
    let errors = Server::builder("wrong", "1")
        .prompt(Prompt::new("", async || "x"))
        .prompt(Prompt::new("twice", async || "x"))
        .prompt(Prompt::new("twice", async || "x"))
        .prompt(Prompt::new("list", async |Args(_): Args<Vec<String>>| "x"))
        .prompt(Prompt::new("parts", async |Args(_): Args<Parts>| "x"))
        .prompt(
            Prompt::new("review", review)
                .complete("language", languages)
                .complete("lingo", languages),
        )
        .build()
        .unwrap_err();
    let told: Vec<_> = errors.iter().map(ToString::to_string).collect();
    let known = std::any::type_name::<Known>();
    let state = |argument: &str| {
        format!(
            "prompt review, completing {argument}, takes State<{known}>, but no {known} was given to state()"
        )
    };
    assert_eq!(
        told,
        [
            "prompt  needs a name of 1 to 128 bytes",
            "prompt twice is defined twice",
            "prompt list takes Args of a type that is not a JSON object: use a struct",
            "prompt parts has the argument all, which is a list or an object: hosts send text",
            &state("language"),
            &state("lingo"),
            "prompt review completes lingo, which is not one of its arguments",
        ]
    );
}
