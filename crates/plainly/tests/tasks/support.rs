//! A server whose handlers wait for the test, and clients that speak in raw messages over either transport.

use std::sync::Arc;

use plainly::limits::Limits;
use plainly::server::extract::{Args, Context, Progress, State, Task};
use plainly::server::{Failure, Server, ServerBuilder, TaskSupport, Tool};
use plainly_errors::{Problem, ProtocolError};
use plainly_peer::message::{self, TASKS, headers};
use plainly_peer::{Gate, Peer, Response, Site, within};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct How {
    how: String,
}

/// Ends as it is told to.
async fn end(State(gate): State<Gate>, Args(How { how }): Args<How>) -> Result<String, Failure> {
    if how != "at once" {
        gate.pass().await;
    }
    match how.as_str() {
        "text" => Err(Failure::text("no luck")),
        "problem" => Err(Problem::not_found("user", "7").into()),
        "protocol" => Err(ProtocolError::internal("out of paper").into()),
        "panic" => panic!("the handler's secret"),
        "large" => Ok("x".repeat(4 << 20)),
        how => Ok(format!("ended {how}")),
    }
}

/// Becomes a task where it says so.
async fn steps(
    State(gate): State<Gate>,
    context: Context,
    task: Task,
    Args(How { how }): Args<How>,
) -> Result<&'static str, ProtocolError> {
    task.say("said to nobody").await;
    if how == "refuse" {
        return Err(ProtocolError::internal("not begun"));
    }
    task.begin().await;
    task.begin().await;
    task.say("first").await;
    gate.pass().await;
    context
        .progress(Progress::new(1).of(2).message("second"))
        .await;
    gate.pass().await;
    Ok("third")
}

/// Has another task of the runtime say that it becomes a task.
async fn elsewhere(State(gate): State<Gate>, task: Task) -> Result<&'static str, Failure> {
    let beginning = task.clone();
    tokio::spawn(async move { beginning.begin().await }).await?;
    gate.pass().await;
    Ok("done")
}

pub(crate) fn builder(gate: &Gate) -> ServerBuilder {
    Server::builder("test", "1")
        .state(gate.clone())
        .tool(Tool::new("hello", async || "Hello!"))
        .tool(Tool::new("may", end).task(TaskSupport::Optional))
        .tool(Tool::new("must", end).task(TaskSupport::Required))
        .tool(Tool::new("steps", steps).task(TaskSupport::Optional))
        .tool(Tool::new("elsewhere", elsewhere).task(TaskSupport::Required))
}

pub(crate) fn server(gate: &Gate) -> Server {
    builder(gate).build().unwrap()
}

pub(crate) fn limited(gate: &Gate, change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    builder(gate).limits(limits).build().unwrap()
}

/// A client of `server` over each transport.
pub(crate) async fn clients(server: &Server) -> [Client; 2] {
    [Client::stream(server), Client::http(server).await]
}

/// A client that can deal with tasks, unless it is told that it can't.
pub(crate) struct Client {
    wire: Wire,
    pub(crate) can_follow: bool,
    count: u64,
}

enum Wire {
    Stream(Peer),
    /// With the header that says who it is.
    Http(Arc<Site>, String),
}

impl Client {
    pub(crate) fn stream(server: &Server) -> Self {
        Self::of(Wire::Stream(Peer::connect(server)))
    }

    pub(crate) async fn http(server: &Server) -> Self {
        let site = Site::serve_users(server.http()).await;
        Self::of(Wire::Http(Arc::new(site), String::new()))
    }

    fn of(wire: Wire) -> Self {
        Self {
            wire,
            can_follow: true,
            count: 0,
        }
    }

    /// The same server, asked by somebody. Over HTTP.
    pub(crate) fn known_as(&self, name: &'static str) -> Self {
        let Wire::Http(site, _) = &self.wire else {
            panic!("a stream knows nobody");
        };
        Self::of(Wire::Http(Arc::clone(site), format!("User: {name}\r\n")))
    }

    /// A request of 2026-07-28.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let mut capabilities = json!({"elicitation": {"form": {}, "url": {}}});
        if self.can_follow {
            capabilities["extensions"] = json!({TASKS: {}});
        }
        self.count += 1;
        message::capable(self.count, method, params, capabilities)
    }

    /// Sends a request and waits for its reply.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = self.request(method, params);
        self.exchange(&request).await
    }

    pub(crate) async fn exchange(&mut self, request: &Value) -> Value {
        match &mut self.wire {
            Wire::Stream(peer) => peer.ask(request).await,
            Wire::Http(..) => {
                self.post(&headers(request, None), request)
                    .await
                    .json()
                    .await
            }
        }
    }

    pub(crate) fn peer(&mut self) -> &mut Peer {
        match &mut self.wire {
            Wire::Stream(peer) => peer,
            Wire::Http(..) => panic!("over HTTP a request waits for its response"),
        }
    }

    /// Sends a request with these headers, and nothing else that mirrors it.
    pub(crate) async fn post(&mut self, headers: &str, request: &Value) -> Response {
        let Wire::Http(site, who) = &self.wire else {
            panic!("a stream has no headers");
        };
        site.send("POST /", &format!("{who}{headers}"), request)
            .await
    }

    /// Calls `tool`, which ends so.
    pub(crate) async fn call(&mut self, tool: &str, how: &str) -> Value {
        let params = json!({"name": tool, "arguments": {"how": how}});
        self.ask("tools/call", params).await
    }

    /// Begins a task; its name.
    pub(crate) async fn begin(&mut self, tool: &str, how: &str) -> String {
        let reply = self.call(tool, how).await;
        assert_eq!(reply["result"]["resultType"], "task", "{reply}");
        reply["result"]["taskId"].as_str().unwrap().to_owned()
    }

    /// What the server tells of a task.
    pub(crate) async fn get(&mut self, id: &str) -> Value {
        let mut reply = self.ask("tasks/get", json!({"taskId": id})).await;
        assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
        reply["result"].take()
    }

    /// What it tells once the task has come that far.
    pub(crate) async fn wait(&mut self, id: &str, status: &str) -> Value {
        within(async {
            loop {
                let task = self.get(id).await;
                if task["status"] == status {
                    return task;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }
}
