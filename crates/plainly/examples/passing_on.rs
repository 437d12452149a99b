//! A server that forwards everything to another server, and has one tool of its own. It does not
//! interpret what the other server sends: members that it has no type for arrive unchanged.
//!
//! ```text
//! cargo run --example passing_on                        # serves on standard input and output
//! plainly tools -- cargo run -q --example passing_on    # lists the tools of both
//! cargo run --example passing_on -- npx some-server     # forwards to this program
//! ```

use std::env;
use std::process::Command;

use plainly::client::ProgressUpdate;
use plainly::errors::Problem;
use plainly::protocol::peer::Peer;
use plainly::protocol::types::{RawJson, ServerCapabilities};
use plainly::server::{Source, SourceRequest};
use plainly::{
    Args, Client, Context, Failure, Progress, ProtocolError, Resource, ResourceUri, Server, Text,
    Tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::mpsc;

/// Another server, to which requests are forwarded.
struct Upstream(Client);

impl Source for Upstream {
    fn capabilities(&self, _: &Peer) -> ServerCapabilities {
        self.0.capabilities().clone()
    }

    async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
        let (report, mut reports) = mpsc::unbounded_channel();
        let calling = self.0.forward(request.method(), request.params());
        let calling = calling.on_progress(move |update| drop(report.send(update)));
        let passing = async {
            while let Some(update) = reports.recv().await {
                request.context().progress(progress(update)).await;
            }
        };
        let (forwarded, ()) = tokio::join!(calling.into_future(), passing);
        forwarded.map_err(|error| match error.protocol() {
            // The client should receive the other server's error about the request.
            Some(said) => said.clone().into(),
            // An unreachable server is this server's own failure. Its reason belongs in the log.
            None => Problem::service_unavailable("upstream")
                .with_source(error)
                .into(),
        })
    }
}

/// Converts the progress of the other server, so that this server can report it.
fn progress(update: ProgressUpdate) -> Progress {
    let mut progress = Progress::new(update.done);
    if let Some(total) = update.total {
        progress = progress.of(total);
    }
    match update.message {
        Some(message) => progress.message(message),
        None => progress,
    }
}

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// The name to greet.
    name: String,
}

/// The server to which everything is forwarded by default, in the same process.
fn upstream() -> Result<Server, Box<dyn std::error::Error>> {
    async fn greet(Args(Greet { name }): Args<Greet>) -> Result<String, Problem> {
        match name.as_str() {
            "" => Err(Problem::invalid_input("name", "say who is to be greeted")),
            name => Ok(format!("Hello, {name}!")),
        }
    }
    async fn count(context: Context) -> String {
        for step in 1..=3 {
            let progress = Progress::new(step).of(3);
            context.progress(progress.message("counting")).await;
        }
        "3".to_owned()
    }
    async fn gone(uri: ResourceUri) -> Result<Text, ProtocolError> {
        Err(ProtocolError::resource_not_found(uri))
    }
    let server = Server::builder("upstream", "1.0.0")
        .tool(Tool::new("greet", greet).description("Greets someone"))
        .tool(Tool::new("count", count).description("Counts to three"))
        .resource(Resource::new("app://motd", async || "Be kind."))
        .resource(Resource::new("app://gone", gone))
        .build()?;
    Ok(server)
}

/// Returns a server whose own tool is listed before everything of the other server.
pub(crate) async fn passing_on() -> Result<Server, Box<dyn std::error::Error>> {
    forwarding(Client::in_memory(&upstream()?).connect().await?)
}

fn forwarding(upstream: Client) -> Result<Server, Box<dyn std::error::Error>> {
    let server = Server::builder("passing-on", "1.0.0")
        .tool(Tool::new("near", async || "from here").description("Answers by itself"))
        .source(Upstream(upstream))
        .build()?;
    Ok(server)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = env::args_os().skip(1);
    let server = match words.next() {
        None => passing_on().await?,
        Some(program) => {
            let mut command = Command::new(program);
            command.args(words);
            forwarding(Client::spawn(command).connect().await?)?
        }
    };
    Ok(server.serve_stdio().await?)
}
