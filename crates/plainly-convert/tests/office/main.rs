//! Documents of Word and workbooks, as programs write them and as nobody should.

mod documents;
mod files;
mod refused;
mod sheets;
mod word;
