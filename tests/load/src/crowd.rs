//! Many at once.

use std::sync::Arc;

use anyhow::Result;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::peer::{Peer, Source};
use crate::process::Server;

/// Connections that are being made at a time: fewer than the operating system lets wait.
const AT_A_TIME: usize = 256;

/// Does something for each number, all at the same time, and gathers what comes of it in no particular order.
pub(crate) async fn each<F, T>(count: usize, doing: impl Fn(usize) -> F) -> Vec<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let all: JoinSet<T> = (0..count).map(doing).collect();
    all.join_all().await
}

/// Opens connections, each from an address of its own: each is a caller with a share of its own.
pub(crate) async fn connect(server: &Server, count: usize) -> Result<Vec<Peer>> {
    connect_from(server, 0..count, false).await
}

/// The same for those of these numbers; narrow if the operating system is to keep little for them.
pub(crate) async fn connect_from(
    server: &Server,
    numbers: std::ops::Range<usize>,
    are_narrow: bool,
) -> Result<Vec<Peer>> {
    let turns = Arc::new(Semaphore::new(AT_A_TIME));
    let (address, first) = (server.address, numbers.start);
    let peers = each(numbers.len(), move |number| {
        let turns = Arc::clone(&turns);
        async move {
            let _turn = turns.acquire_owned().await?;
            let source = Source::other(first + number);
            match are_narrow {
                true => Peer::connect_narrow(address, source).await,
                false => Peer::connect(address, source).await,
            }
        }
    });
    peers.await.into_iter().collect()
}
