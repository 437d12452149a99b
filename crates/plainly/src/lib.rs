//! plainly
