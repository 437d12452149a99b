//! The cases that the servers in `src/bin/` serve and the benchmark sends, their contents, and each
//! case implemented with this project and with rmcp.

mod case;
pub mod contents;
pub mod http;
pub mod plainly;
pub mod rmcp;

pub use case::{Case, REQUEST_ID, REVISION, UnknownCase};
