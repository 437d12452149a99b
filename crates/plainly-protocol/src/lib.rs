//! The messages of the Model Context Protocol: the envelope, the methods, the metadata and the
//! types of every revision. No I/O, no async, and no panic on any input.
//!
//! ```text
//! bytes -> envelope -> method + meta -> peer -> params type ... result type -> shape -> bytes
//! ```

pub mod envelope;
pub mod escape;
pub mod id;
pub mod in_place;

pub mod method;

pub mod header;
pub mod meta;
pub mod mirrored;
pub mod trace_context;

pub mod peer;

pub mod types;

pub mod part;
pub mod schemas;
pub mod uri_template;

pub mod question;

pub mod shape;

pub mod writer;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
