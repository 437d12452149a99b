//! `plainly serve`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plainly::transport::http::ProxyNetwork;

#[cfg(feature = "cluster")]
use super::ClusterArgs;
use super::served_tools::{self, ToolNames};
use super::{AuthArgs, Host, Mount, SecretPlace, WriteArgs, mount, values};

/// The default for the largest file that is read, in bytes.
pub(crate) const LARGEST_FILE: u64 = 16 << 20;

/// Serve directories: every file is a resource, every directory a collection
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly serve ./docs                          over HTTP at http://127.0.0.1:3333/mcp
  plainly serve docs=./docs src=./src --stdio   two named directories, over stdio
  plainly serve ./docs notes.md                 also a single file: file:///notes.md
  plainly serve ./docs --skills ./skills        also the skills in a directory
  plainly serve ./docs --write --stdio          clients can change the files too
  plainly serve ./docs --tool-names filesystem  tools as those of server-filesystem
  plainly serve ./docs --http 127.0.0.1:0       on any free port; the URL is printed
  plainly serve ./docs --http 0.0.0.0:3333 --allow-host docs.example.com
  plainly serve ./docs --public-url https://docs.example.com/mcp --auth-issuer https://login.example.com
  plainly serve ./docs --http 0.0.0.0:443 --allow-host docs.example.com --tls-cert cert.pem --tls-key key.pem
  plainly serve ./docs --print-config vscode    the entry for .vscode/mcp.json; install writes it
  plainly serve ./docs --print-config claude | sh

Files have URIs like file:///docs/guide/tool.md: the directory's name, then the path below it. Hidden files, files \
ignored by .gitignore or .ignore, and links that lead outside are not served. Nothing is written unless --write.")]
pub(crate) struct ServeArgs {
    /// A directory or a single file to serve under its own name, or NAME=PATH to serve it under another; NAME=PATH:rw lets
    /// clients change it
    #[arg(required_unless_present = "skills", value_name = "PATH", value_parser = mount::parser())]
    pub(crate) mounts: Vec<Mount>,

    /// Serve HTTP at this address; port 0 picks a free port [default: 127.0.0.1:3333]
    #[arg(long, value_name = "ADDRESS", value_parser = values::address, conflicts_with = "stdio")]
    pub(crate) http: Option<SocketAddr>,

    /// Serve over standard input and output, to the process that started the server
    #[arg(long)]
    pub(crate) stdio: bool,

    /// Over HTTP, also accept requests for this host, such as docs.example.com or docs.example.com:8443
    #[arg(long, value_name = "HOST", conflicts_with = "stdio")]
    pub(crate) allow_host: Vec<String>,

    /// Over HTTP, also accept requests of web pages of this origin, such as https://app.example.com, and let them read the
    /// replies (CORS)
    #[arg(long, value_name = "ORIGIN", conflicts_with = "stdio")]
    pub(crate) allow_origin: Vec<String>,

    /// Over HTTP, also serve the HTTP with SSE transport at /sse, for clients that only support 2024-11-05
    #[arg(long, conflicts_with = "stdio")]
    pub(crate) sse: bool,

    /// The server's name, also used in mcp.json [default: plainly, and in mcp.json the first directory's name]
    #[arg(long)]
    pub(crate) name: Option<String>,

    /// Don't serve, but print the host's configuration for a server with these directories and options: one that the host starts,
    /// or with --http, or an option that only works over HTTP, one that it connects to
    #[arg(long, value_name = "HOST", conflicts_with_all = ["allow_origin", "sse"])]
    pub(crate) print_config: Option<Host>,

    #[command(flatten)]
    pub(crate) content: ContentArgs,

    #[command(flatten)]
    pub(crate) writing: WriteArgs,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,

    #[command(flatten)]
    pub(crate) operator: OperatorArgs,

    #[command(flatten)]
    pub(crate) auth: AuthArgs,
}

