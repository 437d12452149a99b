//! The configuration for a host: the text of a file that contains only this server, or a command of
//! the host.

use super::edit;
use super::hosts::row;
use super::reach::Reach;
use crate::args::Host;
use crate::shell_word::shell_word;

/// The place of the configuration.
pub(crate) fn place(host: Host) -> &'static str {
    row(host).place
}

/// The configuration for this server in `host`, under this name: a file, or a command.
pub(crate) fn config(host: Host, name: &str, reach: &Reach) -> String {
    if host == Host::Claude {
        return claude(name, reach);
    }
    let whole = edit::add(host, "", name, reach, false);
    whole.expect("an empty file has room for an entry")
}

fn claude(name: &str, reach: &Reach) -> String {
    match reach {
        Reach::Url { url, headers } => {
            let headers = headers.iter();
            let headers = headers.map(|(name, value)| {
                format!(" --header {}", shell_word(&format!("{name}: {value}")))
            });
            format!(
                "claude mcp add --transport http {name} {}{}\n",
                shell_word(url),
                headers.collect::<String>()
            )
        }
        Reach::Command { program, args, .. } => {
            let words = [program]
                .into_iter()
                .chain(args)
                .map(|word| shell_word(word));
            let words: Vec<_> = words.collect();
            format!("claude mcp add {name} -- {}\n", words.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_host_is_told_in_its_own_words() {
        let args = ["serve", "/home/me/it's \"here\"", "--stdio"].map(str::to_owned);
        let command = Reach::command("/usr/bin/plainly".to_owned(), args.into());
        let url = Reach::url("http://127.0.0.1:3333/mcp".to_owned());
        let told = Host::value_variants().iter().flat_map(|host| {
            let name = host.to_possible_value().unwrap();
            let place = place(*host);
            [&command, &url].map(|reach| {
                format!(
                    "## {}: {place}\n{}",
                    name.get_name(),
                    config(*host, "docs", reach)
                )
            })
        });
        let told = told.collect::<Vec<_>>().join("\n");
        assert_eq!(told, include_str!("hosts.txt"), "{told}");
    }
}
