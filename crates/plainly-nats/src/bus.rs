//! The bus: one subject for all replicas, and one for each replica. A replica exists for others
//! while it listens to its subject.

use std::time::Duration;

use async_nats::{HeaderMap, Message};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use plainly_cluster::{Bus, Heard, ReplicaId, Responder, Unanswered};
use tokio::sync::watch;

use crate::Nats;
use crate::connection::{Connection, News, NoReply, within};

impl Bus for Nats {
    fn id(&self) -> ReplicaId {
        self.id
    }

    fn tell(&self, event: Bytes) {
        self.connection.publish(self.everybody(), event);
    }

    async fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        time: Duration,
    ) -> Result<Bytes, Unanswered> {
        let (subject, until) = (self.replica(whom), within(time));
        let reply = self
            .connection
            .request(&subject, HeaderMap::new(), question, until);
        match reply.await {
            Ok(message) => Ok(message.payload),
            Err(NoReply::Nobody) => Err(Unanswered::Gone),
            Err(NoReply::Down(_) | NoReply::Denied(_) | NoReply::TooLarge) => {
                Err(Unanswered::Unsent)
            }
            Err(NoReply::Silent(_)) => Err(Unanswered::Silent),
        }
    }

    fn hear(&self) -> impl Stream<Item = Heard> + Send + 'static {
        let connection = self.connection.clone();
        let told = connection.subscribe(self.everybody());
        let asked = connection.subscribe(self.replica(self.id));
        let gaps = gaps(connection.news());
        stream::once(async move {
            let told = stream::iter(told.await).flatten();
            let told = told.map(|message| Heard::Event(message.payload));
            let asked = stream::iter(asked.await).flatten();
            let asked = asked.filter_map(move |message| {
                std::future::ready(question(message, connection.clone()))
            });
            stream::select(gaps, stream::select(told, asked))
        })
        .flatten()
    }
}

impl Nats {
    fn everybody(&self) -> String {
        format!("{}.tell", self.root)
    }

    fn replica(&self, id: ReplicaId) -> String {
        format!("{}.at.{id}", self.root)
    }
}

fn question(message: Message, connection: Connection) -> Option<Heard> {
    let way_back = message.reply?.to_string();
    let responder = Responder::new(move |answer| connection.publish(way_back, answer));
    Some(Heard::Question(message.payload, responder))
}

/// Yields a gap each time messages may have been missed.
fn gaps(news: watch::Receiver<News>) -> impl Stream<Item = Heard> + Send + 'static {
    let gaps = news.borrow().gaps;
    stream::unfold((news, gaps), |(mut news, before)| async move {
        let gaps = news.wait_for(|news| news.gaps != before).await.ok()?.gaps;
        Some((Heard::Gap, (news, gaps)))
    })
}
