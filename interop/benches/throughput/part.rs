//! The parts of the benchmark, in the order of the table, and what each is called.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use plainly_interop::Case;

use crate::http::CONNECTIONS;

/// What can be measured alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A case over HTTP.
    Http(Case),
    /// Calls of `echo` over stdio, many in flight.
    Pipelined,
    /// Calls of `echo` over stdio, one after another.
    PingPong,
    /// From the start of a server to its first answer over stdio.
    Start,
    /// Building a minimal server from nothing.
    Build,
}

/// How many calls are in flight when there are many.
pub(crate) const WINDOW: u64 = 64;

impl Part {
    pub(crate) const ALL: [Self; 10] = [
        Self::Http(Case::Echo),
        Self::Http(Case::Read),
        Self::Http(Case::ReadText),
        Self::Http(Case::ReadBinary),
        Self::Http(Case::Missing),
        Self::Http(Case::List),
        Self::Pipelined,
        Self::PingPong,
        Self::Start,
        Self::Build,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http(case) => case.name(),
            Self::Pipelined => "pipelined",
            Self::PingPong => "ping-pong",
            Self::Start => "start",
            Self::Build => "build",
        }
    }

    pub(crate) fn title(self) -> String {
        let echo = Case::Echo.title();
        match self {
            Self::Http(case) => format!("{}, HTTP, {CONNECTIONS} connections", case.title()),
            Self::Pipelined => format!("{echo}, stdio, {WINDOW} in flight"),
            Self::PingPong => format!("{echo}, stdio, one after another"),
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
