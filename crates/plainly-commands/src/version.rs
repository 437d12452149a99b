//! `plainly --version --json`: facts about this program, for installers and error reports.

use plainly::Revision;
use serde_json::json;

use crate::failure::Failure;
use crate::format::Format;
use crate::installed;
use crate::output::Output;

/// Prints the version, the newest revision of the protocol, the target, the features and the kind
/// of package.
pub(crate) fn print(format: Format) -> Result<(), Failure> {
    let keychain = cfg!(feature = "keychain").then_some("keychain");
    let mut output = Output::new(format);
    output.json(&json!({
        "name": "plainly",
        "version": env!("CARGO_PKG_VERSION"),
        "revision": Revision::LATEST.to_string(),
        "target": target(),
        "features": keychain.iter().collect::<Vec<_>>(),
        "installed": installed::by(),
    }))?;
    output.flush()
}

/// The processor, the system and its C library, such as `x86_64-linux-gnu`.
fn target() -> String {
    let libraries = [
        ("gnu", cfg!(target_env = "gnu")),
        ("musl", cfg!(target_env = "musl")),
        ("msvc", cfg!(target_env = "msvc")),
    ];
    let library = libraries.iter().find(|(_, is_it)| *is_it);
    let known = [std::env::consts::ARCH, std::env::consts::OS];
    let parts = known.into_iter().chain(library.map(|(name, _)| *name));
    parts.collect::<Vec<_>>().join("-")
}
