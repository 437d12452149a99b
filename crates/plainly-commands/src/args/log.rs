//! Options of the log, which every command has.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use tracing_subscriber::filter::Targets;

use crate::log::{LogFormat, levels};

/// The options of the log.
#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// The level of the log on standard error, or levels per module, such as
    /// plainly::access=info,hyper=debug. A level alone applies to plainly's own messages; other
    /// libraries log at most warnings. With info, `serve` logs each request [default: $RUST_LOG, or
    /// warn]
    #[arg(long = "log", global = true, value_name = "LEVEL", value_parser = LevelsParser, display_order = 900)]
    pub(crate) levels: Option<Levels>,

    /// The form of the log: lines to read, or JSON, one object per line
    #[arg(
        long = "log-format",
        global = true,
        value_name = "FORMAT",
        default_value = "text",
        display_order = 901
    )]
    pub(crate) format: LogFormat,
}

/// Levels of the log, and the text that they were parsed from.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    pub(crate) text: String,
    pub(crate) targets: Targets,
}

/// Parses levels. Shells complete the single ones.
#[derive(Clone, Copy, Debug)]
struct LevelsParser;

impl TypedValueParser for LevelsParser {
    type Value = Levels;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Levels, clap::Error> {
        let parser = StringValueParser::new().try_map(|text| {
            let targets = levels(&text)?;
            Ok::<_, String>(Levels { text, targets })
        });
        parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let levels = ["off", "error", "warn", "info", "debug", "trace"];
        Some(Box::new(levels.into_iter().map(PossibleValue::new)))
    }
}
