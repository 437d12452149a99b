//! How much of a message is taken before it is refused.

/// Bounds on one frame. What goes beyond is well-formed but refused: an invalid request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Arrays and objects around a value, the message's own object and the array of a batch included. 64.
    pub depth: usize,
    /// Members of any one object. 10,000.
    pub members_per_object: usize,
    /// Values in the whole frame, of any kind and at any depth. 200,000.
    pub nodes: usize,
    /// Messages in a batch. 1,000.
    pub batch_messages: usize,
    /// Bytes of a method's name, escapes decoded. 256.
    pub method_bytes: usize,
    /// Bytes of an id that is a string, escapes decoded. 1,024.
    pub id_bytes: usize,
}

impl Limits {
    /// For text that has been scanned before.
    pub(crate) const UNLIMITED: Self = Self {
        depth: usize::MAX,
        members_per_object: usize::MAX,
        nodes: usize::MAX,
        batch_messages: usize::MAX,
        method_bytes: usize::MAX,
        id_bytes: usize::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 64,
            members_per_object: 10_000,
            nodes: 200_000,
            batch_messages: 1_000,
            method_bytes: 256,
            id_bytes: 1024,
        }
    }
}
