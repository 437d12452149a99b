//! The parts of the benchmark, in the order of the table, with their names.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use plainly_interop::Case;

use crate::http::CONNECTIONS;

/// A part that can be measured alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A case over HTTP.
    Http(Case),
    /// Calls of `echo` over stdio, with this number in flight.
    Stdio { window: u64 },
    /// The time from a server's start to its first response over stdio.
    Start,
    /// Building a minimal server from scratch.
    Build,
}

impl Part {
    /// A window small enough that neither pipe fills up while both sides write.
    pub(crate) const PIPELINED: Self = Self::Stdio { window: 64 };
    pub(crate) const PING_PONG: Self = Self::Stdio { window: 1 };

    pub(crate) const ALL: [Self; 10] = [
        Self::Http(Case::Echo),
        Self::Http(Case::Read),
        Self::Http(Case::ReadText),
        Self::Http(Case::ReadBinary),
        Self::Http(Case::Missing),
        Self::Http(Case::List),
        Self::PIPELINED,
        Self::PING_PONG,
        Self::Start,
        Self::Build,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http(case) => case.name(),
            Self::Stdio { window: 1 } => "ping-pong",
            Self::Stdio { .. } => "pipelined",
            Self::Start => "start",
            Self::Build => "build",
        }
    }

    pub(crate) fn title(self) -> String {
        let echo = Case::Echo.title();
        match self {
            Self::Http(case) => format!("{}, HTTP, {CONNECTIONS} connections", case.title()),
            Self::Stdio { window: 1 } => format!("{echo}, stdio, one after another"),
            Self::Stdio { window } => format!("{echo}, stdio, {window} in flight"),
            Self::Start => "start-up to first answer on stdio".to_owned(),
            Self::Build => "a minimal server, built from nothing".to_owned(),
        }
    }
}

impl ValueEnum for Part {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.title()))
    }
}
