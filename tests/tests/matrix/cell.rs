//! One revision over one transport: the clients that run a case, and their outcomes in words.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use plainly::client::{Builder, Client, Error, LocalError, Round};
use plainly::errors::Revision;
use plainly::protocol::types::{
    CallToolResult, Content, CreateMessageParams, CreateMessageResult, ElicitAction,
    ElicitFormParams, ElicitResult, LoggingLevel, Root, SamplingContent,
};
use plainly::{ProtocolError, Server};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::drivers::{self, Line, Transport};
use crate::raw::Raw;
use crate::server::World;

/// A revision and a transport, with one client of each kind, which serves all cases until one of
/// them fails.
pub(crate) struct Cell {
    pub(crate) revision: Revision,
    pub(crate) transport: Transport,
    pub(crate) server: Server,
    /// This server, but with [`Dialect::PerRevision`](plainly::errors::Dialect::PerRevision).
    pub(crate) pinned: Server,
    pub(crate) world: World,
    /// The log messages that the client received.
    pub(crate) logged: Arc<Mutex<Vec<String>>>,
    /// The observed HTTP traffic.
    pub(crate) line: Line,
    able: OnceCell<Client>,
    bare: OnceCell<Client>,
}

impl Cell {
    pub(crate) fn new(
        revision: Revision,
        transport: Transport,
        [server, pinned]: [&Server; 2],
        world: &World,
    ) -> Self {
        Self {
            revision,
            transport,
            server: server.clone(),
            pinned: pinned.clone(),
            world: world.clone(),
            logged: Arc::default(),
            line: Line::default(),
            able: OnceCell::new(),
            bare: OnceCell::new(),
        }
    }

    /// Resets what earlier cases left behind.
    pub(crate) fn clear(&self) {
        self.world.is_signed_in.store(false, Ordering::SeqCst);
        self.logged.lock().unwrap().clear();
    }

    /// A client that answers all questions and receives log messages.
    pub(crate) async fn able(&self) -> Client {
        let connect = || self.connect(&self.server, Able(self));
        self.able.get_or_init(connect).await.clone()
    }

    /// A client without capabilities.
    pub(crate) async fn bare(&self) -> Client {
        let connect = || self.connect(&self.server, Bare(self.revision));
        self.bare.get_or_init(connect).await.clone()
    }

    /// A client without capabilities of the `pinned` server.
    pub(crate) async fn pinned(&self) -> Client {
        self.connect(&self.pinned, Bare(self.revision)).await
    }

    async fn connect(&self, server: &Server, with: impl Setup) -> Client {
        let client = match self.transport {
            Transport::Stream => {
                let (reader, writer) = plainly_tests::valid::overheard(server.clone());
                with.up(Client::over(reader, writer)).connect().await
            }
            Transport::Http => {
                let url = drivers::listen(server, &self.line).await;
                with.up(Client::http(url)).connect().await
            }
            Transport::Memory => with.up(Client::in_memory(server)).connect().await,
        };
        let client = client.expect("the two agree on the revision");
        assert_eq!(client.revision(), self.revision);
        client
    }

    /// A client for messages that no client of this implementation would send.
    pub(crate) async fn raw(&self) -> Raw {
        Raw::open(&self.server, self.transport, self.revision).await
    }

    /// The outcome of a call in words.
    pub(crate) fn told<T>(
        &self,
        outcome: Result<T, Error>,
        say: impl FnOnce(T) -> String,
    ) -> String {
        match outcome {
            Ok(result) => say(result),
            Err(error) => self.refused(&error),
        }
    }

    fn refused(&self, error: &Error) -> String {
        if let Some(LocalError::NotInRevision { method, .. }) = error.local() {
            return format!("{method} is not in the revision");
        }
        let Some(wire) = error.protocol().and_then(ProtocolError::received) else {
            return format!("local: {error}");
        };
        let status = self
            .line
            .status()
            .filter(|_| self.transport == Transport::Http);
        refusal(status, &json!(wire.code), wire.data.as_ref())
    }

    /// Calls a tool without arguments, with a client that answers questions.
    pub(crate) async fn call(&self, tool: &str) -> String {
        let outcome = self.able().await.call_tool(tool, ()).await;
        self.told(outcome, |result| said(&result))
    }

