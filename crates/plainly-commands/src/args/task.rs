//! `plainly task` and its commands.

use clap::Subcommand;

use super::{ServerArgs, Words, usage};

/// Follow a call that the server continues as a task
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly call http://127.0.0.1:3333/mcp scan pages:=90 --task     start one: prints its id
  plainly task get http://127.0.0.1:3333/mcp ID                    its status and its questions
  plainly task answer http://127.0.0.1:3333/mcp ID name=Ada        answer what it asks
  plainly task wait http://127.0.0.1:3333/mcp ID                   wait for its result
  plainly task cancel http://127.0.0.1:3333/mcp ID                 stop it

A server stores a task for a limited time only. A client that has the task's id may be able to read its result.")]
pub(crate) struct TaskArgs {
    #[command(subcommand)]
    pub(crate) action: TaskAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TaskAction {
    Get(GetTaskArgs),
    Wait(WaitTaskArgs),
    Answer(AnswerTaskArgs),
    Cancel(CancelTaskArgs),
}

/// Print the status of a task and its questions
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("task get", "<ID>"),
    after_help = "\
Examples:
  plainly task get http://127.0.0.1:3333/mcp 7Yq…
  plainly task get http://127.0.0.1:3333/mcp 7Yq… --json | jq -r .status

--json prints the whole MCP task, with its result if it has one."
)]
pub(crate) struct GetTaskArgs {
    #[command(flatten)]
    of: TaskOf,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Wait for the end of a task, and print its result
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("task wait", "<ID>"),
    after_help = "\
Examples:
  plainly task wait http://127.0.0.1:3333/mcp 7Yq…
  plainly task wait http://127.0.0.1:3333/mcp 7Yq… --json    the whole MCP result

The result is printed as by `call`, with the same exit status. An interrupt ends the wait and not the task."
)]
pub(crate) struct WaitTaskArgs {
    #[command(flatten)]
    of: TaskOf,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Answer a question of a task
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("task answer", "<ID> <ANSWER>..."),
    after_help = "\
Examples:
  plainly task answer http://127.0.0.1:3333/mcp 7Yq… name=Ada age=36
  plainly task answer http://127.0.0.1:3333/mcp 7Yq… tags:='[\"a\", \"b\"]'    := takes JSON
  plainly task answer http://127.0.0.1:3333/mcp 7Yq… decline
  plainly task answer http://127.0.0.1:3333/mcp 7Yq… --question who name=Ada

`task get` shows the questions of the task. After the answer, the status is printed, as by `get`; \
the server may take a moment to show that it has the answer."
)]
pub(crate) struct AnswerTaskArgs {
    #[command(flatten)]
    of: TaskOf,
    /// A field of the form, as key=text or key:=JSON; or else accept, decline or cancel
    #[arg(value_name = "ANSWER")]
    given: Vec<String>,
    /// The question to answer, if there are several [default: the only one]
    #[arg(long, value_name = "KEY")]
    pub(crate) question: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Ask the server to stop a task
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("task cancel", "<ID>"),
    after_help = "\
Examples:
  plainly task cancel http://127.0.0.1:3333/mcp 7Yq…

The status of the task is printed, as by `task get`: the server decides whether and when the task stops."
)]
pub(crate) struct CancelTaskArgs {
    #[command(flatten)]
    of: TaskOf,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// A task and its server.
#[derive(Debug, clap::Args)]
struct TaskOf {
    /// The server's URL
    target: Option<String>,
    /// The id of the task
    id: Option<String>,
}

impl TaskOf {
    fn words(&mut self) -> impl Iterator<Item = String> + use<> {
        self.target.take().into_iter().chain(self.id.take())
    }
}

impl TaskAction {
    pub(crate) fn server(&mut self) -> &mut ServerArgs {
        match self {
            Self::Get(args) => &mut args.server,
            Self::Wait(args) => &mut args.server,
            Self::Answer(args) => &mut args.server,
            Self::Cancel(args) => &mut args.server,
        }
    }
}

impl GetTaskArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("task get", self.of.words())
    }
}

impl WaitTaskArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("task wait", self.of.words())
    }
}

impl AnswerTaskArgs {
    pub(crate) fn words(&mut self) -> Words {
        let of = self.of.words();
        Words::new("task answer", of.chain(self.given.drain(..)))
    }
}

impl CancelTaskArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("task cancel", self.of.words())
    }
}
