//! Converts files in a separate process, which is this program started again. A hostile PDF or
//! workbook can make its reader use any memory and time, or overflow its stack. Here, that ends
//! only the separate process.

mod task;

use std::fmt::{self, Write as _};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use plainly_convert::{ConvertError, Converter, Draft, Original, PageRange, Pdf, Sheets, Word};

pub(crate) use self::task::task;
use crate::visible::visible;

/// The first argument of the process. The MIME type of the file follows, and the pages if only some
/// are wanted. It is no command of the command line, so neither help nor completions show it.
const COMMAND: &str = "convert-file";

/// The argument that replaces the pages if only the title is wanted.
const TITLE: &str = "title";

/// The most bytes of the first line of output, which is the number of all pages.
const TOTAL_BYTES: usize = 11;

/// The character before each page of the output, which occurs in no text.
const PAGE: char = '\u{c}';

/// The most pages that are marked.
const PAGES: usize = 1 << 16;

/// The most bytes of the reason for a failure.
const REASON_BYTES: usize = 1 << 10;

/// The interval between two checks whether the result is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// The most memory of the process, in bytes.
const BYTES: usize = 1 << 30;

/// The most processes at a time, because each may use that much memory.
const AT_ONCE: usize = 2;

/// The converters that run in the process.
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

    fn has_titles(&self, mime_type: &str) -> bool {
        self.readers
            .iter()
            .any(|reader| reader.has_titles(mime_type))
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let total = self.run(original, original.pages.map(argument), draft)?;
        if self.has_pages(original.mime_type) {
            draft.select_pages(&original, total);
        }
        Ok(())
    }

    fn write_title(
        &self,
        original: Original<'_>,
        draft: &mut Draft<'_>,
    ) -> Result<(), ConvertError> {
        self.run(original, Some(TITLE.to_owned()), draft)?;
        Ok(())
    }
}

impl Apart {
    /// Writes the process's output for the file. Returns the number of pages of the file.
    fn run(
        &self,
        original: Original<'_>,
        argument: Option<String>,
        draft: &mut Draft<'_>,
    ) -> Result<u32, ConvertError> {
        let _turn = self.free.turn(draft)?;
        let mut child = ChildGuard(
            Command::new(&self.program)
                .args([COMMAND, original.mime_type])
                .args(argument)
                // Without this, the last line would be a note to developers instead of the reason.
                .env("RUST_BACKTRACE", "0")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()?,
        );
        let (text, reason) = exchange(&mut child.0, original.content, draft)?;
        let text = String::from_utf8_lossy(&text);
        let (total, text) = text.split_once('\n').unwrap_or((&text, ""));
        for (at, page) in text.split(PAGE).enumerate() {
            if at > 0 {
                draft.begin_page()?;
            }
            draft.write_str(page)?;
        }
        let status = child.0.wait()?;
        if is_killed(status) {
            let why = "the converter process was killed";
            return Err(io::Error::new(io::ErrorKind::Interrupted, why).into());
        }
        if !status.success() {
            let reason = String::from_utf8_lossy(&reason);
            let mut lines = reason.lines().rev();
            return Err(match lines.find(|line| !line.starts_with("note: ")) {
                Some(reason) => visible(reason).into(),
                None => format!("the converter process ended with {status}").into(),
            });
        }
        Ok(total.parse()?)
    }
}

/// Whether a process was killed from outside, for example by a system that is short of memory. A
/// file that exceeds the limits ends the process in other ways.
#[cfg(unix)]
fn is_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;

    use rustix::process::Signal;

    let signals = [Signal::KILL, Signal::TERM].map(|signal| Some(signal.as_raw()));
    signals.contains(&status.signal())
}

#[cfg(not(unix))]
fn is_killed(_: ExitStatus) -> bool {
    false
}

/// The argument for these pages.
fn argument(pages: PageRange) -> String {
    format!("{}-{}", pages.first(), pages.last())
}

/// The number of processes that may still be started.
#[derive(Debug)]
struct Free {
    number: Mutex<usize>,
    changed: Condvar,
}

