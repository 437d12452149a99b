//! The methods of tools.

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use plainly_protocol::types::{CallToolParams, ListToolsParams};

use crate::server::Server;
use crate::server::answer::Answer;
use crate::server::extract::ToolCall;
use crate::server::route::{Routes, Step, now};
use crate::server::scope::Scope;

impl Server {
    pub(in crate::server) fn list_tools(
        &self,
        params: &ListToolsParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let (tools, limits) = (&self.0.routes.tools, self.limits());
        let (peer, cursors) = (scope.peer(), self.0.cursors.of(scope.peer()));
        let page = tools.list(params, peer.revision, cursors, limits.page_entries)?;
        Ok(now(Answer::ListTools(page, tools.cache_hint())))
    }

    pub(in crate::server) fn call_tool(
        &self,
        CallToolParams {
            name, arguments, ..
        }: &CallToolParams<'_>,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let Routes { tools, states, .. } = &self.0.routes;
        let call = ToolCall {
            arguments: arguments.map_or("{}", |arguments| arguments.get()),
            subject: self.subject(Method::CallTool, name, params),
            scope,
            states,
        };
        let (audience, running) = tools.call(name, &call)?;
        Ok(Step::Later(audience, running))
    }
}
