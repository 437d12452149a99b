//! plainly
fn main() {}
