//! Structured output.

/// A tool's structured output: `T` as `structuredContent`, its JSON Schema as the tool's output schema, and the same JSON
/// as text for hosts that only know text.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "handlers build it from its one value"
)]
pub struct Json<T>(pub T);
