//! Standard output: results as text for people and scripts, or as JSON. Nothing else writes there, and nothing that a
//! server says reaches a terminal as a command to it.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use anstyle::Style;
use serde::Serialize;

use crate::failure::Failure;
use crate::format::Format;
use crate::terminal::aside;
use crate::visible::{visible, visible_json};

/// Standard output.
#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<Standard>,
    format: Format,
    is_terminal: bool,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        let stdout = io::stdout();
        Self {
            is_terminal: stdout.is_terminal(),
            out: BufWriter::new(Standard(stdout)),
            format,
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Whether a listing is for people.
    pub(crate) fn is_table(&self) -> bool {
        self.is_terminal && !self.is_json()
    }

    /// Whether a person looks at it.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// A line of several fields, with tabs between them. No field can break out of its place.
    pub(crate) fn fields(&mut self, fields: &[&str]) -> Result<(), Failure> {
        let line = fields
            .iter()
            .map(|field| visible(field))
            .collect::<Vec<_>>();
        self.write(format!("{}\n", line.join("\t")).as_bytes())
    }

    /// The head of a table, which only people need.
    pub(crate) fn head<const N: usize>(
        &mut self,
        names: [&str; N],
        columns: fn([&str; N]) -> String,
    ) -> Result<(), Failure> {
        match self.is_table() {
            true => self.styled(Style::new().bold(), &columns(names)),
            false => Ok(()),
        }
    }

    /// A row: in columns for people, as exact fields for a script.
    pub(crate) fn row<const N: usize>(
        &mut self,
        fields: [&str; N],
        columns: fn([&str; N]) -> String,
    ) -> Result<(), Failure> {
        if !self.is_table() {
            return self.fields(&fields);
        }
        // Before the columns are made: what is written out takes more room.
        let visible = fields.map(visible);
        let line = columns(visible.each_ref().map(String::as_str));
        self.styled(Style::new(), &line)
    }

    /// Each of the facts that is known, on a line of its own.
    pub(crate) fn facts<'a>(
        &mut self,
        facts: impl IntoIterator<Item = (&'a str, Option<String>)>,
    ) -> Result<(), Failure> {
        for (label, value) in facts {
            if let Some(value) = value {
                self.labelled(label, &value)?;
            }
        }
        Ok(())
    }

    /// A line with a label, for people to look up one thing.
    pub(crate) fn labelled(&mut self, label: &str, value: &str) -> Result<(), Failure> {
        self.write(format!("{label:<14}{}\n", visible(value)).as_bytes())
    }

    /// A line that may have our own escape sequences in it.
    pub(crate) fn styled(&mut self, style: Style, line: &str) -> Result<(), Failure> {
        // `NO_COLOR` and simple terminals want none.
        let is_plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
        let style = if is_plain { Style::new() } else { style };
        self.write(format!("{style}{line}{style:#}\n").as_bytes())
    }

    /// One JSON value on a line of its own.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(value)
            .map_err(|error| Failure::caused("cannot write the result as JSON", error))?;
        self.write(visible_json(&line).as_bytes())?;
        self.write(b"\n")
    }

    /// Text exactly as it came, unless a terminal would take parts of it for commands.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        if !self.is_terminal {
            return self.write(text.as_bytes());
        }
        // Line breaks and tabs are text. Any other control character may begin a command to the terminal.
        let is_harmless = |character: char| !character.is_control() || "\n\t".contains(character);
        let shown: String = text
            .split_inclusive(is_harmless)
            .map(|part| match part.chars().next_back() {
                Some(last) if is_harmless(last) => {
                    let (before, last) = part.split_at(part.len() - last.len_utf8());
                    visible(before) + last
                }
                Some(_) | None => visible(part),
            })
            .collect();
        self.write(shown.as_bytes())
    }

    /// Text, and a line break after it unless it has one.
    pub(crate) fn lines(&mut self, text: &str) -> Result<(), Failure> {
        self.text(text)?;
        match text.ends_with('\n') {
            true => Ok(()),
            false => self.write(b"\n"),
        }
    }

    /// Bytes exactly.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write_all(bytes).map_err(Failure::output)
    }

    /// Lets the reader have what was written so far.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::output)
    }
}

/// The stream itself, which may be the terminal where something moves.
#[derive(Debug)]
struct Standard(Stdout);

impl Write for Standard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        aside(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        aside(|| self.0.flush())
    }
}
