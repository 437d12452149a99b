//! The envelope from outside: the table of bad and good messages, the grammar of JSON, and a second opinion.

mod grammar;
mod limits;
mod messages;
mod opinion;
mod properties;
#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;
