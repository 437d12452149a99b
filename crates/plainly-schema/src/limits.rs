//! How large a schema may be, and the values that are held against it.

/// How large a schema may be, and the values that are held against it. Build one from [`Limits::default`] and change what you
/// need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a schema. 256 KiB. Beyond: it is refused.
    pub bytes: usize,
    /// Arrays and objects around a value in a schema. 48. Beyond: it is refused.
    pub depth: usize,
    /// Schemas within a schema. 2,000. Beyond: it is refused.
    pub subschemas: usize,
    /// Arrays and objects around a value in what is held against a schema, for which its cost is reckoned. 64. Beyond: it is
    /// held against the schema all the same, up to the 128 that `serde_json` reads, and may cost twice as much.
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
