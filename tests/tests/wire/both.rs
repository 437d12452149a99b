//! One request over both transports, whose replies must be the same.

use serde_json::Value;

use crate::fixture::Fixture;
use crate::http::Http;
use crate::sender::Sender;
use crate::stream::Stream;

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The replies to one request, over both transports.
pub(crate) async fn both(fixture: &Fixture, sender: Sender, template: &str) -> [Value; 2] {
    let mut stream = Stream::open(&fixture.server, sender).await;
    let over_stream = stream.ask(template).await;
    stream.before_a_good_reply(template).await;
    let http = Http::listen(&fixture.server).await;
    let over_http = http.client(sender).await.send(template).await.body;
    assert_eq!(over_stream, over_http);
    [json(&over_stream), json(&over_http)]
}
