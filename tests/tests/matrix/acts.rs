//! What the cases do, where one call doesn't say it.

pub(crate) mod messages;
pub(crate) mod serving;
pub(crate) mod tasks;
pub(crate) mod telling;
