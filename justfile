# The tasks of this repository. `just` lists them; CONTRIBUTING.md has the commands behind them.

_default:
    @just --list --unsorted

# Run all tests that need only Rust
test *ARGUMENTS:
    cargo test {{ ARGUMENTS }}

# Run the tests of one crate, or those of its tests whose name has FILTER
one CRATE *FILTER:
    cargo test -p {{ CRATE }} {{ FILTER }}

# Check formatting, lints, and the rules of the source and of the documents
fast:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings
    cargo test -p plainly-tests --test tidy

# Run all that must pass before a merge
ci:
    .ci/run

# Run all that must pass before a release: an hour
full:
    .ci/full

# Accept new messages of the compiler and new output about bad servers; look at the difference afterwards
bless:
    TRYBUILD=overwrite cargo test -p plainly-ui
    -BAD_SERVERS=overwrite cargo test -p plainly-cli --test bad_servers
    git diff --stat

# Fuzz all targets, or those named: just fuzz envelope --seconds 60
fuzz *ARGUMENTS:
    fuzz/run {{ ARGUMENTS }}

# Compare the speed with bare hyper and rmcp: a quarter of an hour
bench *ARGUMENTS:
    cargo bench -p plainly-interop --bench throughput {{ ARGUMENTS }}

# Build the site into target/site, and check its links and its search: needs `pip install --requirement site/requirements.txt`
site:
    site/build target/site
    site/test target/site main