/// The permission to run one process, which is returned when dropped.
struct Turn<'a>(&'a Free);

impl Free {
    fn new(number: usize) -> Self {
        Self {
            number: Mutex::new(number),
            changed: Condvar::new(),
        }
    }

    /// Waits for the permission to start a process, as long as the draft is wanted.
    fn turn(&self, draft: &mut Draft<'_>) -> Result<Turn<'_>, fmt::Error> {
        let mut number = self.lock();
        while *number == 0 {
            draft.check()?;
            // The end of a process wakes this at once. Nothing does when the draft is abandoned, so
            // that is checked at intervals.
            let waited = self.changed.wait_timeout(number, LOOK);
            number = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *number -= 1;
        Ok(Turn(self))
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // No code with the lock can panic between two states.
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.changed.notify_one();
    }
}

/// A process that is killed when this is dropped.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // These fail if the process has ended already, which does not matter.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes the input of the process and reads its output, as long as the draft has room and time.
/// Returns the text, and the end of standard error.
fn exchange(
    child: &mut Child,
    content: &[u8],
    draft: &mut Draft<'_>,
) -> Result<(Vec<u8>, Vec<u8>), ConvertError> {
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err("a pipe is missing".into());
    };
    // One byte more than there is room for, so that the draft reports that the text is too long.
    let most = (draft.room() as u64).saturating_add((TOTAL_BYTES + PAGES + 1) as u64);
    thread::scope(|scope| {
        scope.spawn(move || {
            // The process may end without reading everything; its status tells why.
            let _ = stdin.write_all(content);
        });
        let reason = scope.spawn(move || end_of(stderr));
        let (done, text) = mpsc::channel();
        scope.spawn(move || {
            let mut text = Vec::new();
            let read = stdout.take(most).read_to_end(&mut text);
            // This fails if the text came too late, and the result is no longer wanted.
            let _ = done.send(read.map(|_| text));
        });
        loop {
            match text.recv_timeout(LOOK) {
                Ok(text) => return Ok((text?, reason.join().unwrap_or_default())),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(why) = draft.check() {
                        // The threads end when the process does.
                        child.kill()?;
                        return Err(why.into());
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err("its output was lost".into()),
            }
        }
    })
}

/// The last bytes of a text of any length.
fn end_of(mut from: impl Read) -> Vec<u8> {
    let (mut end, mut piece) = (Vec::new(), [0; REASON_BYTES]);
    while let Ok(count @ 1..) = from.read(&mut piece) {
        end.extend(piece.iter().take(count));
        end.drain(..end.len().saturating_sub(REASON_BYTES));
    }
    end
}

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
        // Another process writes the file, because a file that is open here can't be started.
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
        // This is more than fits into a pipe, so the script has to read it or end.
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
        // The script writes without end, and reads nothing.
        let (text, ..) = converted("exec yes", None, 100_000).unwrap();
        assert_eq!(text, "it is longer than the 100000 bytes left for it");
        let (_, total, why) = converted("exit 1", None, 100).unwrap();
        assert!(why.contains("ended with exit status: 1"), "{why}");
        assert_eq!(total, None);
        let (.., why) = converted("kill -KILL $$", None, 100).unwrap();
        assert_eq!(why, "the converter process was killed");
        let says = r"head -c 1000000 /dev/zero >&2; printf '\nit is \033 cut off\n' >&2; exit 1";
        let (_, _, why) = converted(says, None, 100).unwrap();
        assert_eq!(why, r"it is \u{1b} cut off");
        let (_, total, why) = converted("echo many", None, 100).unwrap();
        assert_eq!((total, &*why), (None, "invalid digit found in string"));
        let (.., why) = converted("exec /no/such/program", None, 100).unwrap();
        assert!(why.contains("/no/such/program"), "{why}");
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
        // An abandoned draft does not wait.
        let none = Free::new(0);
        let mut draft = Draft::new(0);
        assert!(draft.write_str("x").is_err());
        assert!(none.turn(&mut draft).is_err());
    }
}
