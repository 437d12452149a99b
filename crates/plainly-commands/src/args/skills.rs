//! `plainly skills`.

use std::path::PathBuf;

use super::{ServerArgs, Words, usage};

/// List a server's skills, or print the instructions of one
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("skills", "[SKILL]"),
    after_help = "\
Examples:
  plainly skills http://127.0.0.1:3333/mcp
  plainly skills http://127.0.0.1:3333/mcp refunds                          its SKILL.md
  plainly skills http://127.0.0.1:3333/mcp skill://acme/refunds/SKILL.md    also one that is not listed
  plainly skills http://127.0.0.1:3333/mcp refunds -o SKILL.md
  plainly skills http://127.0.0.1:3333/mcp --json    one skill object per line, with its files and digests
  plainly skills -- npx some-server --flag

Listing reads no file. Instructions are printed only if their length, their digest and their \
frontmatter are what the server lists; that does not make them trustworthy, because the server \
wrote both."
)]
pub(crate) struct SkillsArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The name of a skill, or the URI of its SKILL.md [default: list all]
    skill: Option<String>,
    /// Write the instructions to this file; - is standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl SkillsArgs {
    pub(crate) fn words(&mut self) -> Words {
        let words = self.target.take().into_iter().chain(self.skill.take());
        Words::new("skills", words)
    }
}
