//! The table of names: those of OpenTelemetry's semantic conventions for MCP as of October 2026
//! (status: development), and our own, which begin with `plainly`.

use std::time::Duration;

pub(crate) const SCOPE: &str = "plainly";

// Spans and metrics.
pub(crate) const METHOD: &str = "mcp.method.name";
pub(crate) const REVISION: &str = "mcp.protocol.version";
pub(crate) const TOOL: &str = "gen_ai.tool.name";
pub(crate) const PROMPT: &str = "gen_ai.prompt.name";
pub(crate) const GEN_AI_OPERATION: &str = "gen_ai.operation.name";
pub(crate) const EXECUTE_TOOL: &str = "execute_tool";
pub(crate) const ERROR_TYPE: &str = "error.type";
pub(crate) const ERROR_CODE: &str = "rpc.response.status_code";
pub(crate) const TRANSPORT: &str = "network.transport";
pub(crate) const PROTOCOL: &str = "network.protocol.name";

// Spans only.
pub(crate) const RESOURCE_URI: &str = "mcp.resource.uri";
pub(crate) const REQUEST_ID: &str = "jsonrpc.request.id";
pub(crate) const CLIENT_ADDRESS: &str = "client.address";
/// The number of the incident, with which the log contains the cause of an error.
pub(crate) const INCIDENT: &str = "plainly.incident";

/// The value for all methods, tools and prompts that the server does not have.
pub(crate) const OTHER: &str = "_OTHER";
/// `error.type` of a result with `isError`.
pub(crate) const TOOL_ERROR: &str = "tool_error";
/// `error.type` of a request that its client cancelled.
pub(crate) const CANCELLED: &str = "cancelled";

/// `error.type` of a call that timed out, and of a session whose client did not read a reply in
/// time.
pub(crate) const TIMEOUT: &str = "timeout";
/// `error.type` of a session whose connection failed in another way.
pub(crate) const CONNECTION_FAILED: &str = "connection_failed";

#[cfg(feature = "client")]
pub(crate) const CLIENT_DURATION: &str = "mcp.client.operation.duration";
pub(crate) const DURATION: &str = "mcp.server.operation.duration";
/// The boundaries of durations in seconds. The conventions start at 0.01, but most requests take
/// less.
pub(crate) const BOUNDARIES: [f64; 20] = [
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
    10.0, 30.0, 60.0, 120.0, 300.0,
];

pub(crate) const SESSION_DURATION: &str = "mcp.server.session.duration";
/// The boundaries of session durations in seconds. The conventions end at 300, but some sessions
/// take a day.
pub(crate) const SESSION_BOUNDARIES: [f64; 18] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 1_800.0,
    3_600.0, 14_400.0, 86_400.0,
];

pub(crate) const REQUEST_BYTES: &str = "plainly.server.request.size";
pub(crate) const REPLY_BYTES: &str = "plainly.server.reply.size";
pub(crate) const REFUSALS: &str = "plainly.server.refusals";
/// The reason for a rejected request.
pub(crate) const REASON: &str = "plainly.reason";
pub(crate) const USED: &str = "plainly.server.limit.used";
pub(crate) const LIMIT: &str = "plainly.server.limit";
/// The limited resource, by its name in [`Usage`](plainly_server::Usage).
pub(crate) const RESOURCE: &str = "plainly.resource";

pub(crate) const TASKS: &str = "plainly.server.tasks";
/// The state of tasks, as the protocol spells it.
pub(crate) const STATE: &str = "plainly.state";

pub(crate) const CACHE_REQUESTS: &str = "plainly.cache.requests";
/// The name of the cache, as set by the program.
pub(crate) const CACHE: &str = "plainly.cache";
/// The result of a request to a cache: `hit` or `miss`.
pub(crate) const RESULT: &str = "plainly.result";
pub(crate) const REPLICA_EVENTS: &str = "plainly.server.replicas.events";
/// The kind and the outcome of counted events, by their names in
/// [`ReplicaCount`](plainly_server::ReplicaCount).
pub(crate) const KIND: &str = "plainly.kind";
pub(crate) const OUTCOME: &str = "plainly.outcome";
pub(crate) const ENGINE_CONNECTED: &str = "plainly.server.replicas.connected";

/// The maximum time for the last export.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(5);
