//! An entry as a host spells it, its members in the order in which people write them.

use std::fmt::Write;

use jsonc_parser::cst::CstInputValue;
use serde_json::json;

use super::hosts::row;
use super::reach::Reach;
use crate::args::Host;

/// The members of an entry.
pub(super) type EntryMembers = Vec<(&'static str, Member)>;

/// A value in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Text(String),
    Texts(Vec<String>),
    Pairs(Vec<(String, String)>),
}

/// The members of the entry in the host's file.
pub(super) fn members(host: Host, reach: &Reach) -> EntryMembers {
    let row = row(host);
    let mut members = EntryMembers::new();
    match (reach, row.url) {
        (
            Reach::Command {
                program,
                args,
                env,
                cwd,
            },
            _,
        ) => {
            members.extend(
                row.has_type
                    .then(|| ("type", Member::Text("stdio".to_owned()))),
            );
            members.push(("command", Member::Text(program.clone())));
            members.push(("args", Member::Texts(args.clone())));
            members.extend((!env.is_empty()).then(|| ("env", Member::Pairs(env.clone()))));
            members.extend(cwd.clone().map(|cwd| ("cwd", Member::Text(cwd))));
        }
        (Reach::Url { url, headers }, Some(member)) => {
            members.extend(
                row.has_type
                    .then(|| ("type", Member::Text("http".to_owned()))),
            );
            members.push((member, Member::Text(url.clone())));
            let given = (!headers.is_empty()).then(|| Member::Pairs(headers.clone()));
            members.extend(given.map(|headers| (row.headers, headers)));
        }
        (Reach::Url { url, headers }, None) => {
            let mut args = ["-y", "mcp-remote", url].map(str::to_owned).to_vec();
            for (name, value) in headers {
                args.extend(["--header".to_owned(), format!("{name}: {value}")]);
            }
            members.push(("command", Member::Text("npx".to_owned())));
            members.push(("args", Member::Texts(args)));
        }
    }
    members
}

/// The entry in JSON.
pub(super) fn json(members: EntryMembers) -> CstInputValue {
    let members = members.into_iter().map(|(name, member)| {
        let value = match member {
            Member::Text(text) => CstInputValue::String(text),
            Member::Texts(texts) => {
                CstInputValue::Array(texts.into_iter().map(CstInputValue::String).collect())
            }
            Member::Pairs(pairs) => {
                let pairs = pairs.into_iter();
                let pairs = pairs.map(|(name, value)| (name, CstInputValue::String(value)));
                CstInputValue::Object(pairs.collect())
            }
        };
        (name.to_owned(), value)
    });
    CstInputValue::Object(members.collect())
}

/// The lines of the entry in TOML.
pub(super) fn toml(members: &EntryMembers) -> String {
    let mut lines = String::new();
    for (name, member) in members {
        let value = match member {
            Member::Text(text) => toml_text(text),
            Member::Texts(texts) => {
                let texts: Vec<_> = texts.iter().map(|text| toml_text(text)).collect();
                format!("[{}]", texts.join(", "))
            }
            Member::Pairs(pairs) => {
                let pairs = pairs.iter();
                let pairs =
                    pairs.map(|(name, value)| format!("{} = {}", toml_key(name), toml_text(value)));
                format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
            }
        };
        // Writing to a string can't fail.
        let _ = writeln!(lines, "{name} = {value}");
    }
    lines
}

/// Text in quotes. The escapes of JSON are those of TOML, which wants one more.
fn toml_text(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A key, in quotes if it must be.
pub(super) fn toml_key(name: &str) -> String {
    let is_bare = |it: char| it.is_ascii_alphanumeric() || "-_".contains(it);
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => toml_text(name),
    }
}
