//! The user's browser, and the checks of the URLs that servers want to open.

mod opening;
mod page;

pub(crate) use self::opening::{is_meant, open, run};
pub(crate) use self::page::Page;
