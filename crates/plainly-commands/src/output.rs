//! Standard output: results as text for users and scripts, or as JSON. No other code writes to it,
//! and control characters in a server's texts never reach a terminal.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::Path;

use anstyle::Style;
use console::Term;
use serde::Serialize;
use textwrap::{WordSeparator, WordSplitter};

use crate::failure::Failure;
use crate::format::Format;
use crate::picture;
use crate::terminal::aside;
use crate::visible::{deceives, visible, visible_json};
use crate::whole_file;

/// Standard output.
#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<Standard>,
    format: Format,
    is_terminal: bool,
    /// The width of the terminal in characters, if it is one.
    width: Option<usize>,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let size = Term::stdout().size_checked().filter(|_| is_terminal);
        Self {
            is_terminal,
            width: size.map(|(_, columns)| columns.into()),
            out: BufWriter::new(Standard(stdout)),
            format,
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format.is_json()
    }

    /// Whether a listing is a table for the user.
    pub(crate) fn is_table(&self) -> bool {
        self.is_terminal && !self.is_json()
    }

    /// Whether standard output is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// A line of several fields, separated by tabs. No field can contain a tab or a line break.
    pub(crate) fn fields(&mut self, fields: &[&str]) -> Result<(), Failure> {
        let line = fields
            .iter()
            .map(|field| visible(field))
            .collect::<Vec<_>>();
        self.write(format!("{}\n", line.join("\t")).as_bytes())
    }

    /// The head of a table, on a terminal only.
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

    /// A row, in columns on a terminal, as exact fields for a script.
    pub(crate) fn row<const N: usize>(
        &mut self,
        fields: [&str; N],
        columns: fn([&str; N]) -> String,
    ) -> Result<(), Failure> {
        match self.is_table() {
            true => {
                let line = self.in_columns(fields, columns);
                self.styled(Style::new(), &line)
            }
            false => self.fields(&fields),
        }
    }

    /// A row that starts with a name, which is highlighted on a terminal.
    pub(crate) fn entry<const N: usize>(
        &mut self,
        fields: [&str; N],
        columns: fn([&str; N]) -> String,
    ) -> Result<(), Failure> {
        if !self.is_table() {
            return self.fields(&fields);
        }
        let line = self.in_columns(fields, columns);
        let name = fields.first().map(|name| visible(name)).unwrap_or_default();
        let rest = line.strip_prefix(&name).unwrap_or(&line).to_owned();
        let name = &line[..line.len() - rest.len()];
        let style = Self::style(Style::new().bold());
        self.write(format!("{style}{name}{style:#}{rest}\n").as_bytes())
    }

    /// The fields in columns. If the last one is too long, its other lines are indented.
    fn in_columns<const N: usize>(
        &self,
        fields: [&str; N],
        columns: fn([&str; N]) -> String,
    ) -> String {
        // Characters are escaped before columns are made, because escapes need more room.
        let visible = fields.map(visible);
        let mut fields = visible.each_ref().map(String::as_str);
        let line = columns(fields);
        if let Some(last) = fields.last_mut() {
            *last = "";
        }
        self.wrapped(&line, textwrap::core::display_width(&columns(fields)))
    }

    /// The line, wrapped between words to fit the terminal. Its other lines are indented.
    fn wrapped(&self, line: &str, indent: usize) -> String {
        let Some(width) = self.width.filter(|_| self.is_table()) else {
            return line.to_owned();
        };
        let indent = " ".repeat(indent.min(width / 2));
        let options = textwrap::Options::new(width)
            .break_words(false)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            .subsequent_indent(&indent);
        textwrap::fill(line, options)
    }

    /// Prose, wrapped between words to fit the terminal.
    pub(crate) fn prose(&mut self, text: &str) -> Result<(), Failure> {
        self.paragraphs("", text.trim())
    }

    /// Text after a label, with each line below the previous one.
    pub(crate) fn paragraphs(&mut self, label: &str, text: &str) -> Result<(), Failure> {
        let mut label = if label.is_empty() {
            String::new()
        } else {
            format!("{label:<14}")
        };
        let margin = " ".repeat(label.len());
        for line in text.lines() {
            let line = line.replace('\t', "    ");
            let indent = line.len() - line.trim_start().len();
            let line = format!("{label}{}", visible(&line));
            let line = self.wrapped(&line, margin.len() + indent);
            self.write(format!("{}\n", line.trim_end()).as_bytes())?;
            label.clone_from(&margin);
        }
        Ok(())
    }

    /// The known facts, each on a separate line.
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

    /// A line with a label, for showing one thing.
    pub(crate) fn labelled(&mut self, label: &str, value: &str) -> Result<(), Failure> {
        self.write(format!("{label:<14}{}\n", visible(value)).as_bytes())
    }

    /// A line that may contain this program's own escape sequences.
    pub(crate) fn styled(&mut self, style: Style, line: &str) -> Result<(), Failure> {
        let style = Self::style(style);
        self.write(format!("{style}{line}{style:#}\n").as_bytes())
    }

    /// The style, or none if `NO_COLOR` is set or the terminal does not support it.
    fn style(style: Style) -> Style {
        let is_plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
        if is_plain { Style::new() } else { style }
    }

    /// One JSON value: on one line, or indented.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = match self.format {
            Format::Indented => serde_json::to_string_pretty(value),
            Format::Json | Format::Text => serde_json::to_string(value),
        };
        let text =
            text.map_err(|error| Failure::caused("cannot write the result as JSON", error))?;
        let mut lines = text.lines();
        lines.try_for_each(|line| self.write(format!("{}\n", visible_json(line)).as_bytes()))
    }

    /// The text, unchanged. On a terminal, control characters are escaped.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        if !self.is_terminal {
            return self.write(text.as_bytes());
        }
        // Line breaks and tabs are text. Any other control character may begin a command to the
        // terminal.
        let is_harmless = |character: char| match character.is_control() {
            true => "\n\t".contains(character),
            false => !deceives(character),
        };
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

    /// The text, followed by a line break unless it ends with one.
    pub(crate) fn lines(&mut self, text: &str) -> Result<(), Failure> {
        self.text(text)?;
        match text.ends_with('\n') {
            true => Ok(()),
            false => self.write(b"\n"),
        }
    }

    /// Shows an image, if this is a terminal that supports images.
    pub(crate) fn picture(&mut self, file: &[u8]) -> Result<(), Failure> {
        match picture::sequence(file).filter(|_| self.is_terminal) {
            Some(sequence) => self.write(sequence.as_bytes()),
            None => Ok(()),
        }
    }

    /// Writes bytes unchanged to the file; `-` is standard output.
    pub(crate) fn write_to(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        match path == Path::new("-") {
            true => self.write(bytes),
            false => whole_file::write(path, bytes).map_err(|error| Failure::file(path, error)),
        }
    }

    /// Writes bytes unchanged.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write_all(bytes).map_err(Failure::output)
    }

    /// Sends everything that was written so far to the reader.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::output)
    }
}

/// The stream itself, which may be the terminal with the moving line.
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
