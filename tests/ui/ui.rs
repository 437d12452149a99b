//! The compiler's messages for mistakes in handlers, each of which names the mistake.
//! `TRYBUILD=overwrite` updates the messages after a change of their words or of the compiler.

#[test]
fn mistakes_in_handlers_are_named() {
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}
