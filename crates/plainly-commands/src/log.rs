//! Logs on standard error, with one line per event, even if a peer's text contains line breaks. By
//! default, warnings are sentences. A requested log contains the time and the module of each event,
//! as text or as JSON.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use crate::terminal;
use crate::visible::{visible, visible_json};

/// The format of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// The common prefix of this project's modules.
const OURS: &str = "plainly";
/// The level of other libraries that no level names, because they log very much at `debug`.
const OTHERS: LevelFilter = LevelFilter::WARN;
/// The most warnings that are shown, because a server may cause any number.
const MOST_TOLD: usize = 20;

/// The target of a child process's output.
const CHILD: &str = "plainly::child";

/// The settings that apply if no log is requested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogSetting {
    /// Whether warnings are log lines instead of sentences.
    pub(crate) is_log: bool,
    /// Whether warnings are left out, too.
    pub(crate) is_quiet: bool,
    /// Whether the output of a child process is written too.
    pub(crate) has_child: bool,
}

/// Starts logging, at the levels of `asked`, or else of `RUST_LOG`, which may be meant for other
/// programs. Without levels for this program, only warnings are logged: as log lines by a server,
/// as sentences by other commands.
pub(crate) fn init(asked: Option<Targets>, format: LogFormat, written: LogSetting) {
    let of_all = || levels(&std::env::var("RUST_LOG").ok()?).ok();
    let asked = asked.or_else(of_all);
    let is_log = written.is_log || asked.is_some() || format == LogFormat::Json;
    let least = match written.is_quiet {
        true => LevelFilter::ERROR,
        false => LevelFilter::WARN,
    };
    let filter = asked.unwrap_or_else(|| Targets::new().with_default(least));
    let is_quoted = written.has_child && !filter.would_enable(CHILD, &Level::DEBUG);
    let quotes = Targets::new().with_target(CHILD, LevelFilter::DEBUG);
    let layer = tracing_subscriber::fmt::layer().with_ansi(false);
    let layer = match (is_log, format) {
        (_, LogFormat::Json) => layer
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .with_writer(|| Line(visible_json))
            .boxed(),
        (true, LogFormat::Text) => layer.with_writer(|| Line(visible)).boxed(),
        (false, LogFormat::Text) => {
            let sentences = layer.event_format(Sentence);
            sentences.with_writer(|| Line(visible)).boxed()
        }
    };
    let quoted = is_quoted.then(|| {
        let quoted = tracing_subscriber::fmt::layer().with_ansi(false);
        let quoted = quoted.event_format(Quote).with_writer(|| Line(visible));
        quoted.with_filter(quotes)
    });
    tracing_subscriber::registry()
        .with(layer.with_filter(filter))
        .with(quoted)
        .init();
}

/// Parses levels of the log. A single word must be a level, because a misspelt level would
/// otherwise enable every event of a module. It applies to this project's modules, because the
/// messages of other libraries do not help users.
pub(crate) fn levels(text: &str) -> Result<Targets, String> {
    const USAGE: &str = "use off, error, warn, info, debug or trace, or levels per module, such as plainly=debug,warn";
    let targets: Targets = text.parse().map_err(|_invalid| USAGE.to_owned())?;
    if !text.split(',').all(is_level_or_module) {
        return Err(USAGE.to_owned());
    }
    let Some(level) = targets.default_level() else {
        return Ok(targets);
    };
    let is_named = targets.iter().any(|(module, _)| module == OURS);
    let targets = targets.with_default(level.min(OTHERS));
    Ok(if is_named {
        targets
    } else {
        targets.with_target(OURS, level)
    })
}

fn is_level_or_module(part: &str) -> bool {
    // An empty level would be parsed as `error`.
    part.contains('=') || !part.is_empty() && part.parse::<LevelFilter>().is_ok()
}

/// An event as a sentence, without time and place: `warning: this is not there yet`. Each sentence
/// is shown once, and their number is bounded.
struct Sentence;

/// The sentences that were shown.
static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Clears the list of shown sentences, for the next command.
pub(crate) fn begin_again() {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// The fields of an event as the parts of a sentence, in their order.
#[derive(Default)]
struct Clauses {
    subject: String,
    message: String,
    why: String,
    details: Vec<String>,
}

impl Visit for Clauses {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "name" | "tool" => self.subject = format!("{value:?}: "),
            "why" | "error" => self.why = format!(": {value:?}"),
            name => self.details.push(format!("{name}: {value:?}")),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

impl fmt::Display for Clauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.subject, self.message, self.why)?;
        match self.details.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", self.details.join(", ")),
        }
    }
}

impl<S, N> FormatEvent<S, N> for Sentence
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let word = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            _ => "note",
        };
        let mut clauses = Clauses::default();
        event.record(&mut clauses);
        let line = format!("{word}: {clauses}");
        let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() > MOST_TOLD || told.contains(&line) {
            return Ok(());
        }
        match told.len() {
            MOST_TOLD => writeln!(
                writer,
                "{word}: there are more warnings: --log warn shows all"
            )?,
            _ => writeln!(writer, "{line}")?,
        }
        told.push(line);
        Ok(())
    }
}

/// A line of a child process, unchanged: `server: stderr: listening`.
struct Quote;

impl<S, N> FormatEvent<S, N> for Quote
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        event.record(&mut BareMessage(&mut writer));
        writeln!(writer)
    }
}

/// Writes only the message of an event.
struct BareMessage<'a, 'b>(&'a mut Writer<'b>);

impl Visit for BareMessage<'_, '_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            // The writer is a buffer, so this can't fail.
            let _never = write!(self.0, "server: stderr: {value:?}");
        }
    }
}

/// Writes each event as one line, with one call of `write`. Control characters are escaped.
struct Line(fn(&str) -> String);

impl Line {
    fn of(&self, event: &[u8]) -> String {
        let text = String::from_utf8_lossy(event);
        (self.0)(text.trim_end_matches('\n'))
    }
}

impl Write for Line {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        terminal::line(&self.of(event));
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let line = Line(visible).of(b"WARN server says \x1b[2J\nERROR fake\n");
        assert_eq!(line, "WARN server says \\u{1b}[2J\\nERROR fake");
    }

    #[test]
    fn a_level_alone_is_about_our_own_modules() {
        for (text, ours, others) in [
            ("debug", Level::DEBUG, Some(Level::WARN)),
            ("error", Level::ERROR, Some(Level::ERROR)),
            ("plainly=debug", Level::DEBUG, None),
            ("plainly=debug,error", Level::DEBUG, Some(Level::ERROR)),
            ("hyper=trace,info", Level::INFO, Some(Level::TRACE)),
        ] {
            let targets = levels(text).unwrap();
            let most = |target: &str| {
                let all = [
                    Level::TRACE,
                    Level::DEBUG,
                    Level::INFO,
                    Level::WARN,
                    Level::ERROR,
                ];
                all.into_iter()
                    .find(|level| targets.would_enable(target, level))
            };
            assert_eq!(most("plainly::server"), Some(ours), "{text}");
            assert_eq!(most("plainly_directory"), Some(ours), "{text}");
            assert_eq!(most("hyper::client"), others, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_level_is_refused() {
        for text in ["off", "DEBUG", "plainly=debug", "plainly::child=trace,warn"] {
            assert!(levels(text).is_ok(), "{text}");
        }
        for text in ["", "nonsense", "debgu", "warn,nonsense", "plainly=loud"] {
            assert!(levels(text).is_err(), "{text}");
        }
    }
}
