//! JSON Schema validation for untrusted values: the cost is bounded for every schema and every
//! value, and failures are reported in sentences that a person or a model can act on.
//!
//! ```
//! use plainly_schema::{Limits, Schema};
//!
//! let schema = r#"{
//!     "properties": {"color": {"enum": ["red", "green"]}, "size": {"type": "integer", "minimum": 1}},
//!     "required": ["size"]
//! }"#;
//! let schema = Schema::parse(schema, &Limits::default())?;
//! assert!(schema.failures(r#"{"color": "red", "size": 3}"#).is_empty());
//! let failures = schema.failures(r#"{"color": "grene"}"#);
//! let failures: Vec<String> = failures.iter().map(ToString::to_string).collect();
//! assert_eq!(
//!     failures,
//!     [
//!         r#""size" is a required property"#,
//!         r#"/color: "grene" is not one of "red", "green" (did you mean "green"?)"#,
//!     ],
//! );
//! # Ok::<(), plainly_schema::InvalidSchema>(())
//! ```
//!
//! - **Drafts** 4, 6, 7, 2019-09 and 2020-12, which is the default without `$schema`. `format` is
//!   an annotation in all of them.
//! - **References** point to other positions in the same schema. A schema with any other reference
//!   is rejected, because nothing is ever loaded from a file or over a network.
//! - **Cost.** A schema that could take exponential time, or that applies itself to the same value
//!   endlessly, is rejected when it is read. Any other schema checks each part of a value against a
//!   limited number of subschemas, and reports a failure if the value is too large. Patterns take
//!   linear time.
//!
//! # The path of a schema
//!
//! ```text
//! JSON ─► reading ─► keywords, the same for all drafts ─► cost ─► check against a value ─► failures ─► sentences
//! ```
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `patterns` | yes | `pattern` and `patternProperties`; without it, a schema with one of them is refused |

mod schema;

mod draft;
mod keyword;

mod member;
mod reading;
mod reference;

mod assertion;
mod order;
mod pattern;

mod cost;

mod alternatives;
mod check;
mod evaluated;
mod sentence;
mod slip;
pub mod unread;

pub use self::schema::{InvalidSchema, Limits, Schema};
pub use self::sentence::not_one_of;
pub use self::slip::closest;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
