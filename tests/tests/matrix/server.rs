//! The server of all cells. Its handlers never look at the revision of their client.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plainly::errors::{ApplicationCode, Problem, UrlElicitation};
use plainly::protocol::types::{
    Content, CreateMessageParams, ElicitFormParams, LoggingLevel, NumberField,
    Resource as Described, SamplingMessage, TextField,
};
use plainly::server::extract::{Ask, PartialArgument, Progress};
use plainly::server::{Changes, ServerBuilder, TaskSupport};
use plainly::{
    Args, Context, Failure, Json, Prompt, ProtocolError, Resource, ResourceTemplate, ResourceUri,
    Server, State, Tool, Vars,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::{Notify, Semaphore};

/// The URL of the elicitation.
pub(crate) const URL: &str = "https://example.com/sign-in";

/// State that the tests and the handlers share.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) changes: Changes,
    /// Notified when a handler that never ends has begun.
    pub(crate) begun: Arc<Notify>,
    /// Notified when that handler is dropped.
    pub(crate) dropped: Arc<Notify>,
    /// Has a permit for each task that may finish.
    pub(crate) gate: Arc<Semaphore>,
    /// Whether the user has visited [`URL`].
    pub(crate) is_signed_in: Arc<AtomicBool>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            changes: Changes::new(),
            begun: Arc::default(),
            dropped: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
            is_signed_in: Arc::default(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

async fn greet(Args(Name { name }): Args<Name>) -> String {
    format!("Hello, {name}!")
}

async fn user(Vars(Name { name }): Vars<Name>) -> String {
    format!("{name} is a user.")
}

#[derive(Deserialize, JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Total {
    total: i64,
}

async fn sum(Args(Sum { a, b }): Args<Sum>) -> Json<Total> {
    Json(Total { total: a + b })
}

async fn media() -> Vec<Content> {
    vec![
        Content::image(*b"i", "image/png"),
        Content::audio(*b"a", "audio/wav"),
        Content::resource_link(Described::new("app://motd", "motd")),
    ]
}

async fn form(ask: Ask) -> Result<String, Failure> {
    let form = ElicitFormParams::new("Who?").field("name", TextField::new());
    let who: Option<Name> = ask.elicit("who", form).await?.accepted()?;
    Ok(who.map_or("nobody".to_owned(), |who| who.name))
}

async fn declined(ask: Ask) -> Result<String, Failure> {
    let form = ElicitFormParams::new("Really?").field("name", TextField::new());
    Ok(format!("{:?}", ask.elicit("really", form).await?.action))
}

async fn many(ask: Ask) -> Result<String, Failure> {
    let form = ElicitFormParams::new("How many?").field("many", NumberField::integer());
    Ok(format!("{:?}", ask.elicit("many", form).await?.content))
}

async fn visit(ask: Ask) -> Result<String, Failure> {
    Ok(format!("{:?}", ask.visit("sign-in", URL, "Sign in").await?))
}

async fn sample(ask: Ask) -> Result<String, Failure> {
    let question = CreateMessageParams::new([SamplingMessage::user("Hello?")], 10);
    Ok(ask.sample("model", question).await?.text())
}

async fn refused(ask: Ask) -> Result<String, Failure> {
    let question = CreateMessageParams::new([SamplingMessage::user("No?")], 10);
    Ok(ask.sample("model", question).await?.text())
}

async fn roots(ask: Ask) -> Result<String, Failure> {
    let roots = ask.roots("roots").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect())
}

/// Asks two questions at the same time, and one after them.
async fn several(ask: Ask) -> Result<String, Failure> {
    let question = |text: &str| CreateMessageParams::new([SamplingMessage::user(text)], 10);
    let (roots, first) =
        tokio::try_join!(ask.roots("roots"), ask.sample("first", question("first")))?;
    let second = ask.sample("second", question("second")).await?;
    Ok(format!(
        "{} {} {}",
        roots.len(),
        first.text(),
        second.text()
    ))
}

async fn sign_in(State(world): State<World>) -> Result<&'static str, ProtocolError> {
    match world.is_signed_in.load(Ordering::SeqCst) {
        true => Ok("signed in"),
        false => Err(ProtocolError::url_elicitation_required([
            UrlElicitation::new("sign-in", URL, "Sign in"),
        ])),
    }
}

