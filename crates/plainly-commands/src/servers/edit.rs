//! Adds entries to the text of a host's file, and removes them. Everything else is preserved:
//! comments, order, line ends.

use std::ops::Range;
use std::path::Path;

use jsonc_parser::cst::{CstInputValue, CstRootNode};
use toml_edit::{Document, Item, Table, TomlError};

use super::hosts::row;
use super::reach::Reach;
use super::spelling::{self, members, toml_key};
use super::syntax::{Syntax, commented};
use crate::args::Host;

/// The reason why a text was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EditRefusal {
    /// The text has an entry with this name.
    Exists,
    /// The text has no entry with this name.
    Missing,
    /// The host can't read it, or it has a form in which entries can't be added or removed.
    Unsuitable(String),
}

/// The text with an entry for the server, in the host's spelling. If `is_replaced`, it may replace
/// another entry with the same name. The text is unchanged if it already has this entry.
pub(crate) fn add(
    host: Host,
    text: &str,
    name: &str,
    reach: &Reach,
    is_replaced: bool,
) -> Result<String, EditRefusal> {
    let entry = members(host, reach);
    let row = row(host);
    let (added, is_there) = match row.syntax {
        Syntax::Json => with_member(text, row.key, name, spelling::json(entry))?,
        Syntax::Toml => {
            let (cut, is_there) = match without_table(text, row.key, name) {
                Ok(cut) => (cut, true),
                Err(EditRefusal::Missing) => (text.to_owned(), false),
                Err(other) => return Err(other),
            };
            let added = with_table(&cut, row.key, name, &spelling::toml(&entry));
            // All servers may be in one line, to which no table can be added.
            toml_root(&added)?;
            (added, is_there)
        }
    };
    match is_there {
        true if means_the_same(row.syntax, text, &added) => Ok(text.to_owned()),
        true if !is_replaced => Err(EditRefusal::Exists),
        _ => Ok(added),
    }
}

/// The text without the entry with this name.
pub(crate) fn remove(host: Host, text: &str, name: &str) -> Result<String, EditRefusal> {
    let row = row(host);
    match row.syntax {
        Syntax::Json => {
            let (mark, root) = json_root(text)?;
            let servers = root.object_value();
            let servers = servers.and_then(|root| root.object_value(row.key));
            let entry = servers.and_then(|servers| servers.get(name));
            entry.ok_or(EditRefusal::Missing)?.remove();
            Ok(format!("{mark}{root}"))
        }
        Syntax::Toml => without_table(text, row.key, name),
    }
}

/// The text with a member below `key`, and whether there was a member with this name before.
fn with_member(
    text: &str,
    key: &str,
    name: &str,
    entry: CstInputValue,
) -> Result<(String, bool), EditRefusal> {
    let (mark, root) = json_root(text)?;
    let servers = root.object_value_or_create();
    let servers = servers.and_then(|root| root.object_value_or_create(key));
    let servers = servers.ok_or_else(|| {
        EditRefusal::Unsuitable(format!("it has no room for {key}, which is not an object"))
    })?;
    let before = servers.get(name);
    match &before {
        Some(before) => before.set_value(entry),
        None => drop(servers.append(name, entry)),
    }
    Ok((format!("{mark}{root}"), before.is_some()))
}

/// Whether both texts can be read, and have equal contents.
fn means_the_same(syntax: Syntax, one: &str, other: &str) -> bool {
    let read = |text| syntax.read(Path::new(""), text);
    matches!((read(one), read(other)), (Ok(one), Ok(other)) if one == other)
}

/// The byte order mark that some editors write, and the syntax tree of the text after it.
fn json_root(text: &str) -> Result<(&str, CstRootNode), EditRefusal> {
    let after = text.trim_start_matches('\u{feff}');
    let (mark, _) = text.split_at(text.len() - after.len());
    let after = match after.trim().is_empty() {
        true => "{}\n",
        false => after,
    };
    let root = CstRootNode::parse(after, &commented());
    let root = root.map_err(|error| EditRefusal::Unsuitable(error.to_string()))?;
    Ok((mark, root))
}

fn toml_root(text: &str) -> Result<Document<&str>, EditRefusal> {
    let root = Document::parse(text);
    root.map_err(|error: TomlError| EditRefusal::Unsuitable(error.message().to_owned()))
}

