//! What the compiler says of the mistakes that authors of handlers make: each message names what is wrong.
//! `TRYBUILD=overwrite` writes the messages anew after a change of words or compiler.

#[test]
fn mistakes_in_handlers_are_named() {
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}
