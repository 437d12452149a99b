//! The package exists only for its test, which is `tests/tests/wire`.
