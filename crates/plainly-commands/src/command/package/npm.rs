//! npm: a launcher, and for each platform a package with the program. npm installs the matching
//! one.

use std::io;

use serde_json::{Map, Value, json};

use super::Package;
use super::archive::{Files, PackedFile, tar_gz};
use super::facts::{Facts, known};
use super::names::unscoped;
use super::program::{Libc, Platform, Program};
use crate::args::PackageKind;

const LAUNCHER: &str = include_str!("launcher.js");

/// The package that users install.
pub(super) fn launcher(facts: &Facts, programs: &[Program], readme: &str) -> io::Result<Package> {
    let mut package = common(facts, &facts.npm);
    let version = || json!(facts.version.to_string());
    let parts = programs
        .iter()
        .map(|program| (name(facts, program.platform), version()));
    package.insert("description".to_owned(), json!(facts.description));
    if let Some(name) = &facts.registry {
        // The registry checks this to verify that both have the same owner.
        package.insert("mcpName".to_owned(), json!(name));
    }
    package.insert(
        "bin".to_owned(),
        json!({ unscoped(&facts.npm): "launcher.js" }),
    );
    package.insert("engines".to_owned(), json!({ "node": ">=18" }));
    package.insert(
        "optionalDependencies".to_owned(),
        Value::Object(parts.collect()),
    );
    let files = [
        ("launcher.js", PackedFile::program(LAUNCHER.as_bytes())),
        ("README.md", PackedFile::new(readme)),
    ];
    pack(facts, package, None, files)
}

/// The package with the program for its platform.
pub(super) fn program(facts: &Facts, program: &Program) -> io::Result<Package> {
    let platform = program.platform;
    let (system, processor) = platform.node();
    let mut package = common(facts, &name(facts, platform));
    let about = format!("The program of {} for {system} {processor}", facts.npm);
    package.insert("description".to_owned(), json!(about));
    package.insert("os".to_owned(), json!([system]));
    package.insert("cpu".to_owned(), json!([processor]));
    if let Some(libc) = program.libc {
        let libc = match libc {
            Libc::Glibc(_) => "glibc",
            Libc::Musl => "musl",
        };
        package.insert("libc".to_owned(), json!([libc]));
    }
    package.insert("preferUnplugged".to_owned(), json!(true));
    let file = program.file(unscoped(&facts.npm));
    let files = [(&*file, PackedFile::program(&*program.content))];
    pack(facts, package, Some(platform), files)
}

/// The name of the package for a platform, which the launcher uses, too.
fn name(facts: &Facts, platform: Platform) -> String {
    format!("{}-{}", facts.npm, platform.name())
}

fn common(facts: &Facts, name: &str) -> Map<String, Value> {
    let repository = facts.repository.as_ref();
    let facts = [
        ("name", Some(json!(name))),
        ("version", Some(json!(facts.version.to_string()))),
        ("author", Some(json!(facts.author))),
        ("license", facts.license.as_ref().map(|it| json!(it))),
        ("homepage", facts.website.as_ref().map(|it| json!(it))),
        (
            "repository",
            repository.map(|url| json!({ "type": "git", "url": format!("git+{url}.git") })),
        ),
    ];
    known(facts)
}

fn pack<'a>(
    facts: &Facts,
    package: Map<String, Value>,
    platform: Option<Platform>,
    files: impl IntoIterator<Item = (&'a str, PackedFile<'a>)>,
) -> io::Result<Package> {
    let manifest = PackedFile::new(format!("{:#}\n", Value::Object(package)));
    let files = files.into_iter().chain([("package.json", manifest)]);
    let files: Files<'_> = files
        .map(|(name, file)| (format!("package/{name}"), file))
        .collect();
    let name = match platform {
        Some(platform) => name(facts, platform),
        None => facts.npm.clone(),
    };
    let name = name.trim_start_matches('@').replace('/', "-");
    let file = format!("{name}-{}.tgz", facts.version);
    Ok(Package::new(
        PackageKind::Npm,
        platform,
        file,
        tar_gz(&files)?,
    ))
}
