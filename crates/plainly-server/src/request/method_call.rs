//! A request for one method, before its parameters are read.

use std::borrow::Cow;
use std::sync::Arc;

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use serde::Deserialize;

use super::Scope;
use crate::mistakes;
use crate::sessions::session::Session;

/// A request for one method, which is passed to its handler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MethodCall<'a> {
    pub(crate) method: Method,
    /// The id of the request, a JSON token.
    pub(crate) id: &'a str,
    pub(crate) params: Option<&'a Object<'a>>,
    pub(crate) scope: &'a Scope,
}

impl<'a> MethodCall<'a> {
    /// Deserializes the parameters.
    pub(crate) fn read<T: Deserialize<'a>>(&self) -> Result<T, ProtocolError> {
        read(self.method, self.params)
    }

    /// The name, URI or id of the request's subject, if its method has one and the request contains
    /// it.
    pub(crate) fn subject_name(&self) -> Option<Cow<'a, str>> {
        self.params?.text(self.method.row().subject?)
    }

    /// The legacy session of the request, for methods that only revisions with sessions have.
    /// Without a session, the method is unknown in the request's revision.
    pub(crate) fn session(&self) -> Result<&'a Arc<Session>, ProtocolError> {
        let session = self.scope.session();
        session.ok_or_else(|| ProtocolError::method_not_found(self.method.name()))
    }
}

/// Deserializes parameters. Absent ones count as `{}`.
pub(crate) fn read<'a, T: Deserialize<'a>>(
    method: Method,
    params: Option<&Object<'a>>,
) -> Result<T, ProtocolError> {
    let read = match params {
        Some(params) => params.read(),
        None => serde_json::from_str("{}"),
    };
    read.map_err(|_| mistakes::in_params(method, params))
}
