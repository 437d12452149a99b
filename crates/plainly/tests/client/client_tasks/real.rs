//! Tasks of a real server, in memory and over HTTP.

use std::time::Duration;

use plainly::client::{Client, Error, LocalError, Result, StartedCall, TaskHandle};
use plainly::limits::Limits;
use plainly::protocol::types::{
    CallToolResult, ElicitFormParams, ElicitResult, TaskStatus, TextField,
};
use plainly::server::{Server, TaskSupport, Tool};
use plainly::transport::http::HttpService;
use plainly::{Args, Ask, Context, Failure, Problem, Progress, ProtocolError, State};
use plainly_peer::{Gate, Site, assert_local, within};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct How {
    how: String,
}

async fn end(
    State(gate): State<Gate>,
    context: Context,
    Args(How { how }): Args<How>,
) -> std::result::Result<String, Failure> {
    context.progress(Progress::new(1).message("at it")).await;
    gate.pass().await;
    match how.as_str() {
        "problem" => Err(Problem::not_found("user", "7").into()),
        "protocol" => Err(ProtocolError::internal("out of paper").into()),
        how => Ok(format!("ended {how}")),
    }
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

async fn ask(ask: Ask) -> std::result::Result<String, Failure> {
    let mut names = Vec::new();
    for key in ["first", "second"] {
        let form = ElicitFormParams::new(key).field("name", TextField::new());
        let named = ask.elicit(key, form).await?.accepted::<Named>()?;
        names.push(named.map_or_else(|| "nobody".to_owned(), |named| named.name));
    }
    Ok(names.join(" and "))
}

fn server(gate: &Gate) -> Server {
    let mut limits = Limits::default();
    limits.tasks.poll_interval = Duration::from_millis(100);
    Server::builder("test", "1")
        .state(gate.clone())
        .limits(limits)
        .tool(Tool::new("end", end).task(TaskSupport::Required))
        .tool(Tool::new("ask", ask).task(TaskSupport::Required))
        .build()
        .unwrap()
}

async fn fill_in(form: ElicitFormParams) -> ElicitResult {
    ElicitResult::accept(
        [("name".to_owned(), json!(form.message))]
            .into_iter()
            .collect(),
    )
}

/// Returns clients of the server over each transport, and its site.
async fn clients(gate: &Gate) -> ([Client; 2], Site) {
    let server = server(gate);
    let site = Site::serve(HttpService::new(server.clone())).await;
    let http = Client::http(format!("http://{}/", site.address));
    let in_memory = Client::in_memory(&server)
        .on_elicitation(fill_in)
        .connect()
        .await;
    let over_http = http.on_elicitation(fill_in).connect().await;
    ([in_memory.unwrap(), over_http.unwrap()], site)
}

async fn start(client: &Client, how: &str) -> TaskHandle<CallToolResult> {
    let call = client.call_tool("end", json!({"how": how}));
    match call.start().await.unwrap() {
        StartedCall::Task(task) => task,
        StartedCall::Complete(result) => panic!("{result:?}"),
    }
}

fn text(result: Result<CallToolResult>) -> String {
    result.unwrap().content[0].as_text().unwrap().to_owned()
}

#[tokio::test]
async fn a_call_is_what_it_would_be_without_a_task() {
    let gate = Gate::new();
    gate.open(100);
    let (clients, _site) = clients(&gate).await;
    for client in &clients {
        let call = |how: &str| client.call_tool("end", json!({"how": how}));
        assert_eq!(text(call("well").await), "ended well");
        assert!(call("problem").await.unwrap().is_tool_error());
        let error = call("protocol").await.unwrap_err();
        assert!(error.is_internal(), "{error}");
        assert_eq!(text(client.call_tool("ask", ()).await), "first and second");
    }
}

#[tokio::test]
async fn a_task_goes_on_without_the_client_that_began_it() {
    let gate = Gate::new();
    let (clients, _site) = clients(&gate).await;
    for client in &clients {
        let task = start(client, "later").await;
        let id = task.id().to_owned();
        drop(task);
        // Tasks belong to the server, so every client can poll them.
        for client in &clients {
            let mut kept = client.task(&id);
            within(async { while kept.get().await.unwrap().status_message.is_none() {} }).await;
            assert_eq!(
                (kept.status(), kept.message()),
                (TaskStatus::Working, Some("at it"))
            );
        }
        gate.open(1);
        assert_eq!(text(within(client.task(&id).wait()).await), "ended later");
    }
}

#[tokio::test]
async fn a_task_is_cancelled_by_hand_or_by_whoever_waits_no_more() {
    let gate = Gate::new();
    let (clients, _site) = clients(&gate).await;
    for client in &clients {
        let mut task = start(client, "never").await;
        task.cancel().await.unwrap();
        let error = within(task.wait()).await.unwrap_err();
        assert_local!(error, LocalError::TaskCancelled { .. });

        let mut task = start(client, "never").await;
        let soon = Duration::from_millis(50);
        tokio::time::timeout(soon, task.wait()).await.unwrap_err();
        let error = within(task.wait()).await.unwrap_err();
        assert_local!(error, LocalError::TaskCancelled { .. });
    }
}

#[tokio::test]
async fn a_task_that_does_not_exist_is_said_not_to() {
    let (clients, _site) = clients(&Gate::new()).await;
    for client in &clients {
        let mut task = client.task("no/such – task");
        let errors: [Error; 3] = [
            task.get().await.unwrap_err(),
            task.wait().await.unwrap_err(),
            task.cancel().await.unwrap_err(),
        ];
        for error in errors {
            assert!(error.is_invalid_params(), "{error}");
        }
    }
}