async fn works(context: Context) -> &'static str {
    for step in 1..=2 {
        context
            .progress(Progress::new(step).of(2).message(format!("step {step}")))
            .await;
        context.log(LoggingLevel::Info, json!(step)).await;
        context.log(LoggingLevel::Debug, "not asked for").await;
    }
    "done"
}

struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

async fn never(State(world): State<World>) -> &'static str {
    let _dropped = Dropped(world.dropped);
    world.begun.notify_one();
    std::future::pending().await
}

async fn job(State(world): State<World>) -> Result<&'static str, Failure> {
    world.gate.acquire().await?.forget();
    Ok("done")
}

async fn broken() -> Result<String, io::Error> {
    Err(io::Error::other("the disk is on fire"))
}

#[expect(clippy::panic, reason = "to see what becomes of it")]
async fn panics() -> String {
    panic!("the handler's secret")
}

async fn problem() -> Result<String, Problem> {
    Err(Problem::service_unavailable("search"))
}

async fn no_user() -> Result<String, Problem> {
    Err(Problem::not_found("user", "7"))
}

async fn teapot() -> Result<String, ProtocolError> {
    let code = ApplicationCode::of::<418>();
    Err(ProtocolError::application(code, "I'm a teapot"))
}

async fn gone(uri: ResourceUri) -> Result<String, ProtocolError> {
    Err(ProtocolError::resource_not_found(uri))
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    language: String,
    framework: Option<String>,
}

async fn review(
    Args(Review {
        language,
        framework,
    }): Args<Review>,
) -> String {
    format!("Review {language} {}", framework.unwrap_or_default())
}

async fn languages(typed: PartialArgument) -> Vec<String> {
    typed.matching(["python", "rust", "ruby"])
}

async fn frameworks(typed: PartialArgument) -> Result<Vec<String>, Failure> {
    match typed.argument("language") {
        Some("broken") => Err(Failure::text("no frameworks today")),
        Some(language) => Ok(vec![format!("{language} on rails")]),
        None => Ok(vec!["no language".to_owned()]),
    }
}

fn tools() -> [Tool; 22] {
    [
        Tool::new("greet", greet),
        Tool::new("sum", sum),
        Tool::new("media", media),
        Tool::new("form", form),
        Tool::new("declined", declined),
        Tool::new("many", many),
        Tool::new("visit", visit),
        Tool::new("sample", sample),
        Tool::new("refused", refused),
        Tool::new("roots", roots),
        Tool::new("several", several),
        Tool::new("sign-in", sign_in),
        Tool::new("works", works),
        Tool::new("never", never),
        Tool::new("job", job).task(TaskSupport::Optional),
        Tool::new("long-job", job).task(TaskSupport::Required),
        Tool::new("broken", broken),
        Tool::new("panics", panics),
        Tool::new("problem", problem),
        Tool::new("no-user", no_user),
        Tool::new("teapot", teapot),
        Tool::new("task-form", form).task(TaskSupport::Optional),
    ]
}

pub(crate) fn builder(world: &World) -> ServerBuilder {
    let review = Prompt::new("review", review)
        .complete("language", languages)
        .complete("framework", frameworks);
    let user = ResourceTemplate::new("user://{name}", user)
        .name("user")
        .complete("name", async |typed: PartialArgument| {
            typed.matching(["ada", "bob"])
        });
    Server::builder("matrix", "1")
        .state(world.clone())
        .changes(world.changes.clone())
        .dynamic_tools()
        .dynamic_prompts()
        .dynamic_resources()
        .tools(tools())
        .resource(Resource::new("app://motd", async || "Be kind."))
        .resource(Resource::new("app://form", form))
        .resource(Resource::new("app://sign-in", sign_in))
        .resource(Resource::new("app://works", works))
        .resource(Resource::new("app://never", never))
        .resource(Resource::new("app://broken", broken))
        .resource(Resource::new("app://panics", panics))
        .resource(Resource::new("app://problem", problem))
        .resource(Resource::new("app://no-user", no_user))
        .resource(Resource::new("app://teapot", teapot))
        .resource(Resource::new("app://gone", gone))
        .resource_template(user)
        .store(crate::tree::tree())
        .prompt(review)
        .prompt(Prompt::new("form", form))
        .prompt(Prompt::new("broken", broken))
        .prompt(Prompt::new("panics", panics))
        .prompt(Prompt::new("problem", problem))
}
