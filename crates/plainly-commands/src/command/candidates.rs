//! The completions of a word on the command line. Commands, options and their values come from the
//! command line itself, names of servers from the files of hosts, and all others from the server on
//! that line. The time is limited, because the user has pressed a key and waits.

mod asked;
mod position;

use std::time::Duration;

use clap::CommandFactory;
use plainly::client::Client;
use tokio::time::{Instant, timeout, timeout_at};

use self::asked::{NameKind, wanted};
use self::position::Position;
use crate::args::{Args, CandidatesArgs, DiscoverArgs, ShellLine, values};
use crate::connection;
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;
use crate::servers::Search;

/// The default for the longest wait for a server. With everything before and after, the user waits
/// for less than 300 ms.
const PATIENCE: Duration = Duration::from_millis(250);
/// The longest wait that a user can set.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// The environment variable that sets the wait, in seconds.
const VARIABLE: &str = "PLAINLY_COMPLETION_TIMEOUT";
/// The most candidates that are printed.
const MOST: usize = 1_000;

/// A possible completion of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(super) value: String,
    about: String,
}

impl Candidate {
    fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            about: about.into(),
        }
    }
}

/// The longest wait for a server. An invalid number is ignored, because the user can't read an
/// error in the middle of a line.
fn patience() -> Duration {
    let said = std::env::var(VARIABLE).ok();
    let said = said.and_then(|text| values::seconds(&text).ok());
    said.unwrap_or(PATIENCE).min(LONGEST)
}

/// Prints the candidates: the word so far, its completions, and their descriptions. Errors are not
/// reported.
pub(crate) async fn run(args: CandidatesArgs) -> Result<(), Failure> {
    let by = Instant::now() + patience();
    let words = args.words();
    let Some((current, before)) = words.split_last() else {
        return Ok(());
    };
    let found = match Position::of(Args::command(), before, current) {
        Position::Known(candidates) => candidates,
        Position::Target => foreign(servers()),
        Position::Server {
            command,
            options,
            words,
        } => match (wanted(&command, words.len() - 1), words.split_first()) {
            (Some(wanted), Some((target, before))) => {
                foreign(ask(options, target, wanted, before, current, by).await)
            }
            _ => Vec::new(),
        },
    };
    let mut output = Output::new(Format::Text);
    for candidate in fitting(found, current) {
        output.fields(&[current, &candidate.value, &candidate.about])?;
    }
    output.flush()
}

/// The completions of the current word of a line in `plainly shell`, after the words `before` it.
/// They may come from the shell's server.
pub(super) async fn of_line(client: &Client, before: &[String], current: &str) -> Vec<Candidate> {
    let commands = ShellLine::taught();
    let mut before = before.to_vec();
    if let Some(place) = place_of_server(&commands, &before) {
        before.insert(place, String::new());
    }
    let found = match Position::of(commands, &before, current) {
        Position::Known(candidates) => candidates,
        Position::Target => Vec::new(),
        Position::Server { command, words, .. } => {
            match (wanted(&command, words.len() - 1), words.split_first()) {
                (Some(wanted), Some((_, before))) => {
                    let asked = asked::candidates(client, wanted, before, current);
                    foreign(timeout(patience(), asked).await.unwrap_or_default())
                }
                _ => Vec::new(),
            }
        }
    };
    fitting(found, current)
}

/// The position of the server in a command line, which a line in the shell lacks: after the
/// command. `None` if the command is incomplete.
fn place_of_server(commands: &clap::Command, words: &[String]) -> Option<usize> {
    let (mut command, mut place) = (commands, 0);
    while let Some(inner) = words.get(place).and_then(|it| command.find_subcommand(it)) {
        (command, place) = (inner, place + 1);
    }
    (!command.has_subcommands()).then_some(place)
}

/// The candidates that the current word can become.
fn fitting(found: Vec<Candidate>, current: &str) -> Vec<Candidate> {
    let fitting = found.into_iter().filter(|it| it.value.starts_with(current));
    // A shell would execute a control character.
    let fitting = fitting.filter(|it| !it.value.contains(char::is_control));
    fitting.take(MOST).collect()
}

/// Drops words of other parties that would be options, because some options run commands.
fn foreign(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.retain(|it| !it.value.starts_with('-'));
    found
}

/// The names of all configured servers.
fn servers() -> Vec<Candidate> {
    let servers = Search::new(None).all().unwrap_or_default();
    let mut candidates = Vec::<Candidate>::new();
    for server in servers {
        let about = server.entry.map(|entry| entry.reach.shown());
        if candidates.iter().all(|it| it.value != server.name) {
            candidates.push(Candidate::new(server.name, about.unwrap_or_default()));
        }
    }
    candidates
}

/// Asks the server that a command with these options would use. A server of a project's file that
/// the user has not allowed is neither started nor contacted.
async fn ask(
    options: Vec<String>,
    target: &str,
    wanted: NameKind,
    before: &[String],
    current: &str,
    by: Instant,
) -> Vec<Candidate> {
    let Ok((server, args)) = DiscoverArgs::reaching(options, target) else {
        return Vec::new();
    };
    // A server that was started ends with its connection, even if the connection is still being
    // opened.
    let Ok(Ok(client)) = timeout_at(by, connection::open(server, args)).await else {
        return Vec::new();
    };
    let asked = timeout_at(by, asked::candidates(&client, wanted, before, current)).await;
    // Closes the connection in an orderly way if there is time.
    let _ = timeout_at(by, client.close()).await;
    asked.unwrap_or_default()
}
