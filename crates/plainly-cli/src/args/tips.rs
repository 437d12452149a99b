//! What to do about an option that no command has. The parser only knows its own, and finds those alike that aren't meant.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The commands that talk to no server.
const ALONE: [&str; 8] = [
    "serve",
    "logins",
    "servers",
    "uninstall",
    "codes",
    "explain",
    "completions",
    "man",
];

/// Options of other programs, and what is there instead.
const INSTEAD: [(&[&str], &str); 6] = [
    (
        &["--insecure", "-k"],
        "to trust a certificate of your own, use '--cacert FILE'",
    ),
    (
        &["--verbose", "-v", "--debug", "-d"],
        "to see more, use '--trace', or '--log debug'",
    ),
    (
        &["--token", "--auth", "--oauth-token"],
        "to send a token, use '--bearer @FILE' or '--bearer env:NAME'",
    ),
    (
        &["--transport", "-t"],
        "the transport is found by itself: give the URL, or the command after '--'",
    ),
    (&["-e"], "to set a variable, use '--env NAME=VALUE'"),
    (
        &["--format", "--output-format"],
        "for scripts, use '--json'",
    ),
];

/// The mistake with tips that fit a command that talks to a server: not to write `--` before a word, where the command of a
/// server follows that.
pub(crate) fn with_tips(mut error: clap::Error) -> clap::Error {
    if std::env::args_os().any(|word| ALONE.iter().any(|alone| word == *alone)) {
        return error;
    }
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
        && tips.iter().any(|tip| tip.to_string().contains("'-- "))
    {
        error.remove(ContextKind::Suggested);
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && let Some(tip) = tip(option)
    {
        error.remove(ContextKind::SuggestedArg);
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

fn tip(option: &str) -> Option<String> {
    let mut rows = INSTEAD.iter();
    let instead = rows.find(|(options, _)| options.contains(&option));
    let instead = instead.map(|(_, instead)| (*instead).to_owned());
    let mut words = std::env::args_os().take_while(|word| word != "--");
    let takes_arguments = words.any(|word| word == "call" || word == "prompt");
    // What looks like an option of a tool is one of its arguments.
    let name = option.strip_prefix("--").filter(|_| takes_arguments);
    let argument = name.map(|name| format!("arguments are written {name}=TEXT"));
    let tips: Vec<_> = [argument, instead].into_iter().flatten().collect();
    (!tips.is_empty()).then(|| tips.join("; "))
}
