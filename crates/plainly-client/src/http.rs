//! Servers over HTTP, and everything in the client that knows HTTP: reaching the server ([`endpoint`], [`sse`]), and
//! exchanging messages with it, by Streamable HTTP ([`connection`], [`server_stream`]) or, if the server speaks nothing
//! newer, by HTTP with SSE ([`opening`], [`pipe`]).

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
