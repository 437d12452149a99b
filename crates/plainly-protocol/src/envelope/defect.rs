//! A fault and where it is, before it is known what that makes of the message.

/// The fault at some place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// This, whatever stands there.
    Is(&'static str),
    /// Something else stands in the place of this.
    Missing(&'static str),
    /// A value is missing, or what stands there is none in JSON.
    NoJson,
    /// The key that stands there came before.
    RepeatedKey,
    /// The member that stands there is the message's `id`, and none.
    NoId,
}

/// A fault and its place.
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
