//! A server with handlers that ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use plainly::errors::{ProtocolError, UrlElicitation};
use plainly::limits::Limits;
use plainly::protocol::types::{
    BooleanField, ChoicesField, CreateMessageParams, ElicitAction, ElicitFormParams,
    InputRequiredResult, NumberField, SamplingMessage, TextField,
};
use plainly::server::extract::{Ask, ReturnedAnswers};
use plainly::server::{
    AskError, AskErrorKind, Keys, Prompt, Resource, ResourceTemplate, Server, Tool,
};
use plainly::{Args, Context, Failure, State, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of times that the handlers have run.
pub(crate) type Runs = Arc<AtomicUsize>;

#[derive(Deserialize)]
struct Name {
    name: String,
}

fn name_form() -> ElicitFormParams {
    ElicitFormParams::new("Who are you?").field("name", TextField::new().max_length(20))
}

async fn hello(ask: &Ask) -> Result<String, Failure> {
    let answer = ask.elicit("user_name", name_form()).await?;
    Ok(match (answer.accepted()?, answer.action) {
        (Some(Name { name }), _) => format!("Hello, {name}!"),
        (None, action) => format!("{action:?}"),
    })
}

async fn greet(ask: Ask) -> Result<String, Failure> {
    hello(&ask).await
}

async fn several(ask: Ask) -> Result<String, Failure> {
    let params = CreateMessageParams::new([SamplingMessage::user("A greeting, please")], 50);
    let (name, said, roots) = tokio::try_join!(
        ask.elicit("user_name", name_form()),
        ask.sample("greeting", params),
        ask.roots("client_roots"),
    )?;
    let name = name.accepted::<Name>()?.map(|name| name.name);
    let roots: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
    Ok(format!("{} {name:?} {roots:?}", said.text()))
}

#[derive(Deserialize)]
struct Some {
    some: Vec<String>,
    count: Option<u32>,
}

#[derive(Deserialize)]
struct Sure {
    sure: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    item: Option<String>,
    size: Option<f64>,
}

/// Asks in two rounds. The second question depends on the first answer.
async fn order(
    ask: Ask,
    State(runs): State<Runs>,
    Args(Order { item, size }): Args<Order>,
) -> Result<String, Failure> {
    runs.fetch_add(1, Ordering::Relaxed);
    let form = ElicitFormParams::new("Which, and how many?")
        .field(
            "some",
            ChoicesField::new([("a", "A"), ("b", "B")]).min_items(1),
        )
        .optional("count", NumberField::integer().minimum(1).default_value(1));
    let Some(Some { some, count }) = ask.elicit("which", form).await?.accepted()? else {
        return Ok("nothing".to_owned());
    };
    let form = ElicitFormParams::new(format!("Really {}?", some.join(" and ")))
        .field("sure", BooleanField::new());
    let sure = ask.elicit("sure", form).await?.accepted::<Sure>()?;
    let is_sure = sure.is_some_and(|answer| answer.sure);
    Ok(format!("{item:?} {size:?} {some:?} {count:?} {is_sure}"))
}

#[derive(Deserialize, Serialize, JsonSchema)]
enum Size {
    Small,
    Large,
}

/// The fields of a form.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Filled {
    /// The name of the user.
    #[schemars(length(max = 20))]
    name: String,
    size: Size,
    sizes: Vec<Size>,
    count: Option<u8>,
}

async fn typed(ask: Ask) -> Result<String, Failure> {
    let filled: Option<Filled> = ask.form("filled", "Fill this in").await?;
    Ok(serde_json::to_string(&filled)?)
}

async fn swallow(ask: Ask) -> String {
    let answer = ask.elicit("user_name", name_form()).await.ok();
    format!("{:?}", answer.map(|answer| answer.action))
}

/// Waits for an answer for one second.
async fn hurry(ask: Ask) -> &'static str {
    let asked = ask.elicit("user_name", name_form());
    tokio::select! {
        answer = asked => if answer.is_ok() { "answered" } else { "failed" },
        () = tokio::time::sleep(Duration::from_secs(1)) => "too slow",
    }
}

/// Asks a different question in each run.
async fn fickle(ask: Ask, State(runs): State<Runs>) -> Result<&'static str, AskError> {
    let run = runs.fetch_add(1, Ordering::Relaxed);
    let form = ElicitFormParams::new(format!("This is run {run}. Go on?"));
    ask.elicit("go-on", form).await?;
    Ok("agreed")
}

/// Continues without an answer if the client can't be asked.
async fn resourceful(ask: Ask) -> Result<String, AskError> {
    match ask.elicit("user_name", name_form()).await {
        Ok(answer) => Ok(format!("{:?}", answer.action)),
        Err(error) if error.kind() == AskErrorKind::Undeclared => Ok("Hello, you!".to_owned()),
        Err(error) => Err(error),
    }
}

async fn model(ask: Ask) -> Result<String, AskError> {
    let params = CreateMessageParams::new([SamplingMessage::user("?")], 5);
    Ok(ask.sample("model", params).await?.text())
}

async fn spawned(ask: Ask) -> Result<String, Failure> {
    tokio::spawn(async move { hello(&ask).await }).await?
}

