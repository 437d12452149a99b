//! Limits on the size of schemas, and of the values validated against them.

/// Limits on the size of schemas, and of the values validated against them. Start from [`Limits::default`] and change
/// what you need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a schema. 256 KiB. Beyond: it is refused.
    pub bytes: usize,
    /// Nesting depth of arrays and objects in a schema. 48. Beyond: it is refused.
    pub depth: usize,
    /// Schemas inside a schema. 2,000. Beyond: it is refused.
    pub subschemas: usize,
    /// Nesting depth of values for which the cost of a schema is calculated. 64. Deeper values, up to the 128 levels that
    /// `serde_json` reads, are still validated, but may cost twice as much.
    pub value_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 256 << 10,
            depth: 48,
            subschemas: 2_000,
            value_depth: 64,
        }
    }
}
