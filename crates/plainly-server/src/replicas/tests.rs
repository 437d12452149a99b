//! Messages over an engine of one process: each arrives complete, once, in order, and only at
//! replicas of the same server.

use std::time::SystemTime;

use futures_util::FutureExt as _;
use plainly_cluster::erased::ErasedBus;
use plainly_cluster::{Bus, InProcess, Replica};

use super::*;
use plainly_transport::seal::Sealer;

fn replicas(replica: &Replica, server: &str, key: u8) -> Arc<Replicas> {
    let keys = Keys::new([key; 32]);
    let engine = CountedEngine::new(Arc::new(replica.clone()));
    Arc::new(Replicas::new(Arc::new(engine), server, keys))
}

/// Returns two replicas, their parts of the engine, and a third part that no replica uses.
fn pair() -> ([Arc<Replicas>; 2], [Replica; 3]) {
    let engine = InProcess::new();
    let parts = [engine.replica(), engine.replica(), engine.replica()];
    let [one, other, _] = &parts;
    let pair = [one, other].map(|part| replicas(part, "notes", 1));
    (pair, parts)
}

fn changed(uri: &str) -> ReplicaEvent {
    ReplicaEvent::Changed(Topic::Resource(uri.into()).into())
}

/// Returns the messages that have already arrived.
fn heard(messages: &mut BoxStream<'static, ReplicaMessage>) -> Vec<String> {
    let heard = std::iter::from_fn(|| messages.next().now_or_never().flatten());
    heard.map(|message| format!("{message:?}")).collect()
}

/// Returns the text of the event that the resource with this URI has changed.
fn news(uri: &str) -> String {
    format!("{:?}", ReplicaMessage::Event(changed(uri)))
}

#[tokio::test(start_paused = true)]
async fn a_hole_is_a_gap_and_so_is_one_at_the_end_once_it_is_quiet() {
    let ([one, other], [part, ..]) = pair();
    let mut messages = other.hear();
    tokio::spawn(Arc::clone(&one).repeat_numbers());
    one.tell(&changed("a:1"));
    part.fail(|faults| faults.lost_events = 1);
    one.tell(&changed("a:2"));
    one.tell(&changed("a:3"));
    assert_eq!(heard(&mut messages), [&*news("a:1"), "Gap", &news("a:3")]);
    part.fail(|faults| faults.lost_events = 1);
    one.tell(&changed("a:4"));
    assert_eq!(heard(&mut messages), [""; 0]);
    sleep(QUIET * 2).await;
    assert_eq!(heard(&mut messages), ["Gap"]);
    sleep(QUIET * 2).await;
    assert_eq!(heard(&mut messages), [""; 0]);
}

#[tokio::test]
async fn doubled_and_mixed_events_are_heard_once() {
    let ([one, other], [.., stranger]) = pair();
    let mut spied = ErasedBus::hear(&stranger);
    let mut messages = other.hear();
    one.tell(&changed("a:1"));
    one.tell(&changed("a:2"));
    assert_eq!(heard(&mut messages), [news("a:1"), news("a:2")]);
    while let Some(Some(Heard::Event(event))) = spied.next().now_or_never() {
        Bus::tell(&stranger, event);
    }
    assert_eq!(heard(&mut messages), [""; 0]);
}

#[tokio::test]
async fn poison() {
    let ([one, other], [.., stranger]) = pair();
    let mut spied = ErasedBus::hear(&stranger);
    let mut messages = other.hear();
    for (server, key) in [("notes", 2), ("others", 1)] {
        replicas(&stranger, server, key).tell(&changed("a:1"));
    }
    one.tell(&changed("a:2"));
    let Some(Some(Heard::Event(event))) = spied.next().now_or_never() else {
        panic!("a replica hears what others send");
    };
    assert_eq!(heard(&mut messages), [news("a:2")]);
    for place in 0..event.len() {
        let mut broken = event.to_vec();
        broken[place] ^= 1;
        Bus::tell(&stranger, broken.into());
        Bus::tell(&stranger, event.slice(..place));
    }
    assert_eq!(heard(&mut messages), [""; 0]);
}

#[tokio::test]
async fn clock_off_an_hour() {
    let ([one, other], [.., stranger]) = pair();
    let mut messages = other.hear();
    let sealer = Sealer::new(Some(Keys::new([1; 32])));
    let own = Bus::id(&stranger).to_string();
    let event = encode(&Numbered::new(1, Some(changed("a:1"))));
    let (now, hour) = (SystemTime::now(), Duration::from_secs(60 * 60));
    for sent in [now - hour, now + hour] {
        let at = sent
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap()
            .as_millis();
        let event = [&(at as u64).to_be_bytes(), &*event].concat();
        let sealed = sealer.seal_bytes(&["tell", "notes", &own], &event, sent, Duration::MAX);
        let event = [&[1], own.as_bytes(), &sealed.unwrap()].concat();
        Bus::tell(&stranger, event.into());
    }
    assert_eq!(heard(&mut messages), [""; 0]);
    // Events of other replicas still arrive.
    one.tell(&changed("a:2"));
    assert_eq!(heard(&mut messages), [news("a:2")]);
}

/// Answers all questions with Yes until `asking` ends, and returns the number of questions.
async fn say_yes(replicas: &Arc<Replicas>, asking: impl Future) -> usize {
    let mut messages = replicas.hear();
    let mut asking = std::pin::pin!(asking);
    let mut count = 0;
    loop {
        tokio::select! {
            _done = &mut asking => return count,
            message = messages.next() => {
                let Some(ReplicaMessage::Question(ReplicaQuestion::Runs, way)) = message else {
                    panic!("{message:?}");
                };
                count += 1;
                way.answer(ReplicaAnswer::Yes);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_is_heard_once_by_its_receiver_alone() {
    let ([one, other], [.., stranger]) = pair();
    let asked = say_yes(&other, async {
        let answer = one.ask(other.id(), &ReplicaQuestion::Runs).await;
        assert_eq!(answer, Ok(ReplicaAnswer::Yes));
        let question = encode(&Numbered::new(7, ReplicaQuestion::Runs));
        let sealed = one.envelopes.seal_question(other.id(), &question).unwrap();
        for is_first in [true, false] {
            let answer = Bus::ask(&stranger, other.id(), sealed.clone(), PAUSE).await;
            assert_eq!(answer.is_ok(), is_first);
        }
        let moved = one.envelopes.seal_question(one.id(), &question).unwrap();
        let answer = Bus::ask(&stranger, other.id(), moved, PAUSE).await;
        assert_eq!(answer, Err(Unanswered::Silent));
    });
    assert_eq!(asked.await, 2);
    let began = Instant::now();
    let answer = one.ask(other.id(), &ReplicaQuestion::Runs).await;
    assert_eq!(answer, Err(Unanswered::Gone));
    assert!(began.elapsed() >= COMES_BACK);
}
