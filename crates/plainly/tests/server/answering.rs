//! A client that answers the server's questions and receives its progress and logs: every revision,
//! in memory and over HTTP.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::client::{Builder, Client, ProgressUpdate};
use plainly::errors::Revision;
use plainly::protocol::types::{
    Content, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitFormParams,
    ElicitResult, LoggingLevel, Root, SamplingContent, SamplingMessage, TextField,
};
use plainly::server::extract::{Ask, Progress as Done};
use plainly::server::{AskError, AskErrorKind, Server};
use plainly::transport::http::HttpServer;
use plainly::{Context, Failure, ProtocolError, Tool};
use serde_json::json;
use tokio::sync::Notify;

/// Asks all possible questions at once.
async fn ask_all(ask: Ask) -> Result<String, Failure> {
    let form = ElicitFormParams::new("Who?").field("name", TextField::new());
    let user = async { possible(ask.elicit("who", form).await) };
    let visit = async { possible(ask.visit("where", "https://example.com/", "Sign in").await) };
    let question = CreateMessageParams::new([SamplingMessage::user("Hello?")], 10);
    let (user, visit, model, roots) = tokio::try_join!(
        user,
        visit,
        ask.sample("model", question),
        ask.roots("roots")
    )?;
    let name = user.and_then(|user| user.content?.get("name").cloned());
    Ok(format!(
        "{name:?} {visit:?} {:?} {:?}",
        model.text(),
        roots[0].uri
    ))
}

/// Returns the answer, if the client can be asked for it.
fn possible<T>(answer: Result<T, AskError>) -> Result<Option<T>, AskError> {
    match answer {
        Err(error) if error.kind() == AskErrorKind::Undeclared => Ok(None),
        answer => answer.map(Some),
    }
}

/// Asks one question after the other.
async fn ask_often(ask: Ask) -> Result<String, Failure> {
    let mut all = String::new();
    for key in ["a", "b", "c"] {
        let question = CreateMessageParams::new([SamplingMessage::user(key)], 10);
        all += &ask.sample(key, question).await?.text();
    }
    Ok(all)
}

async fn works(context: Context) -> &'static str {
    for step in 1..=3 {
        context.progress(Done::new(step).of(3)).await;
        context.log(LoggingLevel::Info, json!(step)).await;
        context.log(LoggingLevel::Debug, "not asked for").await;
    }
    "done"
}

fn server(dropped: &Arc<Notify>) -> Server {
    let dropped = Arc::clone(dropped);
    let never = move || {
        let held = Dropped(Arc::clone(&dropped));
        async move {
            std::future::pending::<()>().await;
            drop(held);
            "never"
        }
    };
    Server::builder("asker", "1")
        .tool(Tool::new("all", ask_all))
        .tool(Tool::new("often", ask_often))
        .tool(Tool::new("works", works))
        .tool(Tool::new("never", never))
        .build()
        .unwrap()
}

/// A value that signals when it is dropped.
struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

async fn sample(question: CreateMessageParams) -> Result<CreateMessageResult, ProtocolError> {
    let SamplingContent::Text(text) = &question.messages[0].content[0] else {
        return Err(ProtocolError::invalid_params("no text"));
    };
    let answer = SamplingContent::text(format!("{}!", text.text));
    Ok(CreateMessageResult::new("m", [answer]))
}

type Log = Arc<Mutex<Vec<String>>>;

fn able<T>(builder: Builder<T>, revision: Revision, log: &Log) -> Builder<T> {
    let log = Arc::clone(log);
    builder
        .revision(revision)
        .on_elicitation(|_| async {
            ElicitResult::accept([("name", json!("Ada"))].into_iter().collect())
        })
        .on_visit(|visit| async move {
            assert_eq!(visit.url, "https://example.com/");
            ElicitAction::Decline
        })
        .on_sampling(sample)
        .roots([Root::new("file:///work")])
        .on_log(LoggingLevel::Info, move |message| {
            log.lock().unwrap().push(message.data.get().to_owned());
        })
}

struct Case {
    client: Client,
    revision: Revision,
    log: Log,
    dropped: Arc<Notify>,
}

impl Case {
    async fn text(&self, tool: &str) -> String {
        let result = self.client.call_tool(tool, ()).await;
        let result = result.unwrap_or_else(|error| panic!("{tool} {}: {error}", self.revision));
        match &result.content[..] {
            [Content::Text(block)] => block.text.clone(),
            other => panic!("{other:?}"),
        }
    }
}

/// Runs a test with clients of every revision, in memory and over HTTP.
async fn everywhere(test: impl AsyncFn(Case)) {
    let dropped = Arc::default();
    let server = server(&dropped);
    let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr());
    tokio::spawn(listener.serve(server.http(), std::future::pending()));
    for revision in Revision::ALL {
        for over_http in [false, true] {
            let log = Log::default();
            let client = match over_http {
                false => {
                    able(Client::in_memory(&server), revision, &log)
                        .connect()
                        .await
                }
                true => able(Client::http(&url), revision, &log).connect().await,
            };
            let case = Case {
                client: client.unwrap(),
                revision,
                log,
                dropped: Arc::clone(&dropped),
            };
            let client = case.client.clone();
            test(case).await;
            client.close().await;
        }
    }
}

#[tokio::test]
async fn all_that_a_revision_can_ask_is_answered() {
    everywhere(async |case| {
        let ada = r#"Some(String("Ada"))"#;
        let (form, visit) = match case.revision {
            Revision::V2024_11_05 | Revision::V2025_03_26 => ("None", "None"),
            Revision::V2025_06_18 => (ada, "None"),
            Revision::V2025_11_25 | Revision::V2026_07_28 => (ada, "Some(Decline)"),
        };
        let expected = format!(r#"{form} {visit} "Hello?!" "file:///work""#);
        assert_eq!(case.text("all").await, expected, "{}", case.revision);
        assert_eq!(case.text("often").await, "a!b!c!");
    })
    .await;
}

#[tokio::test]
async fn progress_and_logs_are_told() {
    everywhere(async |case| {
        let told = Arc::<Mutex<Vec<f64>>>::default();
        let tell = Arc::clone(&told);
        let call = case.client.call_tool("works", ());
        let call = call.on_progress(move |progress: ProgressUpdate| {
            assert_eq!(progress.total, Some(3.0));
            tell.lock().unwrap().push(progress.done);
        });
        call.await.unwrap();
        assert_eq!(*told.lock().unwrap(), [1.0, 2.0, 3.0], "{}", case.revision);
        let expected = ["1", "2", "3"];
        assert_eq!(*case.log.lock().unwrap(), expected, "{}", case.revision);
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_its_handler() {
    everywhere(async |case| {
        let call = case.client.call_tool("never", ());
        let short = Duration::from_millis(50);
        assert!(tokio::time::timeout(short, call).await.is_err());
        let ended = tokio::time::timeout(Duration::from_secs(60), case.dropped.notified()).await;
        assert!(ended.is_ok(), "{}", case.revision);
    })
    .await;
}
