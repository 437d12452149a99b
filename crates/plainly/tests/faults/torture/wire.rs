//! A client's ends of pipes. The server's ends, where it reads and writes, fail as planned.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use plainly::server::Server;
use serde_json::Value;
use tokio::io::{BufReader, DuplexStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tower_service::Service;

use super::faults::{Fault, Faulty, Plan};
use super::framing::{Way, head, headers, post};
use super::response::{Response, line, say, write};

/// The expected end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut;

/// The host of all requests.
const HOST: &str = "localhost";
/// A time longer than a server takes for any step.
const PATIENCE: Duration = Duration::from_secs(300);
/// The size of a pipe, which is smaller than most messages, so that some are sent in parts.
const PIPE: usize = 1 << 10;

/// A client's end of a connection.
pub(crate) struct Wire {
    plan: Arc<Plan>,
    /// The ids of answered requests.
    answered: HashSet<String>,
    /// All received messages, in order.
    pub(crate) heard: Vec<String>,
    /// The tasks that serve the client.
    serving: Vec<JoinHandle<()>>,
    stop: Arc<Notify>,
    kind: Kind,
}

enum Kind {
    Stream(BufReader<DuplexStream>),
    Http {
        server: Server,
        session: Option<String>,
        /// The responses, by the ids of their requests.
        responses: HashMap<String, Response>,
        /// A connection without an unread answer, which the next request uses.
        idle: Option<BufReader<DuplexStream>>,
    },
    Events {
        server: Server,
        /// The stream and its endpoint, after the stream was opened.
        opened: Option<(Response, String)>,
    },
}

impl Wire {
    pub(crate) fn open(way: Way, server: &Server, plan: &Arc<Plan>) -> Self {
        let (mut serving, stop) = (Vec::new(), Arc::new(Notify::new()));
        let server = server.clone();
        let kind = match way {
            Way::Stream => {
                let (near, far) = tokio::io::duplex(PIPE);
                let (reader, writer) = tokio::io::split(Faulty::new(far, plan));
                let stopped = Arc::clone(&stop);
                serving.push(tokio::spawn(async move {
                    // The result is ignored here, because it is meant for the program that runs the
                    // server.
                    let _end = server.serve(reader, writer).until(stopped.notified()).await;
                }));
                Kind::Stream(BufReader::new(near))
            }
            Way::Http => Kind::Http {
                server,
                session: None,
                responses: HashMap::new(),
                idle: None,
            },
            Way::Events => Kind::Events {
                server,
                opened: None,
            },
        };
        Self {
            plan: Arc::clone(plan),
            answered: HashSet::new(),
            heard: Vec::new(),
            serving,
            stop,
            kind,
        }
    }

    /// Fails the test if a future takes longer than a server may, unless that is the planned fault.
    async fn within<T>(
        plan: &Plan,
        future: impl Future<Output = Result<T, Cut>>,
    ) -> Result<T, Cut> {
        match tokio::time::timeout(PATIENCE, future).await {
            Ok(done) => done,
            Err(_) if plan.fault == Fault::Never => Err(Cut),
            Err(_) => panic!("it hangs"),
        }
    }

    /// Sends a request.
    pub(crate) async fn start(&mut self, request: &Value) -> Result<(), Cut> {
        let plan = Arc::clone(&self.plan);
        match &mut self.kind {
            Kind::Stream(stream) => Self::within(&plan, say(stream, request)).await,
            Kind::Http { session, .. } => {
                let headers = headers(request, session.as_deref());
                let text = post("/", HOST, &headers, request);
                let response = self.send(&text).await?;
                let id = request.get("id").unwrap_or(&Value::Null).to_string();
                if let Kind::Http { responses, .. } = &mut self.kind {
                    responses.insert(id, response);
                }
                Ok(())
            }
            Kind::Events { .. } => self.put(request).await,
        }
    }

    /// Sends a message that has no reply.
    pub(crate) async fn tell(&mut self, message: &Value) -> Result<(), Cut> {
        let plan = Arc::clone(&self.plan);
        match &mut self.kind {
            Kind::Stream(stream) => Self::within(&plan, say(stream, message)).await,
            Kind::Http { session, .. } => {
                let headers = headers(message, session.as_deref());
                let text = post("/", HOST, &headers, message);
                let mut response = self.send(&text).await?;
                match Self::within(&plan, response.head()).await?.status {
                    202 => self.keep(response),
                    _ => return Err(Cut),
                }
                Ok(())
            }
            Kind::Events { .. } => self.put(message).await,
        }
    }

    /// Posts a message to the endpoint of the event stream. The first message opens the stream.
    async fn put(&mut self, message: &Value) -> Result<(), Cut> {
        let plan = Arc::clone(&self.plan);
        if let Kind::Events { opened: None, .. } = &self.kind {
            let mut stream = self.send(&head("GET", "/sse", HOST, "", 0)).await?;
            if Self::within(&plan, stream.head()).await?.status != 200 {
                return Err(Cut);
            }
            let endpoint = Self::within(&plan, stream.message()).await?;
            if let Kind::Events { opened, .. } = &mut self.kind {
                *opened = Some((stream, endpoint));
            }
        }
        let Kind::Events {
            opened: Some((_, endpoint)),
            ..
        } = &self.kind
        else {
            return Err(Cut);
        };
        let text = post(endpoint, HOST, "", message);
        let mut response = self.send(&text).await?;
        match Self::within(&plan, response.head()).await?.status {
            202 => Ok(()),
            _ => Err(Cut),
        }
    }

    /// Returns the next message that may belong to the request `id`.
    pub(crate) async fn next(&mut self, id: &Value) -> Result<Value, Cut> {
        let plan = Arc::clone(&self.plan);
        let text = match &mut self.kind {
            Kind::Stream(stream) => Self::within(&plan, line(stream)).await?,
            Kind::Http {
                session, responses, ..
            } => {
                let mut response = responses.remove(&id.to_string()).ok_or(Cut)?;
                let head = Self::within(&plan, response.head()).await?;
                *session = head.session.clone().or(session.take());
                let is_events = head.is_events;
                let text = Self::within(&plan, response.message()).await?;
                if is_events {
                    responses.insert(id.to_string(), response);
                } else {
                    self.keep(response);
                }
                text
            }
            Kind::Events { opened, .. } => {
                let (stream, _) = opened.as_mut().ok_or(Cut)?;
                Self::within(&plan, stream.message()).await?
            }
        };
        let message: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text:?}"));
        let is_refused = message.get("error").is_some() && message.get("id").is_none();
        if is_refused && !plan.fault.is_harmless() {
            // The server rejected a damaged request.
            return Err(Cut);
        }
        self.note(&message);
        self.heard.push(text);
        Ok(message)
    }

    fn note(&mut self, message: &Value) {
        let replies = match message.as_array() {
            Some(replies) => replies.as_slice(),
            None => std::slice::from_ref(message),
        };
        for reply in replies.iter().filter(|one| one.get("method").is_none()) {
            let is_first = reply
                .get("id")
                .is_none_or(|id| self.answered.insert(id.to_string()));
            assert!(is_first, "answered twice: {reply}");
        }
    }

    /// Sends bytes that need not be a message. Over a stream they are a line.
    pub(crate) async fn rubbish(&mut self, text: &str) -> Result<(), Cut> {
        let plan = Arc::clone(&self.plan);
        match &mut self.kind {
            Kind::Stream(stream) => {
                Self::within(&plan, write(stream, &format!("{text}\n"))).await?;
                Self::within(&plan, line(stream)).await.map(drop)
            }
            Kind::Http { .. } | Kind::Events { .. } => {
                let text = head("POST", "/", HOST, "", text.len()) + text;
                let mut response = self.send(&text).await?;
                let refused = Self::within(&plan, response.head()).await?.status;
                assert!((400..500).contains(&refused), "{refused}");
                Ok(())
            }
        }
    }

    /// Cancels a request: by a notification on a shared connection, or else by closing the
    /// request's own connection.
    pub(crate) async fn cancel(&mut self, id: &Value) -> Result<(), Cut> {
        match &mut self.kind {
            Kind::Stream(_) | Kind::Events { .. } => {
                let params = serde_json::json!({"requestId": id});
                let method = "notifications/cancelled";
                let cancelled =
                    serde_json::json!({"jsonrpc": "2.0", "method": method, "params": params});
                self.tell(&cancelled).await
            }
            Kind::Http { responses, .. } => {
                responses.remove(&id.to_string());
                Ok(())
            }
        }
    }

    /// Drops the connection of the reply to `id`, and resumes the reply on another connection.
    pub(crate) async fn resume(&mut self, id: &Value) -> Result<(), Cut> {
        let Kind::Http {
            session, responses, ..
        } = &mut self.kind
        else {
            return Ok(());
        };
        let lost = responses.remove(&id.to_string()).ok_or(Cut)?;
        let (session, last) = (session.clone().ok_or(Cut)?, lost.last.clone().ok_or(Cut)?);
        drop(lost);
        let headers = format!("Mcp-Session-Id: {session}\r\nLast-Event-ID: {last}\r\n");
        let resumed = self.send(&head("GET", "/", HOST, &headers, 0)).await?;
        if let Kind::Http { responses, .. } = &mut self.kind {
            responses.insert(id.to_string(), resumed);
        }
        Ok(())
    }

    /// Ends the session, if that needs a request.
    pub(crate) async fn end_session(&mut self) -> Result<(), Cut> {
        let Kind::Http {
            session: Some(session),
            ..
        } = &self.kind
        else {
            return Ok(());
        };
        let headers = format!("Mcp-Session-Id: {session}\r\n");
        let mut response = self.send(&head("DELETE", "/", HOST, &headers, 0)).await?;
        match Self::within(&self.plan, response.head()).await?.status {
            204 => Ok(()),
            _ => Err(Cut),
        }
    }

    /// Stores the connection of a complete response for the next request.
    fn keep(&mut self, response: Response) {
        if let Kind::Http { idle, .. } = &mut self.kind {
            *idle = Some(response.stream);
        }
    }

    /// Sends an HTTP request on an idle connection or a new one.
    async fn send(&mut self, text: &str) -> Result<Response, Cut> {
        let (server, idle) = match &mut self.kind {
            Kind::Http { server, idle, .. } => (server, idle.take()),
            Kind::Events { server, .. } => (server, None),
            Kind::Stream(_) => return Err(Cut),
        };
        let plan = Arc::clone(&self.plan);
        if let Some(mut stream) = idle {
            Self::within(&plan, write(&mut stream, text)).await?;
            return Ok(Response::on(stream));
        }
        let (near, far) = tokio::io::duplex(PIPE);
        let io = TokioIo::new(Faulty::new(far, &self.plan));
        let http = server.http().sse_endpoint("/sse");
        let service = service_fn(move |request| {
            let answer = http.clone().call(request);
            async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
        });
        let serving = http1::Builder::new().serve_connection(io, service);
        let stop = Arc::clone(&self.stop);
        self.serving.push(tokio::spawn(async move {
            tokio::select! {
                // The result is ignored here, because it is meant for the program that runs the
                // server.
                _end = serving => {}
                () = stop.notified() => {}
            }
        }));
        let mut stream = BufReader::new(near);
        Self::within(&plan, write(&mut stream, text)).await?;
        Ok(Response::on(stream))
    }

    /// Disconnects. All tasks that served the client must end, by themselves or, if nothing is ever
    /// received, when they are stopped.
    pub(crate) async fn close(self) -> Vec<String> {
        let Self {
            plan,
            serving,
            stop,
            kind,
            heard,
            ..
        } = self;
        drop(kind);
        if plan.fault == Fault::Never {
            stop.notify_waiters();
            // Stops a task that was not waiting yet.
            stop.notify_one();
        }
        for serving in serving {
            let ended = tokio::time::timeout(PATIENCE, serving).await;
            ended.expect("serving does not end").unwrap();
        }
        heard
    }
}
