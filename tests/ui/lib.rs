//! The tests are in `ui.rs`, the mistakes and their messages in `cases/`.
