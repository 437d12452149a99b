//! Servers over HTTP, and all code of the client that knows HTTP. Requests reach the server through
//! [`endpoint`] and [`sse`]. Messages are exchanged by Streamable HTTP ([`connection`],
//! [`server_stream`]) or, if the server supports nothing newer, by HTTP with SSE ([`opening`],
//! [`pipe`]).

pub(crate) mod authorization;
pub(crate) mod connection;
mod detached;
pub(crate) mod endpoint;
mod failure;
pub(crate) mod gate;
pub(crate) mod opening;
pub(crate) mod pipe;
mod resuming;
mod retry_after;
mod server_stream;
mod session;
mod sse;
