//! The command line as plain data, and its help. No code here performs a command.

mod account;
mod asking;
mod auth;
mod bearer;
mod candidates;
#[cfg(feature = "cluster")]
mod cluster;
mod completions;
mod discover;
mod explain;
mod host;
mod install;
mod log;
mod login;
mod ls;
mod mount;
mod package;
mod program;
mod prompts;
mod read;
mod replay;
mod save;
mod serve;
mod served_tools;
mod server;
mod servers;
mod shell;
mod skills;
mod task;
mod templates;
mod tips;
mod tools;
mod trace;
mod usage;
pub(crate) mod values;
mod watch;
mod words;
mod write;

use clap::{Parser, Subcommand};

pub(crate) use self::account::{AccountArgs, LoginStoreArgs, LoginsPlace, Tolerance, is_document};
pub(crate) use self::asking::{AskingArgs, GivenAnswer, ServerLog};
pub(crate) use self::auth::{
    AuthArgs, KeyAction, KeyArgs, ListKeysArgs, NewKeyArgs, RevokeKeyArgs, SecretPlace,
};
pub(crate) use self::bearer::BearerArg;
pub(crate) use self::candidates::CandidatesArgs;
#[cfg(feature = "cluster")]
pub(crate) use self::cluster::{
    ClusterAction, ClusterArgs, ClusterCommandArgs, ClusterStatusArgs, EngineArgs, URLS,
};
pub(crate) use self::completions::{CompletionsArgs, ManArgs, Shell};
pub(crate) use self::discover::DiscoverArgs;
pub(crate) use self::explain::ExplainArgs;
pub(crate) use self::host::Host;
pub(crate) use self::install::{ChangeArgs, InstallArgs, UninstallArgs};
pub(crate) use self::log::LogArgs;
pub(crate) use self::login::{LoginArgs, LoginsArgs, LogoutArgs};
pub(crate) use self::ls::LsArgs;
pub(crate) use self::mount::{Mount, WRITABLE};
pub(crate) use self::package::{PackageArgs, PackageKind};
pub(crate) use self::program::{is_program, startable};
pub(crate) use self::prompts::{PromptArgs, PromptsArgs};
pub(crate) use self::read::{ReadArgs, StatArgs};
pub(crate) use self::replay::ReplayArgs;
pub(crate) use self::save::SaveArgs;
pub(crate) use self::serve::{ContentArgs, LARGEST_FILE, NetworkArgs, OperatorArgs, ServeArgs};
pub(crate) use self::served_tools::{ToolNames, named};
pub(crate) use self::server::{ServerArgs, Session, TWO_TOKENS};
pub(crate) use self::servers::ServersArgs;
pub(crate) use self::shell::{ShellArgs, ShellCommand, ShellLine};
pub(crate) use self::skills::SkillsArgs;
pub(crate) use self::task::{
    AnswerTaskArgs, CancelTaskArgs, GetTaskArgs, TaskAction, TaskArgs, WaitTaskArgs,
};
pub(crate) use self::templates::{CompleteArgs, TemplatesArgs};
pub(crate) use self::tips::with_tips;
pub(crate) use self::tools::{CallArgs, ToolsArgs};
pub(crate) use self::trace::{TraceArgs, TraceLength};
use self::usage::usage;
pub(crate) use self::values::{HeaderArg, Scopes};
pub(crate) use self::watch::WatchArgs;
pub(crate) use self::words::{Server, ServerName, Words};
pub(crate) use self::write::{
    ConfirmArg, LARGEST_WRITE, RestoreArgs, TrashAction, TrashArgs, WriteArgs,
};
use crate::exit;
use crate::format::Format;

/// Serve directories over MCP, and talk to any MCP server
#[derive(Debug, Parser)]
#[command(name = "plainly", version, after_help = exit::help())]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) log: LogArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(ServeArgs),
    #[cfg(feature = "cluster")]
    Cluster(ClusterCommandArgs),
    Trash(TrashArgs),
    Key(KeyArgs),
    #[command(flatten)]
    Client(ClientCommand),
    Shell(ShellArgs),
    Login(LoginArgs),
    Logout(LogoutArgs),
    Logins(LoginsArgs),
    Servers(ServersArgs),
    Install(InstallArgs),
    Uninstall(UninstallArgs),
    Package(PackageArgs),
    Replay(ReplayArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    Candidates(CandidatesArgs),
}

