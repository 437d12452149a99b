//! THE table of habits: one row for each thing that some implementation sends, and that only who knows the
//! implementation can understand. Read in their sources, in the versions that the rows name.

use super::{GOING_AWAY, Habit, Meaning, invalid, no_prompt, no_resource, no_tool, refused};
use crate::code::Code;
use crate::kind::{ErrorKind, Internal, InvalidParams, InvalidRequest};
use crate::problem::ProblemCode;
use crate::registry::table::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND,
};

const NO_CODE: Code = Code::new(0);
/// Everything from "connection closed" to "rate limit exceeded".
const LEGACY_0: Code = Code::new(-32000);
const LEGACY_1: Code = Code::new(-32001);
const LEGACY_3: Code = Code::new(-32003);
const LEGACY_4: Code = Code::new(-32004);
const HTTP_TIMEOUT: Code = Code::new(408);
/// A minus that was forgotten.
const POSITIVE_INVALID_REQUEST: Code = Code::new(32600);

const ANY_METHOD: &[&str] = &[];
const READ: &[&str] = &[
    "resources/read",
    "resources/metadata",
    "resources/subscribe",
];
const TOOL: &[&str] = &["tools/call"];
const PROMPT: &[&str] = &["prompts/get"];
const TASK: &[&str] = &["tasks/get", "tasks/update", "tasks/cancel", "tasks/result"];
/// What no server of a revision before 2026-07-28 can have.
const NEWER: &[&str] = &[
    "server/discover",
    "subscriptions/listen",
    "resources/metadata",
    "resources/directory/read",
    "tasks/update",
];

const ANY_DATA: &str = "any";
const NOTHING_THERE: &str = "the resource does not exist";
const NO_TOOL: &str = "the tool does not exist";
const NO_PROMPT: &str = "the prompt does not exist";
const NO_SESSION: &str = "the session is unknown or has expired: initialize again";
const SESSION_WANTED: &str = "the server works by sessions, and the request names none";
const TIMED_OUT: &str = "it took too long, here or behind a proxy";
const TYPESCRIPT_1: &str = "TypeScript SDK 1.10 to 1.29";
const TYPESCRIPT: &str = "TypeScript SDK 1.10 to 2.0";
const PYTHON_1: &str = "Python SDK 1.9 to 1.29";
const LOW_LEVEL: &str = "servers on the low-level API of the TypeScript and Java SDKs";

/// A resource that is missing, by its message alone; the rows of other meanings name theirs.
const MISSING: Habit = Habit {
    sender: "",
    methods: READ,
    code: INVALID_PARAMS,
    messages: &[],
    data: ANY_DATA,
    http_status: None,
    meaning: NOTHING_THERE,
    source: "",
    read: no_resource,
};
const UNKNOWN_TOOL: Habit = Habit {
    methods: TOOL,
    meaning: NO_TOOL,
    read: no_tool,
    ..MISSING
};
const UNKNOWN_PROMPT: Habit = Habit {
    methods: PROMPT,
    meaning: NO_PROMPT,
    read: no_prompt,
    ..MISSING
};
const LOST_SESSION: Habit = Habit {
    methods: ANY_METHOD,
    meaning: NO_SESSION,
    read: |_, _| Some(refused(InvalidRequest::SessionNotFound)),
    ..MISSING
};
const WITHOUT_SESSION: Habit = Habit {
    methods: ANY_METHOD,
    code: LEGACY_0,
    http_status: Some(400),
    meaning: SESSION_WANTED,
    read: |_, _| Some(refused(InvalidRequest::SessionRequired)),
    ..MISSING
};
const TIMEOUT: Habit = Habit {
    methods: ANY_METHOD,
    code: LEGACY_0,
    meaning: TIMED_OUT,
    read: |_, _| Some(Meaning::Problem(ProblemCode::Timeout)),
    ..MISSING
};
const FORBIDDEN: Habit = Habit {
    methods: ANY_METHOD,
    meaning: "this caller may not do that",
    read: |_, _| Some(Meaning::Problem(ProblemCode::AccessDenied)),
    ..MISSING
};

const ENDING: Habit = Habit {
    methods: ANY_METHOD,
    meaning: "the server is shutting down, or the one behind a proxy has ended",
    read: |_, _| Some(GOING_AWAY),
    ..MISSING
};
const CANDIDATE: Habit = Habit {
    sender: "implementations of the release candidate of 2026-07-28",
    methods: ANY_METHOD,
    messages: &["*"],
    source: "SEP-2243; MCP 2026-07-28, changelog",
    ..MISSING
};

pub(crate) static HABITS: [Habit; 41] = [
    // Resources.
    Habit {
        sender: TYPESCRIPT_1,
        messages: &["*resource * not found", "*resource * disabled"],
        source: "typescript-sdk, src/server/mcp.ts, resources/read",
        ..MISSING
    },
    Habit {
        sender: "any server: the data is only recommended (SEP-2164)",
        messages: &["*resource not found*"],
        source: "MCP 2026-07-28, server/resources, Error Handling",
        ..MISSING
    },
    Habit {
        sender: "C# SDK 0.4 to 2.2",
        messages: &["unknown resource uri: *"],
        source: "csharp-sdk, McpServerImpl.cs, readResourceHandler",
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
        messages: &["unknown tool*"],
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
        messages: &["unknown prompt*"],
        source: "go-sdk, mcp/server.go; csharp-sdk, McpServerImpl.cs",
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
        messages: &["*timed out*", "request timeout: *"],
        source: "fastmcp 4.0, tools/function_tool.py",
        ..TIMEOUT
    },
    Habit {
        sender: "FastMCP 2 to 4, RateLimitingMiddleware",
        methods: ANY_METHOD,
        code: LEGACY_0,
        messages: &["*rate limit exceeded*"],
        meaning: "too many requests: try again later",
        source: "fastmcp 4.0, server/middleware/rate_limiting.py",
        read: |_, _| Some(Meaning::Problem(ProblemCode::RateLimitExceeded)),
        ..MISSING
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
    // The end of the server.
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
    // Last, as it says least.
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
