//! Files converted in a process of its own: this program, started again. A hostile PDF or workbook can make its reader use
//! any memory and time or overflow its stack. Here that ends only this process.

use std::error::Error;
use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use plainly_convert::{ConvertError, Converter, Draft, Original, PageRange, Pdf, Sheets, Word};

use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;

/// The word that the process is started with, before the MIME type of the file, and the pages if only some are wanted. It is no
/// command of the command line, so nothing shows or proposes it.
const COMMAND: &str = "convert-file";

/// The bytes of the first line that the process writes: the number of all pages.
const TOTAL_BYTES: usize = 11;

/// The interval between two checks whether the result is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// The most memory that the process takes, in bytes.
const BYTES: usize = 1 << 30;

/// The most processes at a time: each may take that much.
const AT_ONCE: usize = 2;

/// All that is converted so.
fn readers() -> [Box<dyn Converter>; 3] {
    [
        Box::new(Pdf::new()),
        Box::new(Sheets::new()),
        Box::new(Word::new()),
    ]
}

/// Starts a process for each file.
#[derive(Debug)]
pub(crate) struct Apart {
    program: PathBuf,
    readers: [Box<dyn Converter>; 3],
    free: Free,
}

impl Apart {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            program: std::env::current_exe()?,
            readers: readers(),
            free: Free::new(AT_ONCE),
        })
    }
}

impl Converter for Apart {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        self.readers
            .iter()
            .find_map(|reader| reader.gives(mime_type))
    }

    fn has_pages(&self, mime_type: &str) -> bool {
        self.readers
            .iter()
            .any(|reader| reader.has_pages(mime_type))
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let _turn = self.free.turn(draft)?;
        let mut child = ChildGuard(
            Command::new(&self.program)
                .args([COMMAND, original.mime_type])
                .args(original.pages.map(argument))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                // What it says of its own end is no news to whoever serves.
                .stderr(Stdio::null())
                .spawn()?,
        );
        let text = exchange(&mut child.0, original.content, draft)?;
        let text = String::from_utf8_lossy(&text);
        let (total, text) = text.split_once('\n').unwrap_or((&text, ""));
        draft.write_str(text)?;
        let status = child.0.wait()?;
        if !status.success() {
            return Err(format!("the converter process ended with {status}").into());
        }
        let total = total.parse()?;
        if self.has_pages(original.mime_type) {
            draft.select_pages(&original, total);
        }
        Ok(())
    }
}

/// The argument for these pages.
fn argument(pages: PageRange) -> String {
    format!("{}-{}", pages.first(), pages.last())
}

/// The pages of such an argument.
fn pages(argument: &str) -> Option<PageRange> {
    let (first, last) = argument.split_once('-')?;
    PageRange::new(first.parse().ok()?, last.parse().ok()?)
}

/// The number of processes that may still be started.
#[derive(Debug)]
struct Free {
    number: Mutex<usize>,
    changed: Condvar,
}

/// Leave to run one process, given back when dropped.
struct Turn<'a>(&'a Free);

impl Free {
    fn new(number: usize) -> Self {
        Self {
            number: Mutex::new(number),
            changed: Condvar::new(),
        }
    }

