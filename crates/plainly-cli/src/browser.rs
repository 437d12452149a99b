//! The user's browser, and the gate for what it is given: whatever a server wants opened passes here.

mod opening;
mod page;

pub(crate) use self::opening::{is_meant, open, run};
pub(crate) use self::page::Page;
