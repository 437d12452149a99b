//! The server's own name, description, capabilities and tools.

use std::path::Path;

use plainly::protocol::types::{Implementation, Tool};

use crate::args::{DiscoverArgs, PackageArgs};
use crate::command::lacking::is_lacking;
use crate::connection::with_client;
use crate::failure::{Failure, Subject};

pub(super) struct Introduction {
    pub(super) server: Option<Implementation>,
    pub(super) tools: Vec<Tool>,
    pub(super) has_prompts: bool,
}

impl Introduction {
    /// Starts the program as a server, and requests its facts.
    pub(super) async fn ask(program: &Path, args: &PackageArgs) -> Result<Self, Failure> {
        let (server, mut server_args) = DiscoverArgs::starting(&args.env, program, &args.args)?;
        server_args.timeout = args.timeout;
        server_args.asking.server_log = args.server_log;
        with_client(server, server_args, async |client| {
            let tools = match client.tools().await {
                Err(error) if is_lacking(&error) => Vec::new(),
                tools => tools.map_err(Failure::about(Subject::Tools))?,
            };
            let has_prompts = match client.prompts().await {
                Err(error) if is_lacking(&error) => false,
                prompts => !prompts
                    .map_err(Failure::about(Subject::Prompts))?
                    .is_empty(),
            };
            Ok(Self {
                server: client.server().cloned(),
                tools,
                has_prompts,
            })
        })
        .await
    }
}
