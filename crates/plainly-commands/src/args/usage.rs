//! Usage lines of the commands that use a server. Their words are optional to clap, because the
//! first word differs if a server's command replaces `TARGET`.

/// Both forms of a command with these words: the server is a URL or a name, or the command starts
/// it.
macro_rules! usage {
    ($command:literal) => {
        usage!(@ $command, "")
    };
    ($command:literal, $words:literal) => {
        usage!(@ $command, concat!(" ", $words))
    };
    (@ $command:literal, $words:expr) => {
        concat!(
            "plainly ", $command, " [OPTIONS] <TARGET>", $words, "\n",
            "       plainly ", $command, " [OPTIONS]", $words, " -- <COMMAND>...",
        )
    };
}

pub(super) use usage;

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Args;

    /// The usage lines of this command.
    fn lines(mut command: clap::Command) -> Vec<String> {
        let usage = command.render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ");
        usage.lines().map(|line| line.trim().to_owned()).collect()
    }

    /// All commands, with their names: `task get`.
    fn all(command: &clap::Command, above: &str) -> Vec<(String, clap::Command)> {
        let below = command.get_subcommands().flat_map(|command| {
            let name = format!("{above}{}", command.get_name());
            let below = all(command, &format!("{name} "));
            below.into_iter().chain([(name, command.clone())])
        });
        below.collect()
    }

    #[test]
    fn usage_lines_have_every_word_of_their_command() {
        let mut args = Args::command();
        args.build();
        let all = all(&args, "");
        let is_of_server = |command: &clap::Command| {
            let mut words = command.get_positionals();
            words.any(|word| word.get_id() == "target")
        };
        let of_servers: Vec<_> = all.iter().filter(|(_, it)| is_of_server(it)).collect();
        assert_eq!(of_servers.len(), 19);
        for (name, command) in of_servers {
            let lines = lines(command.clone());
            let start = format!("plainly {name} [OPTIONS]");
            assert!(
                lines[0].starts_with(&format!("{start} <TARGET>")),
                "{lines:?}"
            );
            let is_login = ["login", "logout"].contains(&&**name);
            let is_started = lines.iter().any(|line| line.ends_with(" -- <COMMAND>..."));
            assert_eq!(is_started, !is_login, "{name}: {lines:?}");
            let words = command.get_positionals().filter(|word| !word.is_last_set());
            let words = words.filter(|word| word.get_id() != "target");
            let mut rest: Vec<_> = lines.iter().map(String::as_str).collect();
            for word in words {
                let [word] = word.get_value_names().unwrap() else {
                    panic!("{name}: {word}");
                };
                for rest in &mut rest {
                    let (before, after) = rest.split_once(word.as_str()).expect(name);
                    assert!(before.ends_with(['<', '[']), "{name}: {word}");
                    *rest = after;
                }
            }
        }
    }

    #[test]
    fn usage_lines_show_which_words_are_required() {
        let mut args = Args::command();
        args.build();
        let all = all(&args, "");
        for (name, expected) in [
            ("login", "plainly login [OPTIONS] <TARGET>"),
            (
                "logout",
                "plainly logout [OPTIONS] <TARGET>; plainly logout --all",
            ),
            (
                "complete",
                "plainly complete [OPTIONS] <TARGET> <OF> <ARGUMENT> [TEXT]; \
                 plainly complete [OPTIONS] <OF> <ARGUMENT> [TEXT] -- <COMMAND>...",
            ),
            (
                "call",
                "plainly call [OPTIONS] <TARGET> <TOOL> [ARGUMENT]...; \
                 plainly call [OPTIONS] <TOOL> [ARGUMENT]... -- <COMMAND>...",
            ),
            (
                "task answer",
                "plainly task answer [OPTIONS] <TARGET> <ID> <ANSWER>...; \
                 plainly task answer [OPTIONS] <ID> <ANSWER>... -- <COMMAND>...",
            ),
            (
                "ls",
                "plainly ls [OPTIONS] <TARGET> [URI]; \
                 plainly ls [OPTIONS] [URI] -- <COMMAND>...",
            ),
            (
                "discover",
                "plainly discover [OPTIONS] <TARGET>; \
                 plainly discover [OPTIONS] -- <COMMAND>...",
            ),
        ] {
            let (_, command) = all.iter().find(|(it, _)| it == name).unwrap();
            assert_eq!(lines(command.clone()).join("; "), expected);
        }
    }
}
