//! Converts Jupyter notebooks to Markdown: Markdown cells unchanged, and code with its output.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::markdown::fence;
use super::{ConvertError, Converter, Draft, Original};

/// Converts Jupyter notebooks (`.ipynb`, format 4) to `text/markdown`: Markdown cells unchanged,
/// code in fences with its language, and the text output of code. Images and similar output are
/// represented by their types.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Notebook;

impl Notebook {
    /// Creates the converter.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

/// A notebook.
#[derive(Deserialize)]
struct Contents<'a> {
    nbformat: u32,
    #[serde(default)]
    metadata: Metadata,
    #[serde(borrow)]
    cells: Vec<NotebookCell<'a>>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    language_info: Named,
    #[serde(default)]
    kernelspec: Kernel,
}

#[derive(Default, Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
}

#[derive(Default, Deserialize)]
struct Kernel {
    #[serde(default)]
    language: String,
}

#[derive(Deserialize)]
struct NotebookCell<'a> {
    cell_type: Cow<'a, str>,
    #[serde(default)]
    source: Lines,
    #[serde(default, borrow)]
    outputs: Vec<Printed<'a>>,
}

/// An output of code.
#[derive(Deserialize)]
struct Printed<'a> {
    output_type: Cow<'a, str>,
    #[serde(default)]
    text: Lines,
    /// The output in several formats, by MIME type. Raw values, because images are large and not
    /// needed.
    #[serde(default, borrow)]
    data: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(default)]
    ename: String,
    #[serde(default)]
    evalue: String,
    #[serde(default)]
    traceback: Vec<String>,
}

/// A text, given as one string or as a list of lines.
#[derive(Default)]
struct Lines(String);

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LinesVisitor)
    }
}

struct LinesVisitor;

impl<'de> Visitor<'de> for LinesVisitor {
    type Value = Lines;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or its lines")
    }

    fn visit_str<E>(self, text: &str) -> Result<Lines, E> {
        Ok(Lines(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lines: A) -> Result<Lines, A::Error> {
        let mut text = String::new();
        while let Some(line) = lines.next_element::<Cow<'_, str>>()? {
            text.push_str(&line);
        }
        Ok(Lines(text))
    }
}

impl Converter for Notebook {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        (mime_type == "application/x-ipynb+json").then_some("text/markdown")
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let notebook: Contents<'_> = serde_json::from_slice(original.content)?;
        if notebook.nbformat != 4 {
            return Err(format!("it has format {}, not 4", notebook.nbformat).into());
        }
        let named = [
            notebook.metadata.language_info.name,
            notebook.metadata.kernelspec.language,
        ];
        let language = named.iter().find(|name| is_name(name));
        let language = language.map_or("", String::as_str);
        let mut page = NotebookPage {
            draft,
            is_empty: true,
        };
        for cell in notebook.cells {
            page.draft.check()?;
            let source = cell.source.0;
            match &*cell.cell_type {
                "code" => page.code(language, &source)?,
                _ => page.block(&source)?,
            }
            for output in cell.outputs {
                page.output(output)?;
            }
        }
        Ok(())
    }
}

/// Whether this is a valid name of a language after a fence.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || "+-#._".contains(letter))
}

/// The Markdown, written block by block.
struct NotebookPage<'a, 'd> {
    draft: &'a mut Draft<'d>,
    is_empty: bool,
}

impl NotebookPage<'_, '_> {
    /// Writes Markdown unchanged.
    fn block(&mut self, markdown: &str) -> fmt::Result {
        let markdown = markdown.trim_matches('\n').trim_end();
        if markdown.is_empty() {
            return Ok(());
        }
        if !self.is_empty {
            self.draft.write_char('\n')?;
        }
        self.is_empty = false;
        writeln!(self.draft, "{markdown}")
    }

    fn code(&mut self, language: &str, code: &str) -> fmt::Result {
        let code = code.trim_matches('\n').trim_end();
        if code.is_empty() {
            return Ok(());
        }
        let fence = fence(code, 3);
        self.block(&format!("{fence}{language}\n{code}\n{fence}"))
    }

    fn output(&mut self, output: Printed<'_>) -> Result<(), ConvertError> {
        if output.output_type == "error" {
            let traceback = output.traceback.join("\n");
            let message = format!("{}: {}", output.ename, output.evalue);
            let told = if traceback.is_empty() {
                message
            } else {
                traceback
            };
            return Ok(self.code("text", &without_colours(&told))?);
        }
        let mut text = None;
        for (mime_type, content) in output.data {
            match &*mime_type {
                "text/markdown" | "text/plain" if text.is_none() => {
                    let lines: Lines = serde_json::from_str(content.get())?;
                    // Uses the first text format, in the order of their names.
                    text = Some((mime_type, lines.0));
                }
                "text/plain" => {}
                // These formats repeat the text for browsers.
                "text/html" | "text/latex" | "application/javascript" => {}
                _ => self.block(&format!("[{mime_type}]"))?,
            }
        }
        match text {
            Some((mime_type, text)) if mime_type == "text/markdown" => self.block(&text)?,
            Some((_, text)) => self.code("text", &without_colours(&text))?,
            None => self.code("text", &without_colours(&output.text.0))?,
        }
        Ok(())
    }
}

