//! plainly-errors
