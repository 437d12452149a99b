//! Every limit: at it all is well, one above has the answer that is documented, and what has no end is bounded in memory and
//! time while others are served. Most are tested where what they limit is.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod documented;
mod support;

mod client;
mod files;
#[cfg(target_os = "linux")]
mod memory;
mod principals;
mod replies;
mod streams;
