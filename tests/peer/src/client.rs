//! A client of one revision that sends raw messages, with the same interface over a byte stream and
//! over HTTP.

use std::sync::Arc;

use plainly::Revision;
use plainly::server::Server;
use serde_json::{Value, json};

use crate::message::{self, headers};
use crate::{Peer, Response, Site};

/// A client of a server.
#[derive(Debug)]
pub struct Client {
    wire: Wire,
    /// The revision.
    pub revision: Revision,
    /// The client's capabilities.
    pub capabilities: Value,
    /// The server's result for the handshake; null without a session.
    pub opened: Value,
    /// The user whom a layer around the server authenticates. Over HTTP only.
    pub user: Option<&'static str>,
    count: u64,
}

#[derive(Debug)]
enum Wire {
    Stream(Peer),
    Http {
        site: Arc<Site>,
        session: Option<String>,
        /// The response to the last request.
        coming: Option<Response>,
    },
}

impl Client {
    /// Connects over a byte stream.
    pub async fn stream(server: &Server, revision: Revision, capabilities: Value) -> Self {
        Self::over(Peer::connect(server), revision, capabilities).await
    }

    /// Connects over this byte stream.
    pub async fn over(peer: Peer, revision: Revision, capabilities: Value) -> Self {
        Self::open(Wire::Stream(peer), revision, capabilities).await
    }

    /// Connects over HTTP, with a layer that authenticates users.
    pub async fn http(server: &Server, revision: Revision, capabilities: Value) -> Self {
        let site = Arc::new(Site::serve_users(server.http()).await);
        let wire = Wire::Http {
            site,
            session: None,
            coming: None,
        };
        Self::open(wire, revision, capabilities).await
    }

    /// Connects one client over each transport.
    pub async fn both(server: &Server, revision: Revision, capabilities: Value) -> [Self; 2] {
        [
            Self::stream(server, revision, capabilities.clone()).await,
            Self::http(server, revision, capabilities).await,
        ]
    }

    /// Opens a session, if the revision has sessions.
    async fn open(wire: Wire, revision: Revision, capabilities: Value) -> Self {
        let mut client = Self {
            wire,
            revision,
            capabilities: capabilities.clone(),
            opened: Value::Null,
            user: None,
            count: 0,
        };
        if revision.traits().sessions {
            let initialize = message::initialize_with(revision.as_str(), capabilities);
            let mut reply = client.exchange(&initialize).await;
            assert!(reply["result"].is_object(), "{reply}");
            client.opened = reply["result"].take();
        }
        client
    }

    /// A client of the same site with this user, without a session.
    #[must_use]
    pub fn known_as(&self, user: &'static str) -> Self {
        Self {
            wire: Wire::Http {
                site: Arc::clone(self.site()),
                session: None,
                coming: None,
            },
            revision: self.revision,
            capabilities: self.capabilities.clone(),
            opened: Value::Null,
            user: Some(user),
            count: 0,
        }
    }

    /// The client's end of the byte stream.
    pub fn peer(&mut self) -> &mut Peer {
        match &mut self.wire {
            Wire::Stream(peer) => peer,
            Wire::Http { .. } => panic!("over HTTP a request waits for its response"),
        }
    }

    fn site(&self) -> &Arc<Site> {
        match &self.wire {
            Wire::Http { site, .. } => site,
            Wire::Stream(_) => panic!("a stream has no site"),
        }
    }

    /// The id of the session over HTTP.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        match &self.wire {
            Wire::Http { session, .. } => session.as_deref(),
            Wire::Stream(_) => None,
        }
    }

    /// Creates the next request, in the form of the revision.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        if self.revision.traits().sessions {
            message::request(self.count, method, params)
        } else {
            message::capable(self.count, method, params, self.capabilities.clone())
        }
    }

    /// Sends a message. Over HTTP, [`next`](Self::next) reads the response to a request; other
    /// messages must be accepted.
    pub async fn send(&mut self, message: &Value) {
        if let Wire::Stream(peer) = &mut self.wire {
            return peer.send(message).await;
        }
        let response = self.post(message).await;
        let Wire::Http {
            session, coming, ..
        } = &mut self.wire
        else {
            return;
        };
        if message.get("method").is_none() || message.get("id").is_none() {
            return assert_eq!(response.status, 202, "{message}");
        }
        let opened = response.header("mcp-session-id").map(str::to_owned);
        *session = opened.or_else(|| session.take());
        *coming = Some(response);
    }

    /// Reads the next message.
    pub async fn next(&mut self) -> Value {
        match &mut self.wire {
            Wire::Stream(peer) => peer.next().await,
            Wire::Http { coming, .. } => {
                let coming = coming.as_mut().expect("nothing was asked");
                coming.message().await
            }
        }
    }

    /// Sends a request, and returns its id.
    pub async fn start(&mut self, method: &str, params: Value) -> u64 {
        let request = self.request(method, params);
        self.send(&request).await;
        self.count
    }

    /// Sends a request, and returns the next message.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.start(method, params).await;
        self.next().await
    }

    /// Calls a tool without arguments, and returns the next message.
    pub async fn call(&mut self, tool: &str) -> Value {
        self.ask("tools/call", json!({"name": tool})).await
    }

    /// Sends this request, and returns the next message.
    pub async fn exchange(&mut self, request: &Value) -> Value {
        self.send(request).await;
        self.next().await
    }

    /// Sends this request, and returns all messages up to its reply.
    pub async fn hear(&mut self, request: &Value) -> Vec<Value> {
        let mut heard = vec![self.exchange(request).await];
        while heard.last().is_some_and(|last| last.get("id").is_none()) {
            heard.push(self.next().await);
        }
        heard
    }

    /// Posts a message with the headers of a correct client.
    pub async fn post(&self, message: &Value) -> Response {
        self.post_with(&headers(message, self.session()), message)
            .await
    }

    /// Posts a message with these headers, and the header of its user.
    pub async fn post_with(&self, headers: &str, message: &Value) -> Response {
        let user = self.user.map(|user| format!("User: {user}\r\n"));
        let headers = user.unwrap_or_default() + headers;
        self.site().send("POST /", &headers, message).await
    }

    /// Posts a request, and returns the response.
    pub async fn begin(&mut self, method: &str, params: Value) -> Response {
        let request = self.request(method, params);
        self.post(&request).await
    }

    /// Ends the session.
    pub async fn end_session(&self) {
        let session = self.session().expect("there is no session");
        let session = format!("Mcp-Session-Id: {session}\r\n");
        let ended = self.site().bare("DELETE /", &session, "").await;
        assert_eq!(ended.status, 204);
    }
}
