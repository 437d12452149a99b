//! The envelope from outside: the table of valid and invalid messages, the grammar of JSON, and a
//! second implementation.

mod grammar;
mod limits;
mod messages;
mod opinion;
mod properties;
#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;
