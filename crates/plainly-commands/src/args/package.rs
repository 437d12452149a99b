//! `plainly package`.

use std::path::PathBuf;
use std::time::Duration;

use super::asking::{ServerLog, server_log};
use super::values;
use crate::format::Format;

/// Pack a program that is an MCP server: for npm, PyPI, hosts and the MCP registry
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly package [OPTIONS] <PROGRAM>... [-- <ARGS>...]",
    after_help = "\
Examples:
  plainly package ./target/release/weather
  plainly package ./linux/weather ./windows/weather.exe --out packages
  plainly package ./weather --name io.github.me/weather --npm @me/weather --repository https://github.com/me/weather
  plainly package ./weather --env WEATHER_KEY=$WEATHER_KEY -- serve --stdio

The program is started, and asked over standard input and output for its name, version, description and tools. \
It can be written in any language, as long as it is one file that needs no interpreter. The system and the \
processor of each are read from the file."
)]
pub(crate) struct PackageArgs {
    /// The program; of several for different platforms, that of this machine is started
    #[arg(required = true, value_name = "PROGRAM")]
    pub(crate) programs: Vec<PathBuf>,
    /// The directory to write into; it is created if there is none
    #[arg(long, value_name = "DIR", default_value = "dist")]
    pub(crate) out: PathBuf,
    /// Make only these packages [default: all]
    #[arg(long, value_name = "KIND", value_enum, value_delimiter = ',')]
    pub(crate) only: Vec<PackageKind>,
    /// The server's name in the MCP registry, such as io.github.me/weather; without it there is no server.json
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The package's name for npm, such as @me/weather [default: the server's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) npm: Option<String>,
    /// The package's name for PyPI [default: the server's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) pypi: Option<String>,
    /// The version of the packages [default: the server's]
    #[arg(long, value_name = "VERSION")]
    pub(crate) release: Option<String>,
    /// The description in all packages [default: the server's, or a list of its tools]
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// The author [default: the authors of the server]
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// The license as an SPDX expression, such as MIT
    #[arg(long, value_name = "LICENSE")]
    pub(crate) license: Option<String>,
    /// The URL of the source; server.json expects the bundles in its releases, under the tag vVERSION
    #[arg(long, value_name = "URL")]
    pub(crate) repository: Option<String>,
    /// The page that npm and PyPI show, in Markdown [default: the description and the tools]
    #[arg(long, value_name = "FILE")]
    pub(crate) readme: Option<PathBuf>,
    /// Set this variable for the server that is started; the packages have its name, so that hosts ask users for a value; can be
    /// given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::variable)]
    pub(crate) env: Vec<(String, String)>,
    /// The time to wait for each reply of the server [default: 60, and 30 for connecting]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,
    /// Show the server's log messages from this level up; debug also shows its standard error [default: the first twenty from
    /// warning up]
    #[arg(long, value_name = "LEVEL", value_parser = server_log(), hide_possible_values = true)]
    pub(crate) server_log: Option<ServerLog>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The arguments with which the program serves over standard input and output; hosts start it with them
    #[arg(last = true)]
    pub(crate) args: Vec<String>,
}

/// A kind of package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PackageKind {
    /// A launcher, and a package with the program for each platform
    Npm,
    /// A wheel for each platform
    Pypi,
    /// An MCP bundle for each platform, which hosts install by a click
    Mcpb,
}

impl PackageKind {
    /// The word for it on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Mcpb => "mcpb",
        }
    }
}

impl PackageArgs {
    /// The format of the list of packages and of errors.
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }

    /// Whether packages of this kind are made.
    pub(crate) fn makes(&self, kind: PackageKind) -> bool {
        self.only.is_empty() || self.only.contains(&kind)
    }
}
