//! From a method to what answers it: the server itself, or what the program around it offers.

use plainly_errors::ProtocolError;
use plainly_protocol::method::Method;
use plainly_protocol::types::{ListenParams, SetLevelParams};
use serde::Deserialize;

use super::Server;
use super::answer::{Answer, MethodResult, STATIC};
use super::audience::Answering;
use super::request::{MethodCall, check_tasks};

type MethodHandler = fn(&Server, &MethodCall<'_>) -> Result<Answering, ProtocolError>;

/// Which methods the server answers itself.
const HANDLERS: [(Method, MethodHandler); 9] = [
    (Method::Ping, |_, _| Ok(Answering::Now(Answer::empty()))),
    (Method::Discover, |server, call| Ok(discover(server, call))),
    (Method::SetLevel, |_, call| set_level(call)),
    (Method::Listen, |server, call| {
        let ListenParams { notifications, .. } = call.read()?;
        let answer = server.listen(call.id, notifications, call.scope)?;
        Ok(Answering::Now(answer))
    }),
    (Method::Subscribe, |server, call| {
        server.subscribe(call.read()?, call.scope)
    }),
    (Method::Unsubscribe, |server, call| {
        server.unsubscribe(call.read()?, call.scope)
    }),
    (Method::GetTask, |server, call| {
        Ok(server.get_task(read_for_task(call)?, call.scope))
    }),
    (Method::UpdateTask, |server, call| {
        Ok(server.update_task(read_for_task(call)?, call.scope))
    }),
    (Method::CancelTask, |server, call| {
        Ok(server.cancel_task(read_for_task(call)?, call.scope))
    }),
];

impl Server {
    /// Hands a request on to what answers it. Nothing of it is borrowed by what then runs.
    pub(super) fn route(&self, call: &MethodCall<'_>) -> Result<Answering, ProtocolError> {
        let own = HANDLERS.iter().find(|(method, _)| *method == call.method);
        match own {
            Some((_, handler)) => handler(self, call),
            None => self.0.sources.answer(call),
        }
    }
}

fn discover(server: &Server, call: &MethodCall<'_>) -> Answering {
    let mut result = server.0.discovery.discover(call.scope.peer());
    let meta = result.meta.take();
    Answering::Now(MethodResult::new(result, meta).cached(STATIC).into())
}

/// Only a client with a session is of a revision that has the method.
fn set_level(call: &MethodCall<'_>) -> Result<Answering, ProtocolError> {
    let SetLevelParams { level, .. } = call.read()?;
    let session = call.scope.session();
    session
        .ok_or_else(|| ProtocolError::method_not_found(call.method.name()))?
        .set_level(level);
    Ok(Answering::Now(Answer::empty()))
}

/// The parameters of a method of tasks, of a client that can deal with them.
fn read_for_task<'a, T: Deserialize<'a>>(call: &MethodCall<'a>) -> Result<T, ProtocolError> {
    check_tasks(call.scope.peer())?;
    call.read()
}