    /// Calls a tool without arguments, with a client without capabilities.
    pub(crate) async fn call_bare(&self, tool: &str) -> String {
        let outcome = self.bare().await.call_tool(tool, ()).once().await;
        self.told(outcome, |round| match round {
            Round::Complete(result) => said(&result),
            Round::InputRequired(_) => "it asks".to_owned(),
        })
    }

    /// Reads a resource.
    pub(crate) async fn read(&self, uri: &str) -> String {
        let outcome = self.able().await.read(uri).await;
        self.told(outcome, |read| {
            let of = |one: &plainly::protocol::types::ResourceContents| {
                String::from_utf8_lossy(one.body.as_bytes()).into_owned()
            };
            read.contents.iter().map(of).collect::<Vec<_>>().join(" | ")
        })
    }

    /// Gets a prompt.
    pub(crate) async fn prompt(&self, name: &str, arguments: &[(&str, &str)]) -> String {
        let arguments: plainly::protocol::types::Arguments = arguments
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let outcome = self.able().await.prompt(name, arguments).await;
        self.told(outcome, |prompt| {
            let texts = prompt.messages.iter().map(|message| text(&message.content));
            texts.collect()
        })
    }
}

/// An error on the wire, in words.
pub(crate) fn refusal(status: Option<u16>, code: &Value, data: Option<&Value>) -> String {
    let status = status.map_or_else(String::new, |status| format!("HTTP {status}: "));
    let data = data.map_or_else(String::new, |data| format!(" {data}"));
    format!("{status}{code}{data}")
}

/// The result of a tool, in words.
pub(crate) fn said(result: &CallToolResult) -> String {
    let content: Vec<String> = result.content.iter().map(text).collect();
    let mut said = content.join(" | ");
    if let Some(structured) = &result.structured_content {
        said += &format!(" + {}", structured.get());
    }
    match result.is_tool_error() {
        true => format!("tool error: {said}"),
        false => said,
    }
}

fn text(content: &Content) -> String {
    if let Some(text) = content.as_text() {
        return text.to_owned();
    }
    let json = serde_json::to_value(content).unwrap();
    format!("<{}>", json["type"].as_str().unwrap())
}

/// The configuration of a client, which is independent of its transport.
trait Setup {
    fn up<T>(self, builder: Builder<T>) -> Builder<T>;
}

struct Bare(Revision);

impl Setup for Bare {
    fn up<T>(self, builder: Builder<T>) -> Builder<T> {
        builder.revision(self.0)
    }
}

struct Able<'a>(&'a Cell);

impl Setup for Able<'_> {
    fn up<T>(self, builder: Builder<T>) -> Builder<T> {
        let (logged, signed) = (
            Arc::clone(&self.0.logged),
            Arc::clone(&self.0.world.is_signed_in),
        );
        builder
            .revision(self.0.revision)
            .on_elicitation(fill_in)
            .on_visit(move |_| {
                signed.store(true, Ordering::SeqCst);
                async { ElicitAction::Accept }
            })
            .on_sampling(sample)
            .roots([Root::new("file:///work")])
            .on_log(LoggingLevel::Info, move |message| {
                logged.lock().unwrap().push(message.data.get().to_owned());
            })
    }
}

async fn fill_in(form: ElicitFormParams) -> ElicitResult {
    match form.message.as_str() {
        "Who?" => ElicitResult::accept([("name", json!("Ada"))].into_iter().collect()),
        "How many?" => ElicitResult::accept([("many", json!("few"))].into_iter().collect()),
        _ => ElicitResult::new(ElicitAction::Decline),
    }
}

async fn sample(question: CreateMessageParams) -> Result<CreateMessageResult, ProtocolError> {
    let SamplingContent::Text(asked) = &question.messages[0].content[0] else {
        return Err(ProtocolError::invalid_params("no text"));
    };
    if asked.text == "No?" {
        return Err(ProtocolError::invalid_request("the user said no"));
    }
    let answer = SamplingContent::text(format!("{}!", asked.text));
    Ok(CreateMessageResult::new("m", [answer]))
}
