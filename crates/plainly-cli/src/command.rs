//! One file for each command.

pub(crate) mod serve;

mod client;

pub(crate) mod discover;

pub(crate) mod ls;
pub(crate) mod read;
pub(crate) mod stat;
pub(crate) mod watch;

mod named;

pub(crate) mod call;
pub(crate) mod tools;

pub(crate) mod prompt;
pub(crate) mod prompts;

pub(crate) mod codes;

pub(crate) mod completions;