/// Checks that a question ends with its request.
async fn abandoned(ask: Ask, State(runs): State<Runs>) -> &'static str {
    tokio::spawn(async move {
        let error = ask.elicit("user_name", name_form()).await.unwrap_err();
        assert_eq!(error.kind(), AskErrorKind::Over);
        runs.fetch_add(1, Ordering::Relaxed);
    });
    tokio::task::yield_now().await;
    "gone"
}

/// Asks in another task, and never returns.
async fn stuck(ask: Ask) {
    tokio::spawn(async move { ask.roots("roots").await });
    std::future::pending().await
}

async fn twice(ask: Ask) -> Result<String, Failure> {
    let first = hello(&ask).await?;
    Ok(format!("{first} {}", hello(&ask).await?))
}

async fn sign_in(ask: Ask) -> Result<String, Failure> {
    let url = "https://a.example/connect";
    let action = ask.visit("sign-in", url, "Sign in").await?;
    if action == ElicitAction::Accept {
        return Ok("welcome".to_owned());
    }
    Ok(format!("{action:?}"))
}

/// Asks a question, and then fails until the user has visited a page.
async fn asks_and_sends(ask: Ask) -> Result<String, Failure> {
    hello(&ask).await?;
    let visit = UrlElicitation::new("sign-in", "https://a.example/connect", "Sign in");
    Err(ProtocolError::url_elicitation_required([visit]).into())
}

async fn many(ask: Ask) -> Result<String, AskError> {
    let keys: Vec<_> = (0..200).map(|number| format!("k{number}")).collect();
    let asked = keys.iter().map(|key| ask.roots(key));
    let mut asked: FuturesUnordered<_> = asked.collect();
    while let Some(answer) = asked.next().await {
        answer?;
    }
    Ok("all of them".to_owned())
}

async fn quiet(context: Context, ask: Ask) -> Result<String, Failure> {
    context.progress(1).await;
    let answer = hello(&ask).await?;
    context.progress(2).await;
    Ok(answer)
}

/// Asks two questions repeatedly, until both are declined.
async fn insist(ask: Ask) -> Result<&'static str, AskError> {
    let until_declined = async |key: &str| {
        loop {
            let asked = ask.elicit(key, name_form()).await;
            let is_over = |error: &AskError| error.kind() == AskErrorKind::Over;
            match asked {
                Ok(answer) if answer.action == ElicitAction::Decline => return Ok(()),
                Err(error) if is_over(&error) => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
    };
    tokio::try_join!(until_declined("one"), until_declined("other"))?;
    Ok("at last")
}

/// Stores its state itself.
async fn bare(returned: ReturnedAnswers) -> Result<String, Failure> {
    match returned.state.as_deref() {
        None => {
            let asked = InputRequiredResult::new([("user_name", name_form())]);
            Err(Failure::input_required(asked.request_state("round 1")))
        }
        Some("round 1") => match returned.answers.read::<serde_json::Value>("user_name")? {
            Some(answer) => Ok(answer.to_string()),
            None => Ok("no answer".to_owned()),
        },
        Some(other) => Ok(format!("a state of somebody's: {other}")),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Topic {
    /// The topic.
    topic: Option<String>,
}

async fn prompt(ask: Ask, Args(Topic { topic }): Args<Topic>) -> Result<String, Failure> {
    Ok(format!(
        "{} {}",
        hello(&ask).await?,
        topic.unwrap_or_default()
    ))
}

async fn page(ask: Ask) -> Result<Text, Failure> {
    Ok(Text::plain(hello(&ask).await?))
}

/// Builds a server with `keys`. `runs` counts the runs of some of its handlers.
pub(crate) fn server_with(keys: Keys, runs: &Runs, change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    Server::builder("asker", "1")
        .state(Arc::clone(runs))
        .keys(keys)
        .limits(limits)
        .tool(Tool::new("greet", greet))
        .tool(Tool::new("greet-too", greet))
        .tool(Tool::new("several", several))
        .tool(Tool::new("order", order))
        .tool(Tool::new("typed", typed))
        .tool(Tool::new("swallow", swallow))
        .tool(Tool::new("hurry", hurry))
        .tool(Tool::new("fickle", fickle))
        .tool(Tool::new("resourceful", resourceful))
        .tool(Tool::new("model", model))
        .tool(Tool::new("spawned", spawned))
        .tool(Tool::new("abandoned", abandoned))
        .tool(Tool::new("stuck", stuck))
        .tool(Tool::new("twice", twice))
        .tool(Tool::new("sign-in", sign_in))
        .tool(Tool::new("asks-and-sends", asks_and_sends))
        .tool(Tool::new("many", many))
        .tool(Tool::new("quiet", quiet))
        .tool(Tool::new("insist", insist))
        .tool(Tool::new("bare", bare))
        .prompt(Prompt::new("greeting", prompt))
        .resource(Resource::new("page://greeting", page))
        .resource_template(ResourceTemplate::new("page://{any}/greeting", page))
        .build()
        .unwrap()
}

pub(crate) fn server() -> Server {
    server_with(Keys::new([7; 32]), &Runs::default(), |_| {})
}