impl ServeArgs {
    /// The files that options name. They contain secrets, or belong to secrets, and are never
    /// served.
    pub(crate) fn named_files(&self) -> impl Iterator<Item = &Path> {
        let secret = match &self.auth.auth_client_secret {
            Some(SecretPlace::File(path)) => Some(path),
            Some(SecretPlace::Variable(_)) | None => None,
        };
        let files = [
            self.content.key_file.as_ref(),
            self.network.tls_cert.as_ref(),
            self.network.tls_key.as_ref(),
            self.auth.auth_keys.as_ref(),
            self.operator.audit.as_ref(),
            secret,
        ];
        let files = files.into_iter().flatten();
        #[cfg(feature = "cluster")]
        let files = files.chain(&self.network.cluster.engine.cluster_creds);
        files.map(PathBuf::as_path)
    }
}

/// The options for the operator of a server.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "For operators")]
pub(crate) struct OperatorArgs {
    /// Serve a status page, metrics for Prometheus (/metrics) and probes (/healthz, /readyz) at this address, such as
    /// 127.0.0.1:9464. It needs no credentials. Traces and metrics are also exported by OTLP if OTEL_EXPORTER_OTLP_ENDPOINT
    /// names a collector
    #[arg(long, value_name = "ADDRESS", value_parser = values::address)]
    pub(crate) admin: Option<SocketAddr>,

    /// Append a line of JSON to this file for each request, before its reply is sent; requests that can't be recorded are
    /// refused. A file that is renamed is followed by a new one
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,

    /// Serve requests even if the audit file can't be written
    #[arg(long, requires = "audit")]
    pub(crate) audit_optional: bool,
}

/// The options for the files of the directories.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct ContentArgs {
    /// Also serve the skills in this directory: each directory in it with a SKILL.md is one (extension
    /// io.modelcontextprotocol/skills). A skill that breaks a rule is left out, and named in a warning
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Option<PathBuf>,

    /// Also serve files and directories whose names start with a dot
    #[arg(long)]
    pub(crate) hidden: bool,

    /// Also serve files that .gitignore and .ignore exclude
    #[arg(long)]
    pub(crate) no_ignore: bool,

    /// Serve only resources, no tools. The tools are for hosts that expose only tools to the model; they read and search
    /// the files
    #[arg(long)]
    pub(crate) no_tools: bool,

    /// Serve only these tools, separated by commas: each fills a part of the model's context. `two` stands for search and
    /// read_resource, which are enough to list, find and read. With --write, all tools that write are served unless some of
    /// them are named
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = served_tools::parser(),
        conflicts_with = "no_tools"
    )]
    pub(crate) tools: Vec<String>,

    /// The names and arguments of the tools. With filesystem they are called as in @modelcontextprotocol/server-filesystem, for
    /// prompts and programs that know those
    #[arg(
        long,
        value_name = "WHOSE",
        default_value = "plainly",
        conflicts_with = "no_tools"
    )]
    pub(crate) tool_names: ToolNames,

    /// Also offer the tool browse, with a page on which hosts show the files to their users (MCP Apps). The page calls search
    /// and read_resource, which are then always served
    #[arg(long, conflicts_with_all = ["no_tools", "tool_names"])]
    pub(crate) app: bool,

    /// Serve every file only as it is. By default HTML, CSV, Word documents, workbooks and notebooks are also available
    /// as Markdown, PDF as text, and JSON without line breaks as indented JSON, and text in other encodings than UTF-8 is decoded
    #[arg(long)]
    pub(crate) as_is: bool,

    /// Let clients cache replies for this many seconds [default: clients ask every time]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, allow_negative_numbers = true)]
    pub(crate) ttl: Option<Duration>,

    /// Encrypt the cursors of long listings with the keys in this file, one per line as 64 hexadecimal digits, so that any
    /// server with the same directories, --name and keys can continue them. The file is read again when it changes; the
    /// first key encrypts once the file is five minutes old, until then the second one does; all keys decrypt
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,

    /// The largest file that is read whole; larger files are read in parts. Clients may accept less in one reply: plainly's own
    /// accept 32 MiB, enough for a binary file of about 24 MiB
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = values::size, allow_negative_numbers = true)]
    pub(crate) max_file_size: u64,

    /// The memory for the server: files and replies of all clients together get a part of it
    /// [default: the limit of the container or cgroup, if there is one]
    #[arg(long, value_name = "BYTES", value_parser = values::size, allow_negative_numbers = true)]
    pub(crate) max_memory: Option<u64>,
}

