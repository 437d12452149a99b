//! The table of habits: one row for each error of an implementation that can be understood only
//! with knowledge of that implementation. The rows come from the sources of the named versions.

use super::base::{
    ANY_METHOD, CANDIDATE, ENDING, EVENT, FORBIDDEN, LOST_SESSION, MISSING, TIMEOUT, TOO_MANY,
    TOOL, UNKNOWN_PROMPT, UNKNOWN_TOOL, WITHOUT_SESSION,
};
use super::{Habit, Meaning, invalid, no_resource};
use crate::code::Code;
use crate::kind::{ErrorKind, Internal, InvalidParams};
use crate::problem::ProblemCode;
use crate::registry::table::{
    INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND,
};

const NO_CODE: Code = Code::new(0);
/// A code with many meanings, from "connection closed" to "rate limit exceeded".
const LEGACY_0: Code = Code::new(-32000);
const LEGACY_1: Code = Code::new(-32001);
const LEGACY_3: Code = Code::new(-32003);
const LEGACY_4: Code = Code::new(-32004);
/// The codes of the draft of events: NotFound, Forbidden, ResourceExhausted, Unsupported,
/// CallbackEndpointError.
const EVENT_NOT_FOUND: Code = Code::new(-32011);
const EVENT_FORBIDDEN: Code = Code::new(-32012);
const EVENT_EXHAUSTED: Code = Code::new(-32013);
const EVENT_UNSUPPORTED: Code = Code::new(-32014);
const EVENT_CALLBACK: Code = Code::new(-32015);
/// A code that is in the range of the specification but not defined by it.
const RESERVED_29: Code = Code::new(-32029);
const HTTP_TIMEOUT: Code = Code::new(408);
/// The code with a missing minus sign.
const POSITIVE_INVALID_REQUEST: Code = Code::new(32600);

const TASK: &[&str] = &["tasks/get", "tasks/update", "tasks/cancel", "tasks/result"];
/// The methods that no server of a revision before 2026-07-28 has.
const NEWER: &[&str] = &[
    "server/discover",
    "subscriptions/listen",
    "resources/metadata",
    "resources/directory/read",
    "tasks/update",
];
const TYPESCRIPT_1: &str = "TypeScript SDK 1.10 to 1.29";
const TYPESCRIPT: &str = "TypeScript SDK 1.10 to 2.0";
const PYTHON_1: &str = "Python SDK 1.9 to 1.29";
const LOW_LEVEL: &str = "servers on the low-level API of the TypeScript and Java SDKs";