    /// Waits for leave to start a process, as long as the draft is wanted.
    fn turn(&self, draft: &mut Draft<'_>) -> Result<Turn<'_>, fmt::Error> {
        let mut number = self.lock();
        while *number == 0 {
            draft.check()?;
            // Woken as soon as a process has ended. Nothing wakes it when the draft is given up: that is looked for.
            let waited = self.changed.wait_timeout(number, LOOK);
            number = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *number -= 1;
        Ok(Turn(self))
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // Nothing in here can panic between two states.
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.changed.notify_one();
    }
}

/// A process that ends with this.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // It may have ended by itself; that it can't be awaited concerns nobody any more.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Gives the process its input and takes what it writes, as long as the draft has room and time.
fn exchange(
    child: &mut Child,
    content: &[u8],
    draft: &mut Draft<'_>,
) -> Result<Vec<u8>, ConvertError> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("a pipe is missing".into());
    };
    // One more than there is room for, so that the draft says that it is too long.
    let most = (draft.room() as u64).saturating_add(TOTAL_BYTES as u64 + 1);
    thread::scope(|scope| {
        scope.spawn(move || {
            // It may end without having read everything; its status says what that means.
            let _ = stdin.write_all(content);
        });
        let (done, text) = mpsc::channel();
        scope.spawn(move || {
            let mut text = Vec::new();
            let read = stdout.take(most).read_to_end(&mut text);
            // Nobody takes it if it came too late.
            let _ = done.send(read.map(|_| text));
        });
        loop {
            match text.recv_timeout(LOOK) {
                Ok(text) => return Ok(text?),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(why) = draft.check() {
                        // The threads end with it.
                        child.kill()?;
                        return Err(why.into());
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err("its output was lost".into()),
            }
        }
    })
}

/// The task of such a process, by the words of its command line; `None` if this is another.
pub(crate) fn task(mut words: impl Iterator<Item = OsString>) -> Option<Task> {
    if words.nth(1)? != COMMAND {
        return None;
    }
    let mime_type = words.next()?.into_string().ok()?;
    let pages = match words.next() {
        Some(word) => Some(pages(word.to_str()?)?),
        None => None,
    };
    words.next().is_none().then_some(Task { mime_type, pages })
}

/// The task of the process itself: the text of the file on standard input.
pub(crate) struct Task {
    mime_type: String,
    pages: Option<PageRange>,
}

impl Task {
    /// Writes the number of pages, and below it the text.
    pub(crate) fn run(self) -> Result<(), Failure> {
        limit();
        let mut content = Vec::new();
        io::stdin()
            .lock()
            .take(BYTES as u64)
            .read_to_end(&mut content)
            .map_err(|error| Failure::caused("cannot read the file", error))?;
        let mut original = Original::new(&self.mime_type, &content);
        original.pages = self.pages;
        let mut draft = Draft::new(BYTES);
        let reader = readers()
            .into_iter()
            .find(|reader| reader.gives(&self.mime_type).is_some());
        let reader = reader.ok_or_else(|| {
            Failure::impossible(format!("cannot convert {}", self.mime_type), None)
        })?;
        reader.convert(original, &mut draft).map_err(|error| {
            let error: Box<dyn Error> = error;
            Failure::caused("cannot convert the file", error)
        })?;
        let total = draft.total_pages().unwrap_or_default();
        let text = draft
            .finish()
            .map_err(|error| Failure::caused("cannot convert the file", error))?;
        let mut output = Output::new(Format::Text);
        output.write(format!("{total}\n").as_bytes())?;
        output.write(text.as_bytes())?;
        output.flush()
    }
}

/// Limits the memory and time of the process to those that a file may need, even if its parent ends.
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
        // Where the system has no such limit, there is still the time that whoever waits gives it.
        let _ = setrlimit(resource, limit);
    }
}

#[cfg(not(unix))]
fn limit() {}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;

    use super::*;

    /// The text, the number of pages and the error of a conversion by a shell script.
    fn converted(
        script: &str,
        pages: Option<PageRange>,
        room: usize,
    ) -> io::Result<(String, Option<u32>, String)> {
        let directory = tempfile::tempdir()?;
        let program = directory.path().join("program");
        // Written by another process: a file that this one has open can't be started.
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod +x \"$0\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", write]).arg(&program).arg(script);
        assert!(shell.status()?.success());
        let apart = Apart {
            program,
            readers: readers(),
            free: Free::new(1),
        };
        let mut draft = Draft::new(room);
        // More than fits into a pipe, so that somebody must read it or end.
        let content = vec![b'x'; 1 << 20];
        let mut original = Original::new("application/pdf", &content);
        original.pages = pages;
        let ended = apart.convert(original, &mut draft);
        let why = ended.err().map(|error| error.to_string());
        let total = draft.total_pages();
        let text = draft.finish().unwrap_or_else(|stopped| stopped.to_string());
        Ok((text, total, why.unwrap_or_default()))
    }

    #[test]
    fn however_the_process_behaves_it_ends_with_its_conversion() {
        let answer = "echo 7; echo \"$@\"";
        let (text, total, why) = converted(answer, None, 100).unwrap();
        assert_eq!(
            (&*text, total, &*why),
            ("convert-file application/pdf\n", Some(7), "")
        );
        let (text, total, _) = converted(answer, PageRange::new(2, 3), 100).unwrap();
        assert_eq!(
            (&*text, total),
            ("convert-file application/pdf 2-3\n", Some(7))
        );
        // It writes without end, and reads nothing.
        let (text, ..) = converted("exec yes", None, 100_000).unwrap();
        assert_eq!(text, "it is longer than the 100000 bytes left for it");
        let (_, total, why) = converted("exit 1", None, 100).unwrap();
        assert!(why.contains("ended with exit status: 1"), "{why}");
        assert_eq!(total, None);
        let (_, total, why) = converted("echo many", None, 100).unwrap();
        assert_eq!((total, &*why), (None, "invalid digit found in string"));
        let (.., why) = converted("exec /no/such/program", None, 100).unwrap();
        assert!(why.contains("ended with"), "{why}");
    }

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

    #[test]
    fn there_are_no_more_processes_at_a_time_than_may_be() {
        let free = Free::new(AT_ONCE);
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..4 * AT_ONCE {
                scope.spawn(|| {
                    let _turn = free.turn(&mut Draft::new(1)).unwrap();
                    most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
                    thread::sleep(LOOK / 10);
                    running.fetch_sub(1, SeqCst);
                });
            }
        });
        assert_eq!(most.into_inner(), AT_ONCE);
        // Who isn't wanted any more doesn't wait.
        let none = Free::new(0);
        let mut draft = Draft::new(0);
        assert!(draft.write_str("x").is_err());
        assert!(none.turn(&mut draft).is_err());
    }
}
