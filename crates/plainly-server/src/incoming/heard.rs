//! The messages of other replicas, and how this server handles them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use plainly_protocol::envelope::{self, Envelope, Message};
use plainly_protocol::peer::Principal;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::changes::Changes;
use crate::failure::incident::chain;
use crate::replicas::{ReplicaAnswer, ReplicaEvent, ReplicaMessage, ReplicaQuestion, Replicas};
use crate::{Inner, Server};

/// The time over which subscribers are notified that everything may have changed.
const SPREAD: Duration = Duration::from_secs(1);

impl Server {
    /// Receives messages from the other replicas, if there are any, until the server is dropped.
    /// With replicas it must be called within a runtime.
    pub(crate) fn hearing_replicas(self) -> Self {
        if let Some(replicas) = &self.0.replicas {
            let server = Arc::downgrade(&self.0);
            // Subscribed before any replica is asked a question.
            let messages = replicas.hear();
            let hearing = hear(Weak::clone(&server), Arc::clone(replicas), messages).boxed();
            let repeating = Arc::clone(replicas).repeat_numbers().boxed();
            let changes = self.0.subscriptions.changes().clone();
            let making_good = make_good(changes, replicas.gaps()).boxed();
            let rounds = Arc::clone(replicas).meet_in_rounds().boxed();
            let differs = move || {
                if let Some(server) = server.upgrade() {
                    Self(server).lists_may_differ();
                }
            };
            let lists = self.lists().map(str::to_owned);
            let meeting = Arc::clone(replicas).meet_those_that_show(lists, differs);
            let tasks = [hearing, repeating, making_good, rounds, meeting.boxed()];
            self.0.hearing.get_or_init(|| JoinSet::from_iter(tasks));
        }
        self
    }

    fn heard(self, replicas: &Arc<Replicas>, message: ReplicaMessage) {
        match message {
            ReplicaMessage::Gap => replicas.miss(),
            ReplicaMessage::Event(event) => self.happened(event),
            ReplicaMessage::Question(ReplicaQuestion::Meet, way) => way.answer(self.here(replicas)),
            ReplicaMessage::Question(question, way) => {
                let replicas = Arc::clone(replicas);
                tokio::spawn(async move {
                    let answer = match replicas.whole(question).await {
                        Ok(question) => self.asked(question).await,
                        Err(answer) => answer,
                    };
                    way.answer(answer);
                });
            }
        }
    }

    /// Handles an event.
    fn happened(&self, event: ReplicaEvent) {
        match event {
            ReplicaEvent::Changed(topic) => {
                self.0.subscriptions.changes().receive(&topic.into());
            }
            ReplicaEvent::Cancelled { session, id } => {
                if let Some(session) = self.0.sessions.find_here(&session) {
                    session.in_flight.cancel(&id);
                }
            }
            ReplicaEvent::Ended { session } => self.0.sessions.end_here(&session),
            // The sender has already been asked.
            ReplicaEvent::Who => {}
        }
    }

    /// Answers a question.
    async fn asked(&self, question: ReplicaQuestion) -> ReplicaAnswer {
        let is_so = match question {
            ReplicaQuestion::Runs => true,
            // `heard` answers `Meet`, and a stored question can't contain another stored one.
            ReplicaQuestion::Meet | ReplicaQuestion::Stored { .. } => false,
            ReplicaQuestion::Answer { session, response } => self.answered(&session, &response),
            ReplicaQuestion::Holds { session } => {
                let session = self.0.sessions.find_here(&session);
                session.is_some_and(|session| session.subscription.is_open())
            }
            ReplicaQuestion::Taken { session, stream } => {
                let session = self.0.sessions.find_here(&session);
                let streams = session.and_then(|session| session.streams.clone());
                streams.is_some_and(|streams| streams.take(stream))
            }
            ReplicaQuestion::CatchUp { session } => self.catch_up(&session).await,
            ReplicaQuestion::Put {
                pipe,
                principal,
                message,
            } => {
                let principal = principal.map(Principal::new);
                let message = message.into_bytes().into();
                return self.put_here(&pipe, principal.as_ref(), message).await;
            }
        };
        match is_so {
            true => ReplicaAnswer::Yes,
            false => ReplicaAnswer::No,
        }
    }

    /// Accepts an answer that a client sent to another replica.
    fn answered(&self, session: &str, response: &str) -> bool {
        let session = self.0.sessions.find_here(session);
        let read = envelope::parse(response.as_bytes(), &self.limits().envelope);
        match (session, read) {
            (Some(session), Ok(Envelope::Single(Message::Response(response)))) => {
                session.unanswered.answer(&response);
                true
            }
            (None, _) | (_, Ok(_) | Err(_)) => false,
        }
    }

    /// Applies the data that another replica has stored for a session.
    async fn catch_up(&self, session: &str) -> bool {
        let Some(session) = self.0.sessions.find_here(session) else {
            return false;
        };
        match session.catch_up().await {
            Ok(goes_on) => goes_on,
            Err(error) => {
                tracing::warn!(error = chain(&error), "a session could not be looked up");
                false
            }
        }
    }
}

async fn hear(
    server: Weak<Inner>,
    replicas: Arc<Replicas>,
    mut messages: BoxStream<'static, ReplicaMessage>,
) {
    while let Some(message) = messages.next().await {
        let Some(server) = server.upgrade() else {
            return;
        };
        Server(server).heard(&replicas, message);
    }
}

/// Notifies subscribers that everything may have changed, each time that events may be missing.
/// Never ends.
async fn make_good(changes: Changes, mut gaps: watch::Receiver<u64>) {
    while gaps.changed().await.is_ok() {
        // An engine may report several gaps in quick succession.
        let next = Instant::now() + SPREAD;
        changes.everything_changes_over(SPREAD).await;
        sleep_until(next).await;
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use plainly_transport::quota::Quota;
    use tokio::time::sleep;

    use super::*;
    use crate::changes::Topic;

    #[tokio::test(start_paused = true)]
    async fn many_gaps_are_reported_once_a_second_and_the_last_one_too() {
        let (changes, gaps) = (Changes::new(), watch::Sender::<u64>::default());
        let _making = JoinSet::from_iter([make_good(changes.clone(), gaps.subscribe())]);
        let subscription = changes.subscribe(Quota::new(usize::MAX).part(None));
        subscription.add([Topic::Tools]).unwrap();
        let began = Instant::now();
        let flood = async {
            for _ in 0..2_500 {
                gaps.send_modify(|gaps| *gaps += 1);
                sleep(Duration::from_millis(1)).await;
            }
        };
        let told = async {
            for second in 0..4 {
                poll_fn(|context| subscription.poll_next(context)).await;
                assert_eq!(began.elapsed().as_secs(), second);
            }
        };
        tokio::join!(flood, told);
        tokio::select! {
            _ = poll_fn(|context| subscription.poll_next(context)) => panic!("told for nothing"),
            () = sleep(2 * SPREAD) => {}
        }
    }
}
