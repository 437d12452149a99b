//! What the servers of `src/bin/` serve and the benchmark asks for: the cases, what is held for them, and each case as
//! written with this project and with rmcp.

mod case;
pub mod contents;
pub mod http;
pub mod plainly;
pub mod rmcp;

pub use case::{Case, REQUEST_ID, REVISION, UnknownCase};
