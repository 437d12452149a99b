//! An entry in a host's spelling, with its members in the usual order.

use std::fmt::Write;

use jsonc_parser::cst::CstInputValue;
use serde_json::json;

use super::hosts::{HostRow, VariableSpelling, row};
use super::reach::Reach;
use super::spelled::{bearer, whole};
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
            let is_passed_on = |(name, value): &&(String, String)| {
                row.variables == VariableSpelling::Members && whole(value) == Some(name)
            };
            let (passed, own): (Vec<_>, Vec<_>) = env.iter().partition(is_passed_on);
            let own: Vec<_> = own.into_iter().cloned().collect();
            members.extend((!own.is_empty()).then_some(("env", Member::Pairs(own))));
            let passed: Vec<_> = passed.into_iter().map(|(name, _)| name.clone()).collect();
            members.extend((!passed.is_empty()).then_some(("env_vars", Member::Texts(passed))));
            members.extend(cwd.clone().map(|cwd| ("cwd", Member::Text(cwd))));
        }
        (Reach::Url { url, headers }, Some(member)) => {
            members.extend(
                row.has_type
                    .then(|| ("type", Member::Text("http".to_owned()))),
            );
            members.push((member, Member::Text(url.clone())));
            members.extend(header_members(&row, headers));
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

/// The members for headers.
fn header_members(row: &HostRow, headers: &[(String, String)]) -> EntryMembers {
    let (mut own, mut named) = (Vec::new(), Vec::new());
    let mut members = EntryMembers::new();
    for (name, value) in headers {
        let has_members = row.variables == VariableSpelling::Members;
        match (bearer(name, value), whole(value)) {
            (Some(variable), _) if has_members => {
                members.push(("bearer_token_env_var", Member::Text(variable.to_owned())));
            }
            (_, Some(variable)) if has_members => named.push((name.clone(), variable.to_owned())),
            _ => own.push((name.clone(), value.clone())),
        }
    }
    let pairs = [(row.headers, own), ("env_http_headers", named)];
    let pairs = pairs.into_iter().filter(|(_, pairs)| !pairs.is_empty());
    members.extend(pairs.map(|(member, pairs)| (member, Member::Pairs(pairs))));
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

/// Text in quotation marks. TOML has the escapes of JSON, and requires one more.
fn toml_text(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A key, in quotation marks if necessary.
pub(super) fn toml_key(name: &str) -> String {
    let is_bare = |it: char| it.is_ascii_alphanumeric() || "-_".contains(it);
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => toml_text(name),
    }
}
