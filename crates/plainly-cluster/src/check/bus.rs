//! The rules of a bus.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};

use super::{PAUSE, Report, SOON, soon, until};
use crate::bus::{Heard, Unanswered};
use crate::engine::Engine;
use crate::replica_id::ReplicaId;

/// The number of events sent at once.
const EVENTS: u32 = 100;

pub(super) async fn check(report: &mut Report, one: &impl Engine, other: &impl Engine) {
    let mut heard = Box::pin(other.hear());
    // An engine may need a moment until other replicas reach a new listener.
    let reached = until(async || {
        one.tell("hello".into());
        let first = tokio::time::timeout(PAUSE, heard.next()).await;
        matches!(first, Ok(Some(Heard::Event(event))) if event == "hello")
    });
    report.rule(reached.await, "an event is heard by another replica");
    for number in 0..EVENTS {
        one.tell(number.to_be_bytes().to_vec().into());
    }
    let mut numbers = Vec::new();
    while numbers.len() < EVENTS as usize {
        match soon(heard.next()).await {
            Some(Some(Heard::Event(event))) => {
                // Some of the first events may still arrive.
                let number = <[u8; 4]>::try_from(&*event);
                numbers.extend(number.map(u32::from_be_bytes));
            }
            Some(Some(Heard::Question(..) | Heard::Gap) | None) | None => break,
        }
    }
    report.rule(
        numbers.into_iter().eq(0..EVENTS),
        "the events of a replica are heard in their order",
    );
    questions(report, one, other, heard).await;
}

async fn questions(
    report: &mut Report,
    one: &impl Engine,
    other: &impl Engine,
    heard: impl Stream<Item = Heard>,
) {
    let largest = Bytes::from(vec![b'x'; one.max_value()]);
    {
        let mut heard = pin!(heard);
        for (question, why) in [
            (Bytes::from_static(b"how are you?"), "a question"),
            (Bytes::new(), "an empty question"),
            (largest, "a question of the largest size"),
        ] {
            let asked = one.ask(other.id(), question.clone(), SOON);
            let (answer, is_asked) = tokio::join!(asked, answer(heard.as_mut()));
            let is_answered = answer.as_ref() == Ok(&question);
            report.rule(is_asked && is_answered, format!("{why} is answered"));
        }
        let brief = Duration::from_millis(200);
        let asked = one.ask(other.id(), "are you there?".into(), brief);
        let (silence, unanswered) = tokio::join!(asked, soon(question(heard.as_mut())));
        report.rule(
            silence == Err(Unanswered::Silent),
            "a replica that does not answer in time is silent",
        );
        drop(unanswered);
    }
    let nobody = ReplicaId::new(0);
    let asked = one.ask(nobody, "are you there?".into(), SOON).await;
    report.rule(
        asked == Err(Unanswered::Gone),
        "a replica that never was is gone",
    );
    let is_gone = until(async || {
        let asked = one.ask(other.id(), "are you there?".into(), PAUSE).await;
        asked == Err(Unanswered::Gone)
    });
    report.rule(is_gone.await, "a replica that no longer hears is gone");
}

/// The next question in the stream.
async fn question(mut heard: impl Stream<Item = Heard> + Unpin) -> Option<Heard> {
    loop {
        match heard.next().await? {
            Heard::Event(_) | Heard::Gap => {}
            question @ Heard::Question(..) => return Some(question),
        }
    }
}

/// Answers the next question with the question itself.
async fn answer(heard: impl Stream<Item = Heard> + Unpin) -> bool {
    let heard = soon(question(heard)).await.flatten();
    if let Some(Heard::Question(question, responder)) = heard {
        responder.answer(question);
        return true;
    }
    false
}