impl ContentArgs {
    /// The first of these options that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--skills", self.skills.is_some()),
            ("--hidden", self.hidden),
            ("--no-ignore", self.no_ignore),
            ("--no-tools", self.no_tools),
            ("--tools", !self.tools.is_empty()),
            ("--tool-names", self.tool_names != ToolNames::Plainly),
            ("--app", self.app),
            ("--as-is", self.as_is),
            ("--ttl", self.ttl.is_some()),
            ("--key-file", self.key_file.is_some()),
            ("--max-file-size", self.max_file_size != LARGEST_FILE),
            ("--max-memory", self.max_memory.is_some()),
        ];
        given
            .into_iter()
            .find_map(|(option, is_given)| is_given.then_some(option))
    }
}

/// The options of a server in a network.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Over HTTP")]
pub(crate) struct NetworkArgs {
    /// Serve HTTPS, by HTTP/1.1 and HTTP/2, with the certificate in this PEM file, followed by its
    /// intermediate certificates; the file is read again when it changes
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_key",
        conflicts_with = "stdio"
    )]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The private key of the certificate, in PEM and without a password
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_cert",
        conflicts_with = "stdio"
    )]
    pub(crate) tls_key: Option<PathBuf>,

    /// Trust the reverse proxy at this address, or those in this network, such as 10.0.0.0/8: their
    /// X-Forwarded-For or Forwarded names the client
    #[arg(long, value_name = "NETWORK", conflicts_with = "stdio")]
    pub(crate) trusted_proxy: Vec<ProxyNetwork>,

    /// Once asked to stop, answer 503 at /readyz and serve on for this long, while balancers notice
    /// [default: 0, or 5 with --cluster]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds_or_none, allow_negative_numbers = true, conflicts_with = "stdio")]
    pub(crate) drain: Option<Duration>,

    /// The most connections at a time; more wait [default: 10000]
    #[arg(long, value_name = "NUMBER", value_parser = values::count, conflicts_with = "stdio")]
    pub(crate) max_connections: Option<NonZeroUsize>,

    /// The most connections of one client, or its requests through a trusted proxy, at a time [default: 256]
    #[arg(long, value_name = "NUMBER", value_parser = values::count, conflicts_with = "stdio")]
    pub(crate) max_connections_per_client: Option<NonZeroUsize>,

    /// The most requests at a time; more are refused [default: 4096]
    #[arg(long, value_name = "NUMBER", value_parser = values::count, conflicts_with = "stdio")]
    pub(crate) max_requests: Option<NonZeroUsize>,

    /// The most sessions of clients of older revisions; one more ends the session that was idle for
    /// longest [default: 10000]
    #[arg(long, value_name = "NUMBER", value_parser = values::count, conflicts_with = "stdio")]
    pub(crate) max_sessions: Option<NonZeroUsize>,

    /// The largest body of a request [default: 4M]
    #[arg(long, value_name = "BYTES", value_parser = values::some_size, allow_negative_numbers = true, conflicts_with = "stdio")]
    pub(crate) max_body: Option<u64>,

    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

impl NetworkArgs {
    /// The time for which the server continues after a stop request.
    pub(crate) fn drain(&self) -> Duration {
        #[cfg(feature = "cluster")]
        let usual = self.cluster.drain();
        #[cfg(not(feature = "cluster"))]
        let usual = Duration::ZERO;
        self.drain.unwrap_or(usual)
    }
}
