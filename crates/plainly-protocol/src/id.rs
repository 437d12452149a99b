//! id
