//! The bus: one channel for all replicas, and for each replica one for questions and one for
//! answers. A replica exists for others while it listens to its channel.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use plainly_cluster::{Bus, Heard, ReplicaId, Responder, Unanswered};
use plainly_transport::lock::Lock;
use redis::{Cmd, cmd};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout_at;

use crate::channels::Listening;
use crate::connection::{State, within};
use crate::failure::Failure;
use crate::{MOST, Redis};

/// The maximum number of unread messages.
const UNREAD: usize = 4 * 1024;
/// The number of digits in the number of a question, and in the id of a replica.
const DIGITS: usize = 16;

/// The questions of this replica that wait for an answer.
#[derive(Default)]
pub(crate) struct Questions(Lock<(u64, HashMap<u64, oneshot::Sender<Bytes>>)>);

/// A question, which is removed when this is dropped.
struct Question<'a>(&'a Questions, u64);

impl Questions {
    fn ask(&self) -> (Question<'_>, oneshot::Receiver<Bytes>) {
        let (sender, answer) = oneshot::channel();
        let mut questions = self.0.lock();
        questions.0 += 1;
        let number = questions.0;
        questions.1.insert(number, sender);
        (Question(self, number), answer)
    }

    /// Passes an answer on to its question.
    pub(crate) fn answer(&self, mut message: Bytes) {
        let asked = number(&mut message).and_then(|number| self.0.lock().1.remove(&number));
        if let Some(asked) = asked {
            // The caller may have gone.
            let _gone = asked.send(message);
        }
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.0.0.lock().1.remove(&self.1);
    }
}

impl Bus for Redis {
    fn id(&self) -> ReplicaId {
        self.id
    }

    fn tell(&self, event: Bytes) {
        if event.len() <= MOST {
            self.connection.send(publish(&self.everybody(), &[&event]));
        }
    }

    async fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        time: Duration,
    ) -> Result<Bytes, Unanswered> {
        let until = within(time);
        let link = self.connection.link().ok_or(Unanswered::Unsent)?;
        if question.len() > MOST {
            return Err(Unanswered::Unsent);
        }
        let (asked, answer) = self.questions.ask();
        let (id, number) = (self.id.to_string(), digits(asked.1));
        let parts = [id.as_bytes(), number.as_bytes(), &question];
        let command = publish(&self.replica(whom), &parts);
        match link.ask::<u64>(&command, until).await {
            Ok(0) => return Err(Unanswered::Gone),
            Ok(_) => {}
            Err(Failure::Later(_) | Failure::Never(_)) => return Err(Unanswered::Unsent),
            Err(Failure::Unknown(_)) => return Err(Unanswered::Silent),
        }
        let mut state = self.connection.state();
        let is_other = |state: &State| state.number() != Some(link.number);
        tokio::select! {
            answer = timeout_at(until, answer) => match answer {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(_)) | Err(_) => Err(Unanswered::Silent),
            },
            // The answer may have been lost with the connection.
            _ = state.wait_for(is_other) => Err(Unanswered::Silent),
        }
    }

    fn hear(&self) -> impl Stream<Item = Heard> + Send + 'static {
        let (sender, heard) = mpsc::channel(UNREAD);
        let listening = [
            self.listen(self.everybody(), sender.clone(), |_, event| {
                Some(Heard::Event(event))
            }),
            self.listen(self.replica(self.id), sender, Self::question),
        ];
        let gaps = gaps(self.connection.gaps());
        let heard = stream::unfold((heard, listening), |(mut heard, listening)| async {
            let next = heard.recv().await?;
            Some((next, (heard, listening)))
        });
        stream::select(gaps, heard)
    }
}

impl Redis {
    fn everybody(&self) -> String {
        format!("{}:tell", self.root)
    }

    fn replica(&self, id: ReplicaId) -> String {
        format!("{}:at:{id}", self.root)
    }

    /// Queues the messages of a channel. A message that doesn't fit into the queue causes a gap.
    fn listen(
        &self,
        channel: String,
        queue: mpsc::Sender<Heard>,
        read: fn(&Self, Bytes) -> Option<Heard>,
    ) -> Listening {
        let redis = self.clone();
        let ear = move |message: Bytes| {
            // Replicas never send longer messages.
            if message.len() <= MOST + 2 * DIGITS
                && let Some(heard) = read(&redis, message)
                && queue.try_send(heard).is_err()
            {
                redis.connection.note_gap();
            }
        };
        self.connection.channels.listen(channel, ear)
    }

    fn question(&self, mut message: Bytes) -> Option<Heard> {
        let way_back = inbox(&self.root, ReplicaId::new(number(&mut message)?));
        let question = digits(number(&mut message)?);
        let connection = self.connection.clone();
        let responder = Responder::new(move |answer: Bytes| {
            connection.send(publish(&way_back, &[question.as_bytes(), &answer]));
        });
        Some(Heard::Question(message, responder))
    }
}

/// The channel for answers to a replica.
pub(crate) fn inbox(root: &str, id: ReplicaId) -> String {
    format!("{root}:inbox:{id}")
}

/// Removes the number at the beginning of a message.
fn number(message: &mut Bytes) -> Option<u64> {
    let digits = message.get(..DIGITS)?;
    let number = u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    let _digits = message.split_to(DIGITS);
    Some(number)
}

fn digits(number: u64) -> String {
    format!("{number:016x}")
}

fn publish(channel: &str, parts: &[&[u8]]) -> Cmd {
    let mut command = cmd("PUBLISH");
    command.arg(channel).arg(parts.concat());
    command
}

/// Yields a gap each time messages may have been missed.
fn gaps(gaps: watch::Receiver<()>) -> impl Stream<Item = Heard> + Send + 'static {
    stream::unfold(gaps, |mut gaps| async {
        gaps.changed().await.ok()?;
        Some((Heard::Gap, gaps))
    })
}
