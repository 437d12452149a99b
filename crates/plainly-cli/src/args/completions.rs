//! `plainly completions`.

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
