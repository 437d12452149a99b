//! The acts of cases that need more than one call.

pub(crate) mod messages;
pub(crate) mod serving;
pub(crate) mod tasks;
pub(crate) mod telling;
