//! A network path to a server that can be cut.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::future::pending;

use tokio::io::{copy, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The state of a [`Proxy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Open,
    /// No data arrives, and connections stay open.
    Silent,
    /// No data from the server arrives.
    Deaf,
    /// No data arrives at the server.
    Mute,
    /// Connections are closed, including new ones.
    Closed,
}

/// A proxy that forwards connections to a port of this machine.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) port: u16,
    way: watch::Sender<Way>,
}

impl Proxy {
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (way, open) = watch::channel(Way::Open);
        let own = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(pass(near, port, open.clone()));
            }
        });
        Self { port: own, way }
    }

    pub(crate) fn set(&self, way: Way) {
        self.way.send_replace(way);
    }
}

async fn pass(mut near: TcpStream, port: u16, mut way: watch::Receiver<Way>) {
    let Ok(mut far) = TcpStream::connect(("127.0.0.1", port)).await else {
        return;
    };
    loop {
        let now = *way.borrow_and_update();
        let passing = async {
            match now {
                Way::Open => copy_bidirectional(&mut near, &mut far).await.map(drop),
                Way::Silent => pending().await,
                Way::Deaf => copy(&mut near.split().0, &mut far.split().1)
                    .await
                    .map(drop),
                Way::Mute => copy(&mut far.split().0, &mut near.split().1)
                    .await
                    .map(drop),
                Way::Closed => Ok(()),
            }
        };
        tokio::select! {
            // Data that is in transit is lost with the connection.
            _changed = way.changed() => if now != Way::Open { return },
            _ended = passing => return,
        }
    }
}
