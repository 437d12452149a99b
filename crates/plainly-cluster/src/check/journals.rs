//! The rules of journals.

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};

use super::{Report, soon};
use crate::engine::Engine;
use crate::error::EngineError;

/// The number of a journal's last events that are always stored.
const STORED: u32 = 1_024;

/// The number of followers, one after the other.
const ROUNDS: u32 = 30;

pub(super) async fn check(report: &mut Report, name: &str, one: &impl Engine, other: &impl Engine) {
    let early = Box::pin(other.follow(name));
    append(report, name, one, 0..10).await;
    append(report, &format!("{name}.other"), one, 77..78).await;
    let late = Box::pin(other.follow(name));
    append(report, name, other, 10..20).await;
    let expected: Vec<u32> = (0..20).collect();
    for (followed, when) in [(early, "before"), (late, "in between")] {
        let read = numbers(followed, 20).await;
        report.rule(
            read == expected,
            format!("a journal that is followed from {when} has its events in order"),
        );
    }
    let long = format!("{name}.long");
    append(report, &long, one, 0..STORED + 10).await;
    let read = numbers(Box::pin(other.follow(&long)), STORED).await;
    report.rule(
        read.iter().copied().eq(10..STORED + 10),
        "a long journal has its last events",
    );
    again(report, &format!("{name}.again"), one, other).await;
    let too_large = Bytes::from(vec![b'x'; one.max_value() + 1]);
    let appended = one.append(name, too_large).await;
    report.rule(
        matches!(appended, Err(EngineError::TooLarge)),
        "an event beyond the largest size is too large",
    );
}

/// Checks that a follower receives all events if it starts where another one stops.
async fn again(report: &mut Report, name: &str, one: &impl Engine, other: &impl Engine) {
    for round in 0..ROUNDS {
        // The engine may be about to unsubscribe the previous follower.
        for _ in 0..round {
            tokio::task::yield_now().await;
        }
        let mut followed = Box::pin(other.follow(name));
        let before = numbers(&mut followed, round).await;
        append(report, name, one, round..round + 1).await;
        let next = numbers(&mut followed, 1).await;
        if before.len() != round as usize || next != [round] {
            report.rule(false, "a journal that is followed again has what comes");
            return;
        }
    }
}

async fn append(
    report: &mut Report,
    name: &str,
    engine: &impl Engine,
    numbers: std::ops::Range<u32>,
) {
    for number in numbers {
        let event = number.to_be_bytes().to_vec().into();
        let appended = engine.append(name, event).await;
        if report.done(appended, "an append").is_none() {
            return;
        }
    }
}

/// The first events of a stream, up to `count`.
async fn numbers(
    mut followed: impl Stream<Item = Result<Bytes, EngineError>> + Unpin,
    count: u32,
) -> Vec<u32> {
    let mut numbers = Vec::new();
    while numbers.len() < count as usize {
        let Some(Some(Ok(event))) = soon(followed.next()).await else {
            break;
        };
        let number = <[u8; 4]>::try_from(&*event).unwrap_or([0xff; 4]);
        numbers.push(u32::from_be_bytes(number));
    }
    numbers
}
