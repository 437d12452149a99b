//! The actors of the soak. Each repeats one kind of action, with random choices, until the end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use tokio::time::sleep;

use crate::peer::Source;
use crate::tally::Tally;
use crate::{calls, faults, files, legacy, listening, tasks};

/// The setting of the soak.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) server: SocketAddr,
    /// The served directory.
    pub(crate) directory: PathBuf,
    pub(crate) end: Instant,
    pub(crate) tally: Arc<Tally>,
}

/// A kind of client.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Actor {
    Caller,
    Asked,
    Reader,
    Writer,
    Listener,
    Legacy,
    TaskMaster,
    Cutter,
    Mumbler,
    Slow,
}

/// The state of an actor.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) stage: Stage,
    pub(crate) source: Source,
    /// The unique number of the actor, used in names that must be unique.
    pub(crate) number: usize,
    pub(crate) lot: Rng,
}

impl Actor {
    /// All actors.
    pub(crate) fn cast() -> impl Iterator<Item = Self> {
        let cast = [
            (Self::Caller, 8),
            (Self::Asked, 2),
            (Self::Reader, 3),
            (Self::Writer, 1),
            (Self::Listener, 16),
            (Self::Legacy, 4),
            (Self::TaskMaster, 3),
            (Self::Cutter, 6),
            (Self::Mumbler, 4),
            (Self::Slow, 12),
        ];
        cast.into_iter()
            .flat_map(|(actor, count)| std::iter::repeat_n(actor, count))
    }

    /// Acts until the end.
    pub(crate) async fn act(self, stage: Stage, number: usize, seed: u64) {
        let mut part = Part {
            source: Source::other(number),
            number,
            lot: Rng::with_seed(seed.wrapping_add(number as u64)),
            stage,
        };
        while Instant::now() < part.stage.end {
            match self {
                Self::Caller => calls::call(&mut part).await,
                Self::Asked => calls::be_asked(&mut part).await,
                Self::Reader => files::read(&mut part).await,
                Self::Writer => files::write(&mut part).await,
                Self::Listener => listening::listen(&mut part).await,
                Self::Legacy => legacy::hold_session(&mut part).await,
                Self::TaskMaster => tasks::task(&mut part).await,
                Self::Cutter => faults::cut(&mut part).await,
                Self::Mumbler => faults::mumble(&mut part).await,
                Self::Slow => faults::be_slow(&mut part).await,
            }
            part.pause(20).await;
        }
    }
}

impl Part {
    pub(crate) fn note(&self, what: &'static str, outcome: anyhow::Result<()>) {
        self.stage.tally.note(what, outcome);
    }

    /// A text that no other actor uses.
    pub(crate) fn nonce(&mut self) -> String {
        format!("{}-{:016x}", self.number, self.lot.u64(..))
    }

    /// Pauses for a random time, up to this number of milliseconds.
    pub(crate) async fn pause(&mut self, most: u64) {
        sleep(Duration::from_millis(self.lot.u64(..=most))).await;
    }
}
