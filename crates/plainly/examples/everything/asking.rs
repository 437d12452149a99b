//! Tools and a prompt that ask the client: its user to fill in a form, its model for a message, and
//! the client itself for its roots.
//!
//! Each handler is written as if the client answered at once. If the answer comes in another round,
//! the handler runs again from its beginning, and questions that are already answered are not asked
//! again.

use plainly::protocol::types::{
    BooleanField, CreateMessageParams, ElicitAction, ElicitFormParams, Root, SamplingMessage,
    TextField,
};
use plainly::server::ServerBuilder;
use plainly::server::extract::Ask;
use plainly::{Args, Failure, Prompt, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::try_join;

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    server
        .tool(Tool::new("test_elicitation", contact).description("Asks the user who they are"))
        .tool(Tool::new("test_elicitation_url", visit).description("Asks the user to visit a URL"))
        .tool(Tool::new("test_sampling", sample).description("Asks the model"))
        .tool(Tool::new("test_streaming_elicitation", hello).description("Asks for a name"))
        .tool(
            Tool::new("test_input_required_result_elicitation", hello)
                .description("Asks for a name"),
        )
        .tool(
            Tool::new("test_input_required_result_sampling", capital)
                .description("Asks the model for a capital"),
        )
        .tool(
            Tool::new("test_input_required_result_list_roots", roots)
                .description("Asks for the roots"),
        )
        .tool(
            Tool::new("test_input_required_result_request_state", confirm)
                .description("Asks for a confirmation"),
        )
        .tool(
            Tool::new("test_input_required_result_tampered_state", confirm)
                .description("Asks for a confirmation"),
        )
        .tool(
            Tool::new("test_input_required_result_multiple_inputs", three)
                .description("Asks three things at once"),
        )
        .tool(
            Tool::new("test_input_required_result_multi_round", two_rounds)
                .description("Asks one thing after the other"),
        )
        .tool(
            Tool::new("test_input_required_result_capabilities", what_it_can)
                .description("Asks what the client can answer"),
        )
        .prompt(
            Prompt::new("test_input_required_result_prompt", prompt)
                .description("Asks what it is about"),
        )
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    /// The question for the user.
    message: String,
}

async fn contact(ask: Ask, Args(Message { message }): Args<Message>) -> Result<String, Failure> {
    let form = ElicitFormParams::new(message)
        .field("username", TextField::new())
        .field("email", TextField::new());
    let answer = serde_json::to_string(&ask.elicit("contact", form).await?)?;
    Ok(format!("User response: {answer}"))
}

/// Sends the user to a page. The client never sees what happens there.
async fn visit(ask: Ask) -> Result<&'static str, Failure> {
    let url = "https://example.com/sign-in";
    let action = ask.visit("sign_in", url, "Please sign in").await?;
    Ok(match action == ElicitAction::Accept {
        true => "The user went there.",
        false => "The user did not want to.",
    })
}

#[derive(Deserialize, JsonSchema)]
struct Question {
    /// The question for the model.
    prompt: String,
}

async fn sample(ask: Ask, Args(Question { prompt }): Args<Question>) -> Result<String, Failure> {
    let answer = ask.sample("answer", message(prompt, 100)).await?;
    Ok(format!("LLM response: {}", answer.text()))
}

fn message(text: impl Into<String>, most_tokens: u64) -> CreateMessageParams {
    CreateMessageParams::new([SamplingMessage::user(text)], most_tokens)
}

async fn capital(ask: Ask) -> Result<String, Failure> {
    let question = message("What is the capital of France?", 100);
    Ok(ask.sample("capital_question", question).await?.text())
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// Asks for the user's name, which the user may decline.
pub(crate) async fn name(ask: &Ask, key: &str) -> Result<String, Failure> {
    let form = ElicitFormParams::new("What is your name?").field("name", TextField::new());
    let answer = ask.elicit(key, form).await?.accepted()?;
    Ok(answer.map_or_else(|| "stranger".to_owned(), |Named { name }| name))
}

async fn hello(ask: Ask) -> Result<String, Failure> {
    let name = name(&ask, "user_name").await?;
    Ok(format!("Hello, {name}!"))
}

async fn roots(ask: Ask) -> Result<String, Failure> {
    let roots = ask.roots("client_roots").await?;
    Ok(format!("The roots are {}.", uris(&roots)))
}

fn uris(roots: &[Root]) -> String {
    let uris: Vec<_> = roots.iter().map(|root| root.uri.as_str()).collect();
    uris.join(", ")
}

#[derive(Deserialize)]
struct Confirmed {
    ok: bool,
}

/// Asks a question whose answer comes back sealed in later rounds, so that a client can't change
/// it.
async fn confirm(ask: Ask) -> Result<&'static str, Failure> {
    let form = ElicitFormParams::new("Please confirm").field("ok", BooleanField::new());
    Ok(match ask.elicit("confirm", form).await?.accepted()? {
        Some(Confirmed { ok: true }) => "state-ok",
        _ => "It was not confirmed.",
    })
}

/// Asks three questions together, in one round.
async fn three(ask: Ask) -> Result<String, Failure> {
    let greeting = message("Generate a greeting", 50);
    let greeting = async { Ok(ask.sample("greeting", greeting).await?.text()) };
    let roots = async { Ok(uris(&ask.roots("client_roots").await?)) };
    let (name, greeting, roots) = try_join!(name(&ask, "user_name"), greeting, roots)?;
    Ok(format!("{greeting}, {name}! Your roots are {roots}."))
}

#[derive(Deserialize)]
struct Liked {
    color: String,
}

/// Asks a question after an answer, in the next round.
async fn two_rounds(ask: Ask) -> Result<String, Failure> {
    let name = name(&ask, "step1").await?;
    let text = format!("What is your favorite color, {name}?");
    let form = ElicitFormParams::new(text).field("color", TextField::new());
    let answer = ask.elicit("step2", form).await?.accepted()?;
    let color = answer.map_or_else(|| "no color".to_owned(), |Liked { color }| color);
    Ok(format!("{name} likes {color}."))
}

/// Asks only the questions that the client can answer.
async fn what_it_can(ask: Ask) -> Result<String, Failure> {
    let mut heard = Vec::new();
    if ask.capabilities().elicitation.is_some() {
        heard.push(name(&ask, "user_name").await?);
    }
    if ask.capabilities().sampling.is_some() {
        let question = message("What is the capital of France?", 100);
        heard.push(ask.sample("capital_question", question).await?.text());
    }
    Ok(format!("Heard: {}", heard.join(", ")))
}

#[derive(Deserialize)]
struct About {
    context: String,
}

async fn prompt(ask: Ask) -> Result<String, Failure> {
    let form = ElicitFormParams::new("What is it about?").field("context", TextField::new());
    let answer = ask.elicit("user_context", form).await?.accepted()?;
    let context = answer.map_or_else(|| "anything".to_owned(), |About { context }| context);
    Ok(format!("Please tell me about {context}."))
}
