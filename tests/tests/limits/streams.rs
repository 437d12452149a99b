//! A peer at the other end of a byte stream that reads little or nothing.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::time::{Instant, sleep};

use crate::support::{saying, server};
use plainly_peer::Peer;

#[tokio::test(start_paused = true)]
async fn who_takes_nothing_is_given_up_after_the_time_that_is_set() {
    for seconds in [1, 30, 90] {
        let time = Duration::from_secs(seconds);
        let (server, _) = server(|limits| limits.write_stall = time);
        let mut stream = Peer::known(&server, None, 4 << 10);
        stream.send_all(&[saying(1, 100_000)]).await;
        let start = Instant::now();
        let error = stream.served().await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
        assert_eq!(start.elapsed().as_secs(), seconds);
        // The server still serves others.
        let mut other = Peer::known(&server, None, 4 << 10);
        assert!(other.ask(saying(1, 1)).await["result"].is_object());
    }
}

#[tokio::test(start_paused = true)]
async fn who_takes_a_little_now_and_then_gets_it_all() {
    let (server, _) = server(|_| {});
    let mut stream = Peer::known(&server, None, 4 << 10);
    stream.send_all(&[saying(1, 100_000), saying(2, 1)]).await;
    let (mut read, mut piece) = (0, vec![0; 4 << 10]);
    while read < 100_000 {
        sleep(Duration::from_secs(29)).await;
        read += stream.stream.read(&mut piece).await.unwrap();
    }
    assert!(!stream.is_over());
}