/// The text with a table after all others.
fn with_table(text: &str, key: &str, name: &str, lines: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match text {
        "" => String::new(),
        _ if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let table = format!("[{key}.{}]\n{lines}", toml_key(name));
    format!("{text}{gap}{}", table.replace('\n', end))
}

/// The text without a table and the tables below it, which are removed line by line.
fn without_table(text: &str, key: &str, name: &str) -> Result<String, EditRefusal> {
    let root = toml_root(text)?;
    let entry = root.get(key).and_then(|servers| servers.get(name));
    let mut ranges = Vec::new();
    match entry {
        None | Some(Item::None) => return Err(EditRefusal::Missing),
        Some(Item::Table(table)) if !table.is_dotted() => sections(table, &mut ranges),
        Some(_) => {
            let why = format!("{key}.{name} is not a table of its own: change it by hand");
            return Err(EditRefusal::Unsuitable(why));
        }
    }
    ranges.sort_by_key(|range| range.start);
    let mut kept = text.to_owned();
    for range in ranges.into_iter().rev() {
        kept.replace_range(whole_lines(text, range), "");
    }
    Ok(kept)
}

/// The ranges of a table and the tables below it, each from its header to its last value.
fn sections(table: &Table, ranges: &mut Vec<Range<usize>>) {
    if let Some(head) = table.span() {
        let values = table.iter().filter(|(_, item)| !item.is_table());
        let ends = values.filter_map(|(_, item)| Some(item.span()?.end));
        ranges.push(head.start..ends.fold(head.end, usize::max));
    }
    for (_, item) in table.iter() {
        if let Some(table) = item.as_table() {
            sections(table, ranges);
        }
    }
}

/// The lines of a range, and the empty line before them.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let above = text.get(..start).unwrap_or_default();
    let empty = ["\r\n", "\n"].into_iter().find(|end| {
        let rest = above.strip_suffix(end);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'))
    });
    let after = text.get(range.end..).unwrap_or_default();
    let end = after.find('\n').map_or(text.len(), |at| range.end + at + 1);
    start - empty.map_or(0, str::len)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach() -> Reach {
        Reach::Command {
            program: "p".to_owned(),
            args: vec!["a b".to_owned(), "\"\\ü".to_owned()],
            env: vec![("K.1".to_owned(), "v".to_owned())],
            cwd: None,
        }
    }

    #[test]
    fn what_is_added_is_taken_away_byte_for_byte() {
        let json = [
            "{\n  // mine\n  \"mcpServers\": {\n    \"o\": {\"command\": \"x\"} // one\n    // last\n  }\n}\n",
            "\u{feff}{\r\n\t\"a\": [1, 2],\r\n\t\"mcpServers\": {\r\n\t\t\"o\": {\r\n\t\t\t\"command\": \"x\"\r\n\t\t}\r\n\t},\r\n\t\"z\": 1\r\n}",
            "// first\n{\n    \"mcpServers\": {\n        \"o\": { \"command\": \"x\", },\n    }, /* here */\n}\n// after",
            "{\n  \"b\": 1, \"a\": 1e3,\n  \"mcpServers\": {}\n}\n",
            "{\n  \"mcpServers\": {\n    // nothing yet\n  }\n}\n",
        ];
        let toml = [
            "",
            "# mine\nmodel = \"x\"   # why\n\n\n[tui]\na = 1\n\n# last\n",
            "model = \"x\"\r\n\r\n[mcp_servers.o] # one\r\ncommand = \"x\"\r\n\r\n# end\r\n",
            "[mcp_servers]\n",
            "mcp_servers.o.command = \"x\"\n",
        ];
        let all = json
            .map(|text| (Host::Cursor, text))
            .into_iter()
            .chain(toml.map(|text| (Host::Codex, text)));
        for (host, text) in all {
            for name in ["docs", "a.b c\"ü"] {
                let added = add(host, text, name, &reach(), false).unwrap();
                let again = add(host, &added, name, &reach(), false);
                assert_eq!(again.as_deref(), Ok(&*added));
                let read = row(host).syntax.read("f".as_ref(), &added).unwrap();
                let entry = super::super::entry::Entry::read(&read[row(host).key][name]).unwrap();
                assert_eq!(entry.reach, reach(), "{added}");
                assert_eq!(remove(host, &added, name).as_deref(), Ok(text), "{added}");
                assert_eq!(
                    remove(host, text, name),
                    Err(EditRefusal::Missing),
                    "{text}"
                );
                let other = Reach::url("http://h/".to_owned());
                let refused = add(host, &added, name, &other, false);
                assert_eq!(refused, Err(EditRefusal::Exists), "{added}");
                let replaced = add(host, &added, name, &other, true).unwrap();
                assert_eq!(
                    remove(host, &replaced, name).as_deref(),
                    Ok(text),
                    "{replaced}"
                );
            }
        }
    }

    #[test]
    fn another_entry_is_no_less_another_where_the_rest_can_not_be_read() {
        let text = "{\"mcpServers\": {\"docs\": {\"command\": \"old\"}}, \"x\": 1e999}";
        assert_eq!(
            add(Host::Cursor, text, "docs", &reach(), false),
            Err(EditRefusal::Exists)
        );
        let replaced = add(Host::Cursor, text, "docs", &reach(), true).unwrap();
        assert!(
            !replaced.contains("old") && replaced.contains("1e999"),
            "{replaced}"
        );
    }

    #[test]
    fn tables_are_cut_out_with_those_below_them() {
        let text = "a = 1\n\n# its comment stays\n[mcp_servers.docs]\ncommand = \"x\"\nargs = [\n  \"]\", # one\n] # two\n\n[mcp_servers.docs.env]\nK = \"v\"\n\n[mcp_servers.o]\ncommand = \"y\"\n";
        let left = "a = 1\n\n# its comment stays\n\n[mcp_servers.o]\ncommand = \"y\"\n";
        assert_eq!(remove(Host::Codex, text, "docs").as_deref(), Ok(left));
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        for (host, text) in [
            (Host::Cursor, "[]"),
            (Host::Cursor, "{\"mcpServers\": []}"),
            (Host::Cursor, "{\"mcpServers\": "),
            (Host::Codex, "a = "),
            (Host::Codex, "mcp_servers = { o = { command = \"x\" } }"),
            (Host::Codex, "mcp_servers.docs.command = \"x\"\n"),
        ] {
            let refused = add(host, text, "docs", &reach(), true);
            assert!(
                matches!(refused, Err(EditRefusal::Unsuitable(_))),
                "{text}: {refused:?}"
            );
        }
    }
}
