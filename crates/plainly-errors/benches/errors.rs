//! The cost of an error: creating it, encoding it for each revision, and recognising it.
//! Allocations are counted beside the time.

use std::hint::black_box;
use std::time::Duration;

use divan::{AllocProfiler, Bencher};
use plainly_errors::{Dialect, InvalidParams, Problem, ProtocolError, Revision, WireError};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

fn missing() -> ProtocolError {
    ProtocolError::resource_not_found(black_box("file:///notes/2026/november.md"))
}

fn problem() -> Problem {
    Problem::rate_limited(black_box("tool_calls"), Duration::from_millis(1500))
        .suggest("Ask for more at once.")
}

mod build {
    use super::*;

    #[divan::bench]
    fn without_data() -> ProtocolError {
        InvalidParams::InvalidCursor.into()
    }

    #[divan::bench]
    fn with_data() -> ProtocolError {
        missing()
    }

    #[divan::bench]
    fn problem() -> Problem {
        super::problem()
    }

    #[divan::bench]
    fn problem_without_details() -> Problem {
        Problem::internal("It failed.")
    }

    #[divan::bench]
    fn problem_as_protocol_error(bencher: Bencher<'_, '_>) {
        bencher
            .with_inputs(super::problem)
            .bench_values(ProtocolError::from);
    }
}

mod encode {
    use super::*;

    fn encode(bencher: Bencher<'_, '_>, error: ProtocolError, revision: Revision) {
        bencher.bench_local(|| Dialect::Uniform.encode(black_box(&error), revision));
    }

    #[divan::bench(args = Revision::ALL)]
    fn without_data(bencher: Bencher<'_, '_>, revision: Revision) {
        encode(bencher, ProtocolError::internal("It failed."), revision);
    }

    #[divan::bench(args = Revision::ALL)]
    fn with_data(bencher: Bencher<'_, '_>, revision: Revision) {
        encode(bencher, missing(), revision);
    }

    #[divan::bench(args = Revision::ALL)]
    fn problem(bencher: Bencher<'_, '_>, revision: Revision) {
        encode(bencher, super::problem().into(), revision);
    }

    #[divan::bench]
    fn problem_for_a_tool(bencher: Bencher<'_, '_>) {
        let problem = super::problem();
        bencher.bench_local(|| serde_json::to_string(black_box(&problem)));
    }
}

mod recognise {
    use super::*;

    fn recognise(bencher: Bencher<'_, '_>, error: ProtocolError) {
        let wire = Dialect::Uniform.encode(&error, Revision::LATEST);
        bencher.bench_local(|| WireError::recognise(black_box(&wire)));
    }

    #[divan::bench]
    fn without_data(bencher: Bencher<'_, '_>) {
        recognise(bencher, ProtocolError::internal("It failed."));
    }

    #[divan::bench]
    fn with_data(bencher: Bencher<'_, '_>) {
        recognise(bencher, missing());
    }

    #[divan::bench]
    fn problem(bencher: Bencher<'_, '_>) {
        recognise(bencher, super::problem().into());
    }
}
