//! rmcp's client with three processes of the example `replica`, with each request sent to a
//! different one: questions to the client, and tasks. `interop/conformance/behind.mjs` starts them,
//! and sets their URL in `PLAINLY_URL`.
#![expect(deprecated, reason = "sampling is deprecated, not gone")]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientConfig, CreateMessageRequestParams,
    CreateMessageResult, CreateTaskResult, ElicitRequestParams, ElicitResult, ErrorData,
    GetTaskParams, Implementation, ProtocolVersion, TaskPayload,
};
use rmcp::service::{RequestContext, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};

/// A host with the user Ada, and a model that knows one city.
#[derive(Clone, Debug)]
struct Host;

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let capabilities = json!({
            "elicitation": { "form": {} },
            "sampling": {},
            "extensions": { "io.modelcontextprotocol/tasks": {} },
        });
        let capabilities = serde_json::from_value(capabilities).unwrap();
        ClientConfig::new(capabilities, Implementation::new("interop", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let content = json!({ "username": "ada", "email": "ada@example.com" });
        let answer = json!({ "action": "accept", "content": content });
        Ok(serde_json::from_value(answer).unwrap())
    }

    async fn create_message(
        &self,
        _request: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let content = json!({ "type": "text", "text": "Paris" });
        let answer = json!({ "role": "assistant", "model": "none", "content": content });
        Ok(serde_json::from_value(answer).unwrap())
    }
}

type Client = RunningService<RoleClient, Host>;

async fn connect(mode: ClientLifecycleMode) -> Client {
    let url = std::env::var("PLAINLY_URL").unwrap();
    let transport = StreamableHttpClientTransport::from_uri(url);
    Host.serve_with_lifecycle(transport, mode).await.unwrap()
}

async fn call(client: &Client, name: &str, arguments: Value) -> String {
    let params = json!({ "name": name, "arguments": arguments });
    let params: CallToolRequestParams = serde_json::from_value(params).unwrap();
    let result = json!(client.call_tool(params).await.unwrap());
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

async fn asks(client: &Client) {
    for _ in 0..5 {
        let told = call(client, "test_elicitation", json!({ "message": "Who?" })).await;
        assert!(told.contains("ada@example.com"), "{told}");
        let told = call(client, "test_sampling", json!({ "prompt": "Where?" })).await;
        assert_eq!(told, "LLM response: Paris");
    }
}

#[tokio::test]
#[ignore = "needs replicas: .ci/full"]
async fn a_client_on_rmcp_that_shakes_hands_is_asked() {
    let client = connect(ClientLifecycleMode::Initialize).await;
    asks(&client).await;
    client.cancel().await.unwrap();
}

#[tokio::test]
#[ignore = "needs replicas: .ci/full"]
async fn a_client_on_rmcp_of_the_newest_revision_is_asked_and_follows_tasks() {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let client = connect(ClientLifecycleMode::Discover { preferred_versions }).await;
    asks(&client).await;
    let arguments = json!({ "seconds": 1, "label": "sum" });
    let params = json!({ "name": "slow_compute", "arguments": arguments });
    let params = serde_json::from_value(params).unwrap();
    let answer = client.call_tool_once(params).await.unwrap();
    let CallToolResponse::Task(CreateTaskResult { task, .. }) = answer else {
        panic!("{answer:?}");
    };
    loop {
        let now = client.get_task(GetTaskParams::new(&task.task_id)).await;
        let now = now.unwrap();
        if let TaskPayload::Completed { result } = &now.task.payload {
            assert!(json!(result).to_string().contains("sum"), "{result:?}");
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    client.cancel().await.unwrap();
}
