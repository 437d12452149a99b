//! `plainly completions` and `plainly man`: files about this program that a system installs beside
//! it.

use std::path::PathBuf;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly completions bash > ~/.local/share/bash-completion/completions/plainly
  plainly completions zsh > ~/.zfunc/_plainly
  plainly completions fish > ~/.config/fish/completions/plainly.fish")]
pub(crate) struct CompletionsArgs {
    #[arg(value_parser = clap::builder::EnumValueParser::<Shell>::new())]
    pub(crate) shell: Shell,
}

/// The shells that completions are made for.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Write man pages, one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly man ~/.local/share/man/man1    then: man plainly-call
  sudo plainly man /usr/local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The directory for the pages; it is created if there is none
    pub(crate) directory: PathBuf,
}
