//! `plainly completions`: scripts that complete the command line in a shell.

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs, Shell};
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    // Through memory, since the generator panics where nobody reads.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "plainly", &mut script);
    let mut output = Output::new(Format::Text);
    output.write(&script)?;
    output.flush()
}
