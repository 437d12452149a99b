//! End-to-end tests live in `tests/`. The examples of the README and the guide are compiled here.

#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../docs/guide/server.md")]
    struct Server;

    #[doc = include_str!("../docs/guide/client.md")]
    struct Client;
}
