//! One request over both transports, whose replies must be equal.

use serde_json::Value;

use crate::fixture::Fixture;
use crate::http::{Client, Http};
use crate::sender::Sender;
use crate::stream::Stream;

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns the replies to one request over both transports.
pub(crate) async fn both(fixture: &Fixture, sender: Sender, template: &str) -> [Value; 2] {
    let stream = Stream::open(&fixture.server, sender).await;
    let http = Http::listen(&fixture.server).await;
    replies(stream, http.client(sender).await, template).await
}

/// Returns the replies to one invalid request over both transports.
pub(crate) async fn both_wrong(fixture: &Fixture, sender: Sender, template: &str) -> [Value; 2] {
    let stream = Stream::careless(&fixture.server, sender).await;
    let http = Http::listen(&fixture.server).await;
    let client = http.client(sender).await.saying_anything();
    replies(stream, client, template).await
}

async fn replies(mut stream: Stream, client: Client, template: &str) -> [Value; 2] {
    let over_stream = stream.ask(template).await;
    stream.before_a_good_reply(template).await;
    let over_http = client.send(template).await.body;
    assert_eq!(over_stream, over_http);
    [json(&over_stream), json(&over_http)]
}
