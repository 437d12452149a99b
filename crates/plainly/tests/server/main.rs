//! A server over each of its transports, from the outside.

mod answering;
mod asking;
mod channels;
mod declared;
mod foreign_errors;
mod handlers;
mod in_memory;
mod layers;
mod legacy;
mod mounted;
mod operations;
mod principal;
mod prompts;
mod reading;
mod serve_messages;
mod serve_stream;
mod stdio;
mod store_tools;
mod subscriptions;
mod tasks;
mod telling;
mod templates;
mod tools;
mod traces;
mod url_elicitation;
mod wrapped_errors;
