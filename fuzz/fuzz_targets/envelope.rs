//! Any bytes. The scan must agree with a second parser, under the usual limits and under tight
//! ones.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plainly_protocol::envelope::Limits;

#[path = "../../crates/plainly-protocol/tests/envelope/opinion.rs"]
mod opinion;

fuzz_target!(|bytes: &[u8]| {
    opinion::compare(bytes, &Limits::default());
    opinion::compare(bytes, &opinion::tight_limits());
});
