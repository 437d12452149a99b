//! rmcp's client with the beginners' examples, each over its own transport, in both eras: with
//! discovery, and with the handshake. `examples.json` contains the expected results. Build the
//! examples first: `cargo build -p plainly --examples`.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientConfig, CreateTaskResult, ElicitRequestParams,
    ElicitResult, ErrorData, GetTaskParams, Implementation, ProgressNotificationParam,
    ProtocolVersion, TaskPayload, TaskStatus,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ServiceError};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The steps on one connection to an example.
#[derive(Clone, Debug, Deserialize)]
struct Group {
    example: String,
    #[serde(default)]
    transport: Transport,
    token: Option<String>,
    /// The user's answer to a question; without it, the client can't ask a user.
    answer: Option<Value>,
    /// Whether the client supports tasks.
    #[serde(default)]
    tasks: bool,
    steps: Vec<Row>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Transport {
    #[default]
    Stdio,
    Http,
}

#[derive(Clone, Debug, Deserialize)]
struct Row {
    step: String,
    method: String,
    #[serde(default)]
    params: Value,
    expected: Value,
    /// The expected result before 2026-07-28, if it differs.
    legacy: Option<Value>,
}

/// A host, with the requests and notifications that it received during a step, in the words of the
/// table.
#[derive(Clone, Debug)]
struct Host {
    group: Group,
    seen: Arc<Mutex<Map<String, Value>>>,
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = json!({});
        if self.group.answer.is_some() {
            capabilities["elicitation"] = json!({ "form": {} });
        }
        if self.group.tasks {
            capabilities["extensions"] = json!({ "io.modelcontextprotocol/tasks": {} });
        }
        let capabilities = serde_json::from_value(capabilities).unwrap();
        ClientConfig::new(capabilities, Implementation::new("interop", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = serde_json::to_value(request).unwrap()["message"].take();
        self.seen.lock().unwrap().insert("asked".to_owned(), asked);
        Ok(serde_json::from_value(self.group.answer.clone().unwrap()).unwrap())
    }

    /// Only the first progress notification is recorded. One that arrives after the reply would
    /// count for the next step, but a connection to the example `job` has only one step.
    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let mut seen = self.seen.lock().unwrap();
        seen.entry("progress").or_insert(json!(params.message));
    }
}

type Client = RunningService<RoleClient, Host>;

/// The result for the client's user, in the words of the table.
async fn outcome(client: &Client, row: &Row) -> Value {
    client.service().seen.lock().unwrap().clear();
    let seen = match request(client, row).await {
        Ok(seen) => seen,
        Err(ServiceError::McpError(error)) => return json!({ "error": error }),
        Err(error) => panic!("{}: {error}", row.step),
    };
    let mut all = client.service().seen.lock().unwrap().clone();
    all.extend(seen.as_object().unwrap().clone());
    Value::Object(all)
}

async fn request(client: &Client, row: &Row) -> Result<Value, ServiceError> {
    let params = row.params.clone();
    Ok(match row.method.as_str() {
        "tools/list" => names(json!(client.list_all_tools().await?), "name"),
        "resources/list" => names(json!(client.list_all_resources().await?), "uri"),
        "resources/templates/list" => {
            let templates = client.list_all_resource_templates().await?;
            names(json!(templates), "uriTemplate")
        }
        "resources/read" => {
            let params = serde_json::from_value(params).unwrap();
            json!({ "text": joined(&json!(client.read_resource(params).await?)["contents"]) })
        }
        "tools/call" => {
            let result = call(client, serde_json::from_value(params).unwrap()).await?;
            let text = joined(&result["content"]);
            // The content of errors is tested by `failing.json`.
            match (&result["isError"], &result["structuredContent"]) {
                (Value::Bool(true), _) => json!({ "toolError": text }),
                (_, Value::Null) => json!({ "text": text }),
                (_, structured) => json!({ "text": text, "structuredContent": structured }),
            }
        }
        method => panic!("no row is of {method}"),
    })
}

/// Calls a tool, and waits for the task if there is one. Returns the result.
async fn call(client: &Client, params: CallToolRequestParams) -> Result<Value, ServiceError> {
    let host = client.service();
    if !host.group.tasks {
        return Ok(json!(client.call_tool(params).await?));
    }
    let answer = client.call_tool_once(params).await?;
    if let CallToolResponse::Complete(result) = &answer {
        return Ok(json!(result));
    }
    let CallToolResponse::Task(CreateTaskResult { task, .. }) = &answer else {
        panic!("{answer:?}");
    };
    let status = ("task".to_owned(), json!(task.status));
    host.seen.lock().unwrap().extend([status]);
    let pause = Duration::from_millis(task.poll_interval_ms.unwrap());
    loop {
        let now = client.get_task(GetTaskParams::new(&task.task_id)).await?;
        if let TaskPayload::Completed { result } = &now.task.payload {
            return Ok(json!(result));
        }
        assert_eq!(now.task.status(), TaskStatus::Working);
        tokio::time::sleep(pause).await;
    }
}

fn names(all: Value, member: &str) -> Value {
    let all = all.as_array().unwrap().iter();
    json!({ "names": all.map(|one| &one[member]).collect::<Vec<_>>() })
}

fn joined(parts: &Value) -> String {
    let parts = parts.as_array().unwrap().iter();
    parts.map(|part| part["text"].as_str().unwrap()).collect()
}

fn program(example: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let directory: PathBuf = test.ancestors().nth(2).unwrap().join("examples");
    let mut command = Command::new(directory.join(example));
    command.kill_on_drop(true);
    command
}

/// Starts a server over HTTP, which prints its URL to standard error.
async fn listening(example: &str) -> (Child, String) {
    let mut command = program(example);
    let command = command.arg("127.0.0.1:0").stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let url = lines.next_line().await.unwrap().unwrap();
    (child, url)
}

/// Connects a client to the example. Returns it with the server's process, unless the transport
/// ends that.
async fn connect(group: Group, mode: ClientLifecycleMode) -> (Client, Option<Child>) {
    let Group { example, token, .. } = group.clone();
    let transport = group.transport;
    let seen = Arc::default();
    let host = Host { group, seen };
    match transport {
        Transport::Stdio => {
            let child = TokioChildProcess::new(program(&example)).unwrap();
            (host.serve_with_lifecycle(child, mode).await.unwrap(), None)
        }
        Transport::Http => {
            let (server, url) = listening(&example).await;
            let mut config = StreamableHttpClientTransportConfig::with_uri(url);
            config.auth_header = token;
            let transport = StreamableHttpClientTransport::from_config(config);
            let client = host.serve_with_lifecycle(transport, mode).await;
            (client.unwrap(), Some(server))
        }
    }
}

async fn run(mode: ClientLifecycleMode, expected: impl Fn(&Row) -> &Value) {
    let table = include_str!("../examples.json");
    for group in serde_json::from_str::<Vec<Group>>(table).unwrap() {
        let (client, _server) = connect(group.clone(), mode.clone()).await;
        for row in &group.steps {
            let seen = outcome(&client, row).await;
            assert_eq!(&seen, expected(row), "{}: {}", group.example, row.step);
        }
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_client_on_rmcp_of_the_newest_revision_runs_the_examples() {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let mode = ClientLifecycleMode::Discover { preferred_versions };
    run(mode, |row| &row.expected).await;
}

#[tokio::test]
async fn a_client_on_rmcp_that_shakes_hands_runs_the_examples() {
    let mode = ClientLifecycleMode::Initialize;
    run(mode, |row| row.legacy.as_ref().unwrap_or(&row.expected)).await;
}
