//! The package exists for its test, which is `tests/tests/wire`.
