//! End-to-end tests are in `tests/`. This library runs the examples of the documentation.

pub mod valid;
#[path = "peer/src/words.rs"]
pub mod words;

/// Each page becomes the documentation of a module, so that its examples run like those of the
/// code. Each example is what a reader would paste: a whole program, tests (`test_harness`), or
/// items with all their imports.
macro_rules! pages {
    ($($name:ident: $path:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../", $path))]
            mod $name {}
        )*

        /// The pages whose examples run.
        pub const PAGES: &[&str] = &[$($path),*];
    };
}

pages! {
    readme: "README.md",
    guide_tool: "docs/guide/tool.md",
    guide_errors: "docs/guide/errors.md",
    guide_failures: "docs/guide/failures.md",
    guide_resource: "docs/guide/resource.md",
    guide_state: "docs/guide/state.md",
    guide_http: "docs/guide/http.md",
    guide_deploy: "docs/guide/deploy.md",
    cluster: "docs/cluster.md",
    guide_asking: "docs/guide/asking.md",
    guide_progress: "docs/guide/progress.md",
    guide_apps: "docs/guide/apps.md",
    guide_server: "docs/guide/server.md",
    guide_first_client: "docs/guide/first-client.md",
    guide_client: "docs/guide/client.md",
    guide_migrating: "docs/guide/migrating.md",
    resources: "docs/resources.md",
    server: "docs/server.md",
    testing: "docs/testing.md",
}
