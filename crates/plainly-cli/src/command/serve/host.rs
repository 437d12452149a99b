//! `plainly serve --print-config HOST`: what a host must be told to have this very server: one row for each host, with the
//! file that it reads, the keys in it, and what it calls a URL.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Serialize;
use serde_json::json;

use crate::args::Host;
use crate::shell_word::shell_word;

/// How a host has this server.
#[derive(Debug)]
pub(super) enum Reach {
    /// It starts a process.
    Command { program: String, args: Vec<String> },
    /// It connects to one that runs.
    Url(String),
}

/// What a host is told in, and how it is spelled there.
struct HostRow {
    /// The file, or what to do with a command.
    place: &'static str,
    form: Form,
}

enum Form {
    /// A command of the host that edits its configuration.
    Claude,
    /// A JSON file: the key above all servers, whether each says its type, and the member for a URL; without one, the host
    /// starts a program that passes messages on.
    Json(&'static str, bool, Option<&'static str>),
    /// A TOML file, with the table above all servers.
    Toml(&'static str),
}

const fn row(host: Host) -> HostRow {
    let (place, form) = match host {
        Host::Claude => ("run this in the project", Form::Claude),
        Host::ClaudeDesktop => (
            "claude_desktop_config.json, which Settings > Developer > Edit Config opens",
            Form::Json("mcpServers", false, None),
        ),
        Host::Vscode => (
            ".vscode/mcp.json in the workspace",
            Form::Json("servers", true, Some("url")),
        ),
        Host::Cursor => (
            ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
            Form::Json("mcpServers", false, Some("url")),
        ),
        Host::Codex => ("~/.codex/config.toml", Form::Toml("mcp_servers")),
        Host::Zed => (
            "settings.json, which `zed: open settings file` opens",
            Form::Json("context_servers", false, Some("url")),
        ),
        Host::Windsurf => (
            "~/.codeium/windsurf/mcp_config.json",
            Form::Json("mcpServers", false, Some("serverUrl")),
        ),
        Host::Gemini => (
            "~/.gemini/settings.json, or .gemini/settings.json in the project",
            Form::Json("mcpServers", false, Some("httpUrl")),
        ),
    };
    HostRow { place, form }
}

/// Where the configuration belongs.
pub(super) fn place(host: Host) -> &'static str {
    row(host).place
}

/// The configuration under which `host` has the server, by this name.
pub(super) fn config(host: Host, name: &str, reach: &Reach) -> String {
    match row(host).form {
        Form::Claude => claude(name, reach),
        Form::Json(key, has_type, url) => {
            let servers = json_of(&json_entry(reach, has_type, url), name);
            format!("{{\n  \"{key}\": {}\n}}\n", servers.replace('\n', "\n  "))
        }
        Form::Toml(table) => toml(table, name, reach),
    }
}

fn claude(name: &str, reach: &Reach) -> String {
    match reach {
        Reach::Url(url) => format!(
            "claude mcp add --transport http {name} {}\n",
            shell_word(url)
        ),
        Reach::Command { program, args } => {
            let words = [program]
                .into_iter()
                .chain(args)
                .map(|word| shell_word(word));
            let words: Vec<_> = words.collect();
            format!("claude mcp add {name} -- {}\n", words.join(" "))
        }
    }
}

/// A server in JSON, its members in the order in which people write them.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Cow<'a, [String]>>,
    #[serde(flatten)]
    url: serde_json::Map<String, serde_json::Value>,
}

fn json_entry<'a>(reach: &'a Reach, has_type: bool, member: Option<&str>) -> Entry<'a> {
    let (kind, command, args, url) = match (reach, member) {
        (Reach::Command { program, args }, _) => {
            ("stdio", Some(&**program), Some(args.into()), None)
        }
        (Reach::Url(url), Some(member)) => {
            ("http", None, None, Some((member.to_owned(), json!(url))))
        }
        (Reach::Url(url), None) => {
            let words = ["-y", "mcp-remote", url].map(str::to_owned);
            ("stdio", Some("npx"), Some(Vec::from(words).into()), None)
        }
    };
    Entry {
        kind: has_type.then_some(kind),
        command,
        args,
        url: url.into_iter().collect(),
    }
}

fn json_of(entry: &Entry<'_>, name: &str) -> String {
    let servers = std::collections::BTreeMap::from([(name, entry)]);
    serde_json::to_string_pretty(&servers).expect("text under names is JSON")
}

fn toml(table: &str, name: &str, reach: &Reach) -> String {
    // The escapes of JSON are those of TOML.
    let text = |text: &str| json!(text).to_string();
    let mut file = format!("[{table}.{name}]\n");
    // Writing to a string can't fail.
    let _ = match reach {
        Reach::Url(url) => writeln!(file, "url = {}", text(url)),
        Reach::Command { program, args } => {
            let args: Vec<_> = args.iter().map(|word| text(word)).collect();
            writeln!(
                file,
                "command = {}\nargs = [{}]",
                text(program),
                args.join(", ")
            )
        }
    };
    file
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_host_is_told_in_its_own_words() {
        let command = Reach::Command {
            program: "/usr/bin/plainly".to_owned(),
            args: ["serve", "/home/me/it's \"here\"", "--stdio"]
                .map(str::to_owned)
                .into(),
        };
        let url = Reach::Url("http://127.0.0.1:3333/mcp".to_owned());
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