impl Command {
    /// Whether the command is a server for clients, which runs until it is stopped.
    pub(crate) fn is_server(&self) -> bool {
        match self {
            Self::Serve(_) | Self::Replay(_) => true,
            #[cfg(feature = "cluster")]
            Self::Cluster(_) => false,
            Self::Client(_)
            | Self::Shell(_)
            | Self::Login(_)
            | Self::Logout(_)
            | Self::Logins(_)
            | Self::Key(_)
            | Self::Trash(_)
            | Self::Servers(_)
            | Self::Install(_)
            | Self::Uninstall(_)
            | Self::Package(_)
            | Self::Explain(_)
            | Self::Completions(_)
            | Self::Candidates(_)
            | Self::Man(_) => false,
        }
    }

    /// Whether to show the standard error of a child process.
    pub(crate) fn shows_child(&mut self) -> bool {
        if let Self::Package(args) = self {
            return args.server_log == Some(ServerLog::DEBUG);
        }
        self.asking().is_some_and(AskingArgs::shows_child)
    }

    /// The options for a server's questions and messages, if the command talks to a server.
    pub(crate) fn asking(&mut self) -> Option<&AskingArgs> {
        match self {
            Self::Client(client) => Some(&client.server().asking),
            Self::Shell(args) => Some(&args.server.asking),
            Self::Login(args) => Some(&args.server.asking),
            Self::Logout(args) => Some(&args.server.asking),
            #[cfg(feature = "cluster")]
            Self::Cluster(_) => None,
            Self::Serve(_)
            | Self::Trash(_)
            | Self::Key(_)
            | Self::Logins(_)
            | Self::Replay(_)
            | Self::Servers(_)
            | Self::Install(_)
            | Self::Uninstall(_)
            | Self::Package(_)
            | Self::Explain(_)
            | Self::Completions(_)
            | Self::Candidates(_)
            | Self::Man(_) => None,
        }
    }

    pub(crate) fn format(&mut self) -> Format {
        match self {
            Self::Client(client) => client.server().format(),
            Self::Servers(args) => args.format(),
            Self::Install(args) => args.change.format(),
            Self::Uninstall(args) => args.change.format(),
            Self::Package(args) => args.format(),
            Self::Shell(args) => args.server.format(),
            Self::Login(args) => args.server.format(),
            Self::Logout(args) => args.server.format(),
            Self::Logins(args) => args.format(),
            Self::Explain(args) => args.format(),
            #[cfg(feature = "cluster")]
            Self::Cluster(args) => args.format(),
            Self::Key(args) => args.format(),
            Self::Trash(args) => args.format(),
            Self::Serve(_)
            | Self::Replay(_)
            | Self::Completions(_)
            | Self::Candidates(_)
            | Self::Man(_) => Format::Text,
        }
    }
}

/// The commands that talk to a server.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    Discover(DiscoverArgs),
    Ls(LsArgs),
    Stat(StatArgs),
    Read(ReadArgs),
    Watch(WatchArgs),
    Templates(TemplatesArgs),
    Skills(SkillsArgs),
    Tools(ToolsArgs),
    Call(CallArgs),
    Task(TaskArgs),
    Prompts(PromptsArgs),
    Prompt(PromptArgs),
    Complete(CompleteArgs),
}

impl ClientCommand {
    pub(crate) fn server(&mut self) -> &mut ServerArgs {
        match self {
            Self::Discover(args) => &mut args.server,
            Self::Ls(args) => &mut args.server,
            Self::Stat(args) => &mut args.server,
            Self::Read(args) => &mut args.server,
            Self::Watch(args) => &mut args.server,
            Self::Templates(args) => &mut args.server,
            Self::Skills(args) => &mut args.server,
            Self::Tools(args) => &mut args.server,
            Self::Call(args) => &mut args.server,
            Self::Task(args) => args.action.server(),
            Self::Prompts(args) => &mut args.server,
            Self::Prompt(args) => &mut args.server,
            Self::Complete(args) => &mut args.server,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }
}
