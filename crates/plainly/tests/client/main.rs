//! The client over each of its transports.

mod client_child;
mod client_http;
mod client_stream;
mod client_tasks;
mod skills;