pub(crate) static HABITS: [Habit; 50] = [
    // Resources.
    Habit {
        sender: TYPESCRIPT_1,
        messages: &["*resource * not found", "*resource * disabled"],
        source: "typescript-sdk, src/server/mcp.ts, resources/read",
        ..MISSING
    },
    Habit {
        sender: "C# SDK 0.4 to 2.2",
        messages: &["unknown resource uri: *"],
        source: "csharp-sdk, McpServerImpl.cs, readResourceHandler",
        ..MISSING
    },
    Habit {
        sender: "any server: the data is only recommended (SEP-2164)",
        messages: &["*resource not found*", "*unknown resource*"],
        source: "MCP 2026-07-28, server/resources, Error Handling",
        ..MISSING
    },
    Habit {
        sender: "fastmcp 4.20 of npm",
        code: METHOD_NOT_FOUND,
        messages: &["*resource*not found*", "*unknown resource*"],
        source: "fastmcp (npm), src/FastMCP.ts, resources/read throws MethodNotFound for it",
        ..MISSING
    },
    Habit {
        sender: "servers with more in their data than the URI",
        messages: &["*not found*"],
        data: "{ uri, … }",
        source: "SEP-2164 allows no other members",
        read: |subject, data| data?.get("uri")?.as_str().and(no_resource(subject, data)),
        ..MISSING
    },
    Habit {
        sender: "servers that name the problem",
        messages: &["*"],
        data: "{ code: \"NOT_FOUND\", … }",
        source: "mcp-error-codes 1.0, ErrorCode.php",
        read: |subject, data| {
            let is_missing = data?.get("code")? == "NOT_FOUND";
            is_missing.then(|| no_resource(subject, data)).flatten()
        },
        ..MISSING
    },
    Habit {
        sender: PYTHON_1,
        code: NO_CODE,
        messages: &["unknown resource: *"],
        source: "python-sdk, server/fastmcp/server.py read_resource, server/lowlevel/server.py",
        ..MISSING
    },
    Habit {
        sender: "servers on the Python SDK 1",
        code: NO_CODE,
        messages: &["*resource* not found*"],
        source: "python-sdk 1.29, server/lowlevel/server.py: what a handler raises is 0 with its message",
        ..MISSING
    },
    Habit {
        sender: "FastMCP 2, ErrorHandlingMiddleware",
        code: LEGACY_1,
        messages: &["resource not found: *"],
        source: "fastmcp 2.14, server/middleware/error_handling.py",
        ..MISSING
    },
    Habit {
        sender: LOW_LEVEL,
        code: INTERNAL_ERROR,
        messages: &["*unknown resource*", "*resource*not found*"],
        source: "typescript-sdk, shared/protocol.ts: what a handler throws is -32603 with its message",
        ..MISSING
    },
    // Tools.
    Habit {
        sender: TYPESCRIPT,
        messages: &["*tool * not found*", "*tool * disabled"],
        source: "typescript-sdk, src/server/mcp.ts, tools/call; mcp-go, server/server.go",
        ..UNKNOWN_TOOL
    },
    Habit {
        sender: "rmcp 0.8 to 3.1, and servers that copy it",
        messages: &["*tool not found*"],
        source: "rust-sdk, handler/server/router/tool.rs",
        ..UNKNOWN_TOOL
    },
    Habit {
        sender: "Go SDK 1.0 to 1.7, C# SDK, Java SDK, and the example of the specification",
        messages: &["*unknown tool*"],
        source: "MCP 2025-11-25, server/tools, Error Handling; go-sdk, mcp/server.go",
        ..UNKNOWN_TOOL
    },
    Habit {
        sender: LOW_LEVEL,
        code: METHOD_NOT_FOUND,
        messages: &["*unknown tool*", "*tool*not found*"],
        source: "examples of the TypeScript SDK 1 throw MethodNotFound for it",
        ..UNKNOWN_TOOL
    },
    Habit {
        sender: LOW_LEVEL,
        code: INTERNAL_ERROR,
        messages: &["*unknown tool*", "*tool not found*"],
        source: "typescript-sdk, shared/protocol.ts: what a handler throws is -32603 with its message",
        ..UNKNOWN_TOOL
    },
    Habit {
        sender: "FastMCP 2 to 4, ErrorHandlingMiddleware",
        code: LEGACY_1,
        messages: &["*not found: unknown tool*"],
        source: "fastmcp 4.0, server/middleware/error_handling.py",
        ..UNKNOWN_TOOL
    },
    Habit {
        sender: "servers that use the code of resources for everything",
        code: RESOURCE_NOT_FOUND,
        messages: &["*tool*"],
        source: "seen in answers to tools/call",
        ..UNKNOWN_TOOL
    },
    // Prompts.
    Habit {
        sender: TYPESCRIPT,
        messages: &["*prompt *not found*"],
        source: "typescript-sdk, src/server/mcp.ts, prompts/get; mcp-go, server/server.go",
        ..UNKNOWN_PROMPT
    },
    Habit {
        sender: "Go SDK 1.0 to 1.7, C# SDK",
        messages: &["*unknown prompt*"],
        source: "go-sdk, mcp/server.go; csharp-sdk, McpServerImpl.cs",
        ..UNKNOWN_PROMPT
    },
    Habit {
        sender: "fastmcp 4.20 of npm",
        code: METHOD_NOT_FOUND,
        messages: &["*unknown prompt*", "*prompt*not found*"],
        source: "fastmcp (npm), src/FastMCP.ts, prompts/get throws MethodNotFound for it",
        ..UNKNOWN_PROMPT
    },
    Habit {
        sender: PYTHON_1,
        code: NO_CODE,
        messages: &["unknown prompt: *"],
        source: "python-sdk, server/fastmcp/server.py get_prompt",
        ..UNKNOWN_PROMPT
    },
    Habit {
        sender: LOW_LEVEL,
        code: INTERNAL_ERROR,
        messages: &["*prompt*not found*"],
        source: "java-sdk 0.10, McpAsyncServer.java",
        ..UNKNOWN_PROMPT
    },
    Habit {
        sender: "FastMCP 2 to 4, ErrorHandlingMiddleware",
        code: LEGACY_1,
        messages: &["*not found: unknown prompt*"],
        source: "fastmcp 4.0, server/middleware/error_handling.py",
        ..UNKNOWN_PROMPT
    },
    // Tasks.
    Habit {
        sender: "rmcp 1",
        methods: TASK,
        code: RESOURCE_NOT_FOUND,
        messages: &["task not found: *"],
        meaning: "the task does not exist or has expired",
        source: "rust-sdk 1.0, rmcp-macros/src/task_handler.rs",
        read: |_, _| Some(invalid(InvalidParams::UnknownTask)),
        ..MISSING
    },
    // Methods.
    Habit {
        sender: "Python SDK 1",
        methods: NEWER,
        messages: &["invalid request parameters"],
        meaning: "the server does not have the method",
        source: "python-sdk 1.29, shared/session.py: a method that it does not know fails its validation",
        read: |_, _| {
            let method = None;
            Some(Meaning::Kind(ErrorKind::MethodNotFound { method }))
        },
        ..MISSING
    },
    // Sessions.
    Habit {
        sender: "TypeScript SDK 1 and 2, C# SDK",
        code: LEGACY_1,
        messages: &["session not found"],
        source: "typescript-sdk, server/streamableHttp.ts; csharp-sdk, StreamableHttpHandler.cs",
        ..LOST_SESSION
    },
    Habit {
        sender: "Python SDK 1 and 2",
        code: INVALID_REQUEST,
        messages: &["*session not found", "not found: *session*"],
        source: "python-sdk, server/streamable_http_manager.py",
        ..LOST_SESSION
    },
    Habit {
        sender: "proxies on the Python SDK 1",
        code: POSITIVE_INVALID_REQUEST,
        messages: &["session terminated"],
        source: "python-sdk 1.29, client/streamable_http.py",
        ..LOST_SESSION
    },
    Habit {
        sender: "TypeScript SDK 1 and 2, and its examples; C# SDK",
        code: LEGACY_0,
        messages: &[
            "bad request: *session*",
            "bad request: server not initialized",
        ],
        source: "typescript-sdk, server/streamableHttp.ts and docs/serving",
        ..WITHOUT_SESSION
    },
    Habit {
        sender: "Python SDK 1 and 2",
        code: INVALID_REQUEST,
        messages: &["bad request: *session id*"],
        source: "python-sdk, server/streamable_http.py",
        ..WITHOUT_SESSION
    },
    // Time, limits, permission.
    Habit {
        sender: "TypeScript SDK 1 and Python SDK 2, as proxies",
        code: LEGACY_1,
        messages: &["*timed out*"],
        source: "typescript-sdk 1.29, shared/protocol.ts; python-sdk 2, shared/jsonrpc_dispatcher.py",
        ..TIMEOUT
    },
    Habit {
        sender: "Python SDK 1, as a proxy",
        code: HTTP_TIMEOUT,
        messages: &["timed out *"],
        source: "python-sdk 1.29, shared/session.py",
        ..TIMEOUT
    },
    Habit {
        sender: "FastMCP 2 to 4",
        code: LEGACY_0,
        messages: &["*timed out*", "request timeout: *"],
        source: "fastmcp 4.0, tools/function_tool.py",
        ..TIMEOUT
    },
    Habit {
        sender: "FastMCP 2 to 4, RateLimitingMiddleware",
        code: LEGACY_0,
        messages: &["*rate limit exceeded*"],
        source: "fastmcp 4.0, server/middleware/rate_limiting.py",
        ..TOO_MANY
    },
    Habit {
        sender: "shops with a draft of the Universal Commerce Protocol",
        methods: TOOL,
        code: LEGACY_4,
        messages: &["*rate limit*", "*rate_limit*"],
        source: "Universal-Commerce-Protocol/ucp, pull request 622",
        ..TOO_MANY
    },
    Habit {
        sender: "ToolHive before its issue 6101, docdex",
        code: RESERVED_29,
        messages: &["*rate limit*", "*rate_limit*"],
        source: "toolhive, pkg/ratelimit/errors.go; docdex, rate_limit_error_contract_v1.md",
        ..TOO_MANY
    },
    Habit {
        sender: "FastMCP 2 to 4, ErrorHandlingMiddleware",
        code: LEGACY_0,
        messages: &["permission denied: *"],
        source: "fastmcp 4.0, server/middleware/error_handling.py",
        ..FORBIDDEN
    },
    Habit {
        sender: "C# SDK 0.4 to 2.2",
        code: INVALID_REQUEST,
        messages: &["access forbidden: *"],
        source: "csharp-sdk, AuthorizationFilterSetup.cs",
        ..FORBIDDEN
    },
    Habit {
        sender: "FastMCP 2 to 4, ErrorHandlingMiddleware",
        methods: ANY_METHOD,
        code: LEGACY_1,
        messages: &["not found: *"],
        meaning: "something that the request needs does not exist",
        source: "fastmcp 4.0, server/middleware/error_handling.py",
        read: |_, _| Some(Meaning::Problem(ProblemCode::NotFound)),
        ..MISSING
    },
    // Events.
    Habit {
        code: EVENT_NOT_FOUND,
        meaning: "the event or the subscription does not exist, as kind in the data says",
        read: |_, _| Some(Meaning::Problem(ProblemCode::NotFound)),
        ..EVENT
    },
    Habit {
        code: EVENT_FORBIDDEN,
        meaning: FORBIDDEN.meaning,
        read: FORBIDDEN.read,
        ..EVENT
    },
    Habit {
        code: EVENT_EXHAUSTED,
        meaning: "a limit of the server is reached, as limit in the data says, such as one of subscriptions",
        read: TOO_MANY.read,
        ..EVENT
    },
    Habit {
        code: EVENT_UNSUPPORTED,
        meaning: "the server does not have this option, as feature in the data says, such as a way of delivery",
        read: |_, _| Some(Meaning::Problem(ProblemCode::ValidationError)),
        ..EVENT
    },
    Habit {
        code: EVENT_CALLBACK,
        meaning: "the server could not verify the callback URL, for the reason in the data",
        read: |_, _| Some(Meaning::Problem(ProblemCode::ValidationError)),
        ..EVENT
    },
    // Shutdown of the server.
    Habit {
        sender: "Python SDK 2 at its end; the TypeScript and Python SDKs as proxies",
        code: LEGACY_0,
        messages: &["connection closed"],
        source: "python-sdk 2, shared/jsonrpc_dispatcher.py; typescript-sdk, shared/protocol.ts",
        ..ENDING
    },
    Habit {
        sender: "Go SDK 1.0 to 1.7",
        code: LEGACY_4,
        messages: &["*server is closing*"],
        source: "go-sdk, internal/jsonrpc2/wire.go",
        ..ENDING
    },
    // The numbers of the release candidate of 2026-07-28, with the data that the release kept.
    Habit {
        code: LEGACY_1,
        messages: &["*header*mismatch*", "*mismatch*header*", "*mcp-*header*"],
        http_status: Some(400),
        meaning: "headers contradict the body",
        read: |_, _| Some(Meaning::Kind(ErrorKind::HeaderMismatch)),
        ..CANDIDATE
    },
    Habit {
        code: LEGACY_3,
        data: "{ requiredCapabilities }",
        meaning: "the client lacks a capability",
        read: |_, data| ErrorKind::read_missing_capability(data).map(Meaning::Kind),
        ..CANDIDATE
    },
    Habit {
        code: LEGACY_4,
        data: "{ supported, requested }",
        meaning: "the version is not supported",
        read: |_, data| ErrorKind::read_unsupported_version(data).map(Meaning::Kind),
        ..CANDIDATE
    },
    // Last, because it is the least specific.
    Habit {
        sender: "Python SDK 1 and 2, Go SDK",
        methods: ANY_METHOD,
        code: NO_CODE,
        messages: &["*"],
        meaning: "something failed in the server; the message is that of its exception",
        source: "python-sdk, server/lowlevel/server.py, shared/jsonrpc_dispatcher.py",
        read: |_, _| Some(Meaning::Kind(ErrorKind::Internal(Internal::Failed))),
        ..MISSING
    },
];
