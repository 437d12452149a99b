//! State that handlers share.

use std::any::{Any, type_name};

use super::{Call, Channel, Extract, Needs};
use crate::failure::Failure;
use crate::state::RequiredState;

/// A clone of the value of type `S` that was passed to [`state`](crate::ServerBuilder::state). A
/// server does not build if it is missing.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "handlers take it apart in their parameters"
)]
pub struct State<S>(pub S);

impl<C: Channel, S: Any + Clone + Send + Sync> Extract<C> for State<S>
where
    for<'a> C::Call<'a>: Call,
{
    fn extract(call: &C::Call<'_>) -> Result<Self, Failure> {
        let state = call.context().states.get::<S>();
        state
            .cloned()
            .map(Self)
            .ok_or_else(|| Failure::text(format!("no state of type {}", type_name::<S>())))
    }

    fn needs(needs: &mut Needs) {
        needs.states.push(RequiredState::of::<S>());
    }
}
