//! The work of the process itself: the text of one file, from standard input to standard output.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::panic;
use std::process::ExitCode;

use plainly_convert::{ConvertError, Draft, Original, PageRange};

use super::{BYTES, COMMAND, PAGE, PAGES, TITLE, readers};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;
use crate::visible::visible;

/// The page range in an argument.
fn pages(argument: &str) -> Option<PageRange> {
    let (first, last) = argument.split_once('-')?;
    PageRange::new(first.parse().ok()?, last.parse().ok()?)
}

/// The task of this process, if the words of its command line ask for one.
pub(crate) fn task(mut words: impl Iterator<Item = OsString>) -> Option<Task> {
    if words.nth(1)? != COMMAND {
        return None;
    }
    let mime_type = words.next()?.into_string().ok()?;
    let part = words.next();
    let is_title = part.as_ref().is_some_and(|part| part == TITLE);
    let pages = match part {
        Some(word) if !is_title => Some(pages(word.to_str()?)?),
        Some(_) | None => None,
    };
    words.next().is_none().then_some(Task {
        mime_type,
        pages,
        is_title,
    })
}

/// The task of the separate process: the text of the file on standard input.
pub(crate) struct Task {
    mime_type: String,
    pages: Option<PageRange>,
    /// Whether only the title is wanted.
    is_title: bool,
}

impl Task {
    /// Writes the number of pages, and the text below it. A failure is one line on standard error.
    pub(crate) fn run(self) -> ExitCode {
        panic::set_hook(Box::new(|_| fail("the reader of its format gave up")));
        match self.convert() {
            Ok((total, text)) => match write(total, &text) {
                Ok(()) => Exit::Success.into(),
                Err(failure) => failure.exit().into(),
            },
            Err(error) => {
                fail(&with_causes(&*error));
                Exit::Failure.into()
            }
        }
    }

    /// The number of pages, and the text.
    fn convert(self) -> Result<(u32, String), ConvertError> {
        limit();
        let mut content = Vec::new();
        let stdin = io::stdin().lock();
        stdin.take(BYTES as u64).read_to_end(&mut content)?;
        let mut original = Original::new(&self.mime_type, &content);
        original.pages = self.pages;
        let mut draft = Draft::new(BYTES);
        let reader = readers()
            .into_iter()
            .find(|reader| reader.gives(&self.mime_type).is_some());
        let reader = reader.ok_or("no reader is known for its type")?;
        match self.is_title {
            true => reader.write_title(original, &mut draft)?,
            false => reader.convert(original, &mut draft)?,
        }
        let total = draft.total_pages().unwrap_or_default();
        let starts = draft.page_starts().to_vec();
        Ok((total, with_pages(&draft.finish()?, &starts)))
    }
}

/// The text with a mark before each page, unless there are too many pages.
fn with_pages(text: &str, starts: &[usize]) -> String {
    let (mut marked, mut at) = (String::new(), 0);
    for start in starts.iter().take_while(|_| starts.len() <= PAGES) {
        marked.push_str(text.get(at..*start).unwrap_or_default());
        marked.push(PAGE);
        at = *start;
    }
    marked + text.get(at..).unwrap_or_default()
}

fn write(total: u32, text: &str) -> Result<(), Failure> {
    let mut output = Output::new(Format::Text);
    output.write(format!("{total}\n").as_bytes())?;
    output.write(text.as_bytes())?;
    output.flush()
}

/// An error and its causes, on one line.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    visible(&text)
}

/// Writes the reason for the failure.
fn fail(why: &str) {
    // The reader may have gone.
    let _ = writeln!(io::stderr(), "{why}");
}

/// Limits the memory and time of the process to what a file may need, even if its parent ends.
#[cfg(unix)]
fn limit() {
    use rustix::process::{Resource, Rlimit, setrlimit};

    for (resource, most) in [
        (Resource::As, BYTES as u64),
        (Resource::Cpu, 20),
        (Resource::Core, 0),
    ] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        // If the system has no such limit, the time limit of the caller remains.
        let _ = setrlimit(resource, limit);
    }
}

#[cfg(not(unix))]
fn limit() {}

#[cfg(test)]
mod tests {
    use super::super::argument;
    use super::*;

    #[test]
    fn a_task_is_the_words_that_a_process_is_started_with() {
        let pages = |words: &[&str]| {
            let words = ["plainly"].iter().chain(words).map(OsString::from);
            task(words).map(|task| (task.mime_type, task.pages))
        };
        let told = |pages| Some(("a/b".to_owned(), pages));
        assert_eq!(pages(&[COMMAND, "a/b"]), told(None));
        let range = PageRange::new(2, 30).unwrap();
        assert_eq!(
            pages(&[COMMAND, "a/b", &argument(range)]),
            told(Some(range))
        );
        let title = ["plainly", COMMAND, "a/b", TITLE].map(OsString::from);
        let title = task(title.into_iter()).unwrap();
        assert_eq!((title.pages, title.is_title), (None, true));
        for words in [
            &[][..],
            &["serve"],
            &[COMMAND],
            &[COMMAND, "a/b", "3"],
            &[COMMAND, "a/b", "3-2"],
            &[COMMAND, "a/b", "2-3", "x"],
        ] {
            assert_eq!(pages(words), None, "{words:?}");
        }
    }
}
