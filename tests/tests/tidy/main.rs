//! Rules of the workspace that no compiler knows: each is a test that reads the sources, beside one that finds a violation.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod facts;
mod shipped;
mod source;
mod workspace;

mod order;
mod order_of_rooms;
mod pages;
mod pictures;

mod dependencies;
mod docs;
mod features;
mod knowing;
mod names;
mod places;
mod revisions;
mod sizes;