/// Removes the terminal codes for colours from a text.
fn without_colours(text: &str) -> Cow<'_, str> {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default();
    if first.len() == text.len() {
        return text.into();
    }
    let mut plain = first.to_owned();
    for piece in pieces {
        let end = piece.find(|letter: char| ('@'..='~').contains(&letter));
        plain.push_str(end.and_then(|end| piece.get(end + 1..)).unwrap_or_default());
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tests::converted;

    const TYPE: &str = "application/x-ipynb+json";

    fn markdown(cells: &Value) -> String {
        let notebook = json!({
            "nbformat": 4, "nbformat_minor": 5, "cells": cells,
            "metadata": { "kernelspec": { "name": "python3", "language": "python" } },
        });
        converted(&Notebook, TYPE, notebook.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn cells_are_markdown_in_their_order() {
        let cells = json!([
            { "cell_type": "markdown", "source": ["# Title\n", "\n", "Some *text*."], "metadata": {} },
            { "cell_type": "code", "source": "x = 1\nprint(x)", "execution_count": 1, "metadata": {}, "outputs": [
                { "output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"] },
            ] },
            { "cell_type": "raw", "source": "raw words" },
            { "cell_type": "code", "source": [] },
            { "cell_type": "code", "source": "s = '''\n```\n'''" },
        ]);
        assert_eq!(
            markdown(&cells),
            "# Title\n\nSome *text*.\n\n```python\nx = 1\nprint(x)\n```\n\n```text\n1\n2\n```\n\nraw words\n\n\
             ````python\ns = '''\n```\n'''\n````\n"
        );
    }

    #[test]
    fn outputs_are_text_and_pictures_are_named() {
        let cells = json!([{ "cell_type": "code", "source": "plot()", "outputs": [
            { "output_type": "execute_result", "execution_count": 2, "data": {
                "image/png": "iVBORw0KGgo=", "text/html": "<b>x</b>", "text/plain": ["<Figure>"] } },
            { "output_type": "display_data", "data": { "text/markdown": "**bold**", "text/plain": "x" } },
            { "output_type": "error", "ename": "E", "evalue": "why", "traceback": ["\u{1b}[0;31mE\u{1b}[0m: why", "at 1"] },
            { "output_type": "error", "ename": "E", "evalue": "why", "traceback": [] },
        ] }]);
        assert_eq!(
            markdown(&cells),
            "```python\nplot()\n```\n\n[image/png]\n\n```text\n<Figure>\n```\n\n**bold**\n\n```text\nE: why\nat 1\n```\n\n\
             ```text\nE: why\n```\n"
        );
    }

    #[test]
    fn each_language_has_its_name_and_nothing_else_is_one() {
        for (metadata, fence) in [
            (
                json!({ "language_info": { "name": "julia" } }),
                "```julia\n",
            ),
            (
                json!({ "language_info": { "name": "a\n# b" }, "kernelspec": { "language": "R" } }),
                "```R\n",
            ),
            (json!({}), "```\n"),
        ] {
            let notebook = json!({ "nbformat": 4, "metadata": metadata,
                "cells": [{ "cell_type": "code", "source": "x" }] });
            let text = converted(&Notebook, TYPE, notebook.to_string().as_bytes()).unwrap();
            assert!(text.starts_with(fence), "{text}");
        }
    }

    #[test]
    fn twenty_notebooks_keep_every_word() {
        for count in 1..=20 {
            let cells: Vec<Value> = (0..count)
                .map(|cell| match cell % 2 {
                    0 => json!({ "cell_type": "markdown", "source": format!("Words {cell} of {count}.") }),
                    _ => json!({ "cell_type": "code", "source": [format!("call({cell}, {count})")],
                        "outputs": [{ "output_type": "stream", "text": format!("out {cell} of {count}") }] }),
                })
                .collect();
            let text = markdown(&json!(cells));
            for cell in 0..count {
                let words = match cell % 2 {
                    0 => vec![format!("Words {cell} of {count}.")],
                    _ => vec![
                        format!("call({cell}, {count})"),
                        format!("out {cell} of {count}"),
                    ],
                };
                for word in words {
                    assert!(text.contains(&word), "{word}: {text}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_notebook_fails() {
        let good = json!({ "nbformat": 4, "cells": [{ "cell_type": "code", "source": "x".repeat(4096) }] }).to_string();
        for end in (0..good.len()).step_by(1024) {
            assert!(
                converted(&Notebook, TYPE, &good.as_bytes()[..end]).is_err(),
                "{end}"
            );
        }
        let deep = format!("{{\"nbformat\":4,\"cells\":{}", "[".repeat(1 << 20));
        for broken in [
            &*deep,
            "[]",
            r#"{"nbformat":3,"worksheets":[]}"#,
            r#"{"nbformat":3,"cells":[]}"#,
        ] {
            assert!(converted(&Notebook, TYPE, broken.as_bytes()).is_err());
        }
    }

    #[test]
    fn a_picture_of_any_size_takes_no_room() {
        let picture = "A".repeat(2 << 20);
        let cells = json!([{ "cell_type": "code", "source": "x", "outputs": [
            { "output_type": "display_data", "data": { "image/png": picture } } ] }]);
        assert_eq!(markdown(&cells), "```python\nx\n```\n\n[image/png]\n");
    }
}
