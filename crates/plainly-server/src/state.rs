//! The values that handlers share, one for each type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;

/// The values passed to [`ServerBuilder::state`](super::ServerBuilder::state), by type.
#[derive(Default)]
pub struct States(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl States {
    /// Adds `value`, and replaces an earlier one of the same type.
    pub(super) fn insert<S: Any + Send + Sync>(&mut self, value: S) {
        self.0.insert(TypeId::of::<S>(), Box::new(value));
    }

    /// The value of type `S`.
    pub(super) fn get<S: Any + Send + Sync>(&self) -> Option<&S> {
        self.0.get(&TypeId::of::<S>())?.downcast_ref()
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "States({})", self.0.len())
    }
}

/// A type of state that a handler requires. It is checked when the server is built, so that
/// extraction can't fail.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequiredState {
    pub(super) name: &'static str,
    pub(super) present: fn(&States) -> bool,
}

impl RequiredState {
    /// State of type `S`.
    pub(super) fn of<S: Any + Send + Sync>() -> Self {
        Self {
            name: type_name::<S>(),
            present: |states| states.get::<S>().is_some(),
        }
    }
}
