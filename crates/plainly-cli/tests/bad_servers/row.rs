//! A row of the table: the actions of a server, the command, and what the user sees.

use std::fmt::Write;

use plainly_peer::message;
use serde_json::{Value, json};

/// The names that are no methods of the client, and that `*` does not include.
const OWN: [&str; 4] = ["start", "end", "GET", "DELETE"];

/// One bad server.
#[derive(Debug)]
pub(crate) struct Row {
    /// A description of the server.
    pub(crate) title: String,
    /// The text of the row before the expected result.
    pub(crate) text: String,
    /// The command lines, each with the same outcome.
    pub(crate) commands: Vec<Vec<String>>,
    /// The expected display for the user.
    pub(crate) expected: String,
    /// The heading of the next rows, if a new section starts after this row.
    pub(crate) heading: String,
    /// The server's actions by the method of the message. If there are several for one method, the
    /// second one is for the second message, and the last one for all later ones.
    acts: Vec<(String, Vec<String>)>,
    /// The revision, if the server is a legacy one.
    legacy: Option<String>,
}

/// The rows of the table.
pub(crate) fn all(table: &str) -> Vec<Row> {
    let rows = table.split("\n## ").skip(1);
    rows.map(Row::read).collect()
}

impl Row {
    fn read(text: &str) -> Self {
        let (title, _) = text.split_once('\n').unwrap_or((text, ""));
        let (text, heading) = text.split_at(text.find("\n\n# ").unwrap_or(text.len()));
        let end = text.find("\n= ").map_or(text.len(), |end| end + 1);
        let (script, expected) = text.split_at(end);
        let mut row = Self {
            title: title.to_owned(),
            text: format!("{}\n", script.trim_end()),
            commands: Vec::new(),
            expected: format!("{}\n", expected.trim_end()),
            heading: heading.trim().to_owned(),
            acts: Vec::new(),
            legacy: None,
        };
        for line in script.lines().skip(1) {
            row.line(line);
        }
        row
    }

    fn line(&mut self, line: &str) {
        if let Some(command) = line.strip_prefix("$ ") {
            self.commands.push(words(command));
        } else if let Some(revision) = line.strip_prefix("legacy ") {
            self.legacy = Some(revision.to_owned());
        } else if let Some(step) = line.strip_prefix("  ") {
            let act = self.acts.last_mut().expect("a step of nothing");
            act.1.push(step.to_owned());
        } else if !line.is_empty() && !line.starts_with("# ") {
            let (method, step) = line.split_once(": ").expect(line);
            let step = step.to_owned();
            self.acts.push((method.to_owned(), vec![step]));
        }
    }

    /// The steps for message number `nth` with this method, counted from 0.
    pub(crate) fn steps(&self, method: &str, nth: usize) -> Vec<String> {
        let any = if OWN.contains(&method) { method } else { "*" };
        for name in [method, any] {
            let acts = self.acts.iter().filter(|(of, _)| of == name);
            let acts: Vec<_> = acts.map(|(_, steps)| steps).collect();
            if let Some(steps) = acts.get(nth).or(acts.last()) {
                return steps.iter().map(|step| (*step).clone()).collect();
            }
        }
        vec![self.well_behaved(method)]
    }

    /// The answer of a correct server.
    fn well_behaved(&self, method: &str) -> String {
        let everything =
            json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}, "logging": {}});
        let result: Value = match (method, &self.legacy) {
            ("start" | "end", _) => return "nothing".to_owned(),
            ("answer", _) => return "accept".to_owned(),
            ("GET" | "DELETE", _) => return "http 405 Method Not Allowed".to_owned(),
            (notification, _) if notification.starts_with("notifications/") => {
                return "accept".to_owned();
            }
            ("server/discover", Some(_)) | ("initialize", None) => {
                return r#"error {"code":-32601,"message":"Method not found"}"#.to_owned();
            }
            ("server/discover", None) => message::discovered(everything),
            ("initialize", Some(version)) => message::initialized(version, everything),
            _ => message::least(method),
        };
        format!("result {result}")
    }
}

/// The words of a command line. Words with spaces are in quotation marks.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The exit status; `None` if the command had to be killed.
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The result in the form of the table.
    pub(crate) fn text(&self) -> String {
        let status = self.status.map(|status| status.to_string());
        let mut text = format!("= {}\n", status.as_deref().unwrap_or("killed"));
        for (mark, said) in [("!", &self.stderr), ("|", &self.stdout)] {
            for line in said.split_inclusive('\n') {
                let line = line.strip_suffix('\n').unwrap_or(line);
                let _ = match line {
                    "" => writeln!(text, "{mark}"),
                    line => writeln!(text, "{mark} {line}"),
                };
            }
        }
        text
    }
}

/// Whether `seen` is as expected, line by line. `[..]` stands for any text.
pub(crate) fn is_as_expected(expected: &str, seen: &str) -> bool {
    let (mut expected, mut seen) = (expected.lines(), seen.lines());
    loop {
        match (expected.next(), seen.next()) {
            (None, None) => return true,
            (Some(expected), Some(seen)) if matches(expected, seen) => {}
            _ => return false,
        }
    }
}

fn matches(expected: &str, seen: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == seen,
        Some((before, after)) => seen.strip_prefix(before).is_some_and(|rest| {
            let mut places = rest.char_indices().map(|(at, _)| at);
            places.any(|at| matches(after, &rest[at..])) || matches(after, "")
        }),
    }
}
