//! The HTTP service and its listener from the outside.

mod http_server;
mod traffic;
