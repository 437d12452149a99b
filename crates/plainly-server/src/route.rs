//! Finds the handler of a method: one of the server itself, one of the program's features, or a
//! source.

use std::sync::Arc;

use plainly_errors::ProtocolError;
use plainly_protocol::method::Method;
use plainly_protocol::types::SetLevelParams;

use super::Server;
use super::answer::{Answer, MethodResult, STATIC};
use super::audience::MethodAnswer;
use super::request::MethodCall;
use super::sessions::record::SessionChange;

type MethodHandler = fn(&Server, &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError>;

/// The methods that the server answers itself.
const SERVER_HANDLERS: [(Method, MethodHandler); 9] = [
    (Method::Ping, |_, _| Ok(MethodAnswer::Now(Answer::empty()))),
    (Method::Discover, |server, call| Ok(discover(server, call))),
    (Method::SetLevel, |_, call| set_level(call)),
    (Method::Listen, |server, call| {
        server.0.subscriptions.listen(call)
    }),
    (Method::Subscribe, |server, call| {
        server.0.subscriptions.subscribe(call)
    }),
    (Method::Unsubscribe, |server, call| {
        server.0.subscriptions.unsubscribe(call)
    }),
    (Method::GetTask, |server, call| {
        server.task(call, server.0.tasks.get_task(call)?)
    }),
    (Method::UpdateTask, |server, call| {
        server.task(call, server.0.tasks.update_task(call)?)
    }),
    (Method::CancelTask, |server, call| {
        server.task(call, server.0.tasks.cancel_task(call)?)
    }),
];

impl Server {
    /// Passes a request to the handler of its method. The running handler borrows nothing from the
    /// request.
    pub(super) fn route(&self, call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
        let own = SERVER_HANDLERS
            .iter()
            .find(|(method, _)| *method == call.method);
        match own {
            Some((_, handler)) => handler(self, call),
            // Discovery has already rejected unknown methods, so any other method is for a feature
            // or a source.
            None => self.0.sources.answer(call),
        }
    }

    /// The answer about a task: the server's own or, if the server has no such task, that of a
    /// source.
    fn task(
        &self,
        call: &MethodCall<'_>,
        own: MethodAnswer,
    ) -> Result<MethodAnswer, ProtocolError> {
        self.0.sources.or_answer(own, call)
    }
}

fn discover(server: &Server, call: &MethodCall<'_>) -> MethodAnswer {
    let mut result = server.0.discovery.discover(call.scope.peer());
    let meta = result.meta.take();
    MethodAnswer::Now(MethodResult::new(result, meta).cached(STATIC).into())
}

fn set_level(call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
    let SetLevelParams { level, .. } = call.read()?;
    // Only sessions have a stored level, because a modern client states it in the `_meta` of each
    // request.
    let session = Arc::clone(call.session()?);
    let storing = session.change(SessionChange::Level(level))?;
    Ok(MethodAnswer::after(storing))
}

#[cfg(test)]
mod tests {
    use plainly_protocol::method::{MessageKind, Sender, methods};

    use super::*;
    use crate::features;

    #[test]
    fn every_request_of_a_client_has_one_handler() {
        for row in methods() {
            let own = SERVER_HANDLERS
                .iter()
                .filter(|(method, _)| *method == row.method);
            let others = features::FEATURE_HANDLERS.iter();
            let others = others.filter(|(method, _)| *method == row.method);
            let is_served = row.kind == MessageKind::Request
                && row.sender != Sender::Server
                // `initialize` opens the session in which all others are served.
                && row.method != Method::Initialize;
            let handlers = own.count() + others.count();
            assert_eq!(handlers, usize::from(is_served), "{}", row.name);
        }
    }
}
