//! A fault and its position, before the parser knows which error the message causes.

/// The kind of fault at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A fault described by this text, whatever is at the position.
    Is(&'static str),
    /// A missing item of this name: something else is in its place.
    Missing(&'static str),
    /// A missing value, or text in its place that is not JSON.
    NoJson,
    /// A key that is already in the object.
    RepeatedKey,
    /// An invalid value of the message's `id`.
    NoId,
}

/// A fault and its position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Defect {
    pub(super) fault: &'static Fault,
    pub(super) at: usize,
}

impl Defect {
    pub(super) fn new(fault: &'static Fault, at: usize) -> Self {
        Self { fault, at }
    }
}
