//! Writes requests, reads replies, and has the clocks and the progress of each call.

pub(crate) mod budget;
pub(crate) mod clocks;
pub(crate) mod deadline;
pub mod limits;
pub(crate) mod mirror;
pub(crate) mod progress;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod timeouts;
pub(crate) mod trace_context;
pub(crate) mod traffic;
