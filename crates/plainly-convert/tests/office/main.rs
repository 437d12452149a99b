//! Documents of Word and workbooks, as programs write them and as nobody should.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod documents;
mod files;
mod refused;
mod sheets;
mod word;
