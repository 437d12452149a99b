//! PyPI: a wheel that only contains the program, which pip, pipx and uv install like other
//! programs. It starts without Python.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::Package;
use super::archive::{Files, PackedFile, zip};
use super::facts::Facts;
use super::program::{Libc, OperatingSystem, Processor, Program};
use crate::args::PackageKind;

pub(super) fn pack(facts: &Facts, program: &Program, readme: &str) -> io::Result<Package> {
    let words = facts.pypi.split(['-', '.', '_']);
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let stem = format!(
        "{}-{}",
        words.join("_").to_ascii_lowercase(),
        facts.python_version
    );
    let tags = tags(program);
    let info = format!("{stem}.dist-info");
    let script = format!("{stem}.data/scripts/{}", program.file(&facts.pypi));
    let mut files = Files::from([
        (script, PackedFile::program(&*program.content)),
        (
            format!("{info}/METADATA"),
            PackedFile::new(metadata(facts, readme)),
        ),
        (format!("{info}/WHEEL"), PackedFile::new(wheel(&tags))),
    ]);
    let record = format!("{info}/RECORD");
    let lines = files.iter().map(|(path, file)| {
        let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(&file.content));
        format!("{path},sha256={sum},{}\n", file.content.len())
    });
    let lines = lines.chain([format!("{record},,\n")]).collect::<String>();
    files.insert(record, PackedFile::new(lines));
    let file = format!("{stem}-py3-none-{}.whl", tags.join("."));
    Ok(Package::new(
        PackageKind::Pypi,
        Some(program.platform),
        file,
        zip(&files)?,
    ))
}

/// The platforms that can run the program (PEP 600, PEP 656). For macOS, the oldest version that
/// Rust and Go support.
fn tags(program: &Program) -> Vec<String> {
    let platform = program.platform;
    let processor = match platform.processor {
        Processor::X64 => "x86_64",
        Processor::Arm64 => "aarch64",
    };
    let tag = match (platform.system, platform.processor) {
        (OperatingSystem::Windows, Processor::X64) => "win_amd64",
        (OperatingSystem::Windows, Processor::Arm64) => "win_arm64",
        (OperatingSystem::Macos, Processor::X64) => "macosx_10_12_x86_64",
        (OperatingSystem::Macos, Processor::Arm64) => "macosx_11_0_arm64",
        (OperatingSystem::Linux, _) => {
            let musl = || format!("musllinux_1_2_{processor}");
            return match program.libc {
                None => vec![format!("manylinux_2_17_{processor}"), musl()],
                Some(Libc::Glibc(minor)) => vec![format!("manylinux_2_{minor}_{processor}")],
                Some(Libc::Musl) => vec![musl()],
            };
        }
    };
    vec![tag.to_owned()]
}

fn metadata(facts: &Facts, readme: &str) -> String {
    let license = facts.license.as_ref();
    let fields = [
        ("Metadata-Version", Some("2.4")),
        ("Name", Some(&*facts.pypi)),
        ("Version", Some(&*facts.python_version)),
        ("Summary", Some(&*facts.description)),
        ("Author", Some(&*facts.author)),
        ("License-Expression", license.map(String::as_str)),
        ("Requires-Python", Some(">=3.8")),
        ("Description-Content-Type", Some("text/markdown")),
    ];
    let fields = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?.to_owned())));
    let urls = [("Homepage", &facts.website), ("Source", &facts.repository)];
    let urls = urls
        .into_iter()
        .filter_map(|(name, url)| Some(("Project-URL", format!("{name}, {}", url.as_ref()?))));
    let head = fields
        .chain(urls)
        .map(|(name, value)| format!("{name}: {value}\n"));
    let head = head.collect::<String>();
    // The registry checks this to verify that both have the same owner.
    let proof = facts.registry.as_ref();
    let proof = proof
        .map(|name| format!("\nmcp-name: {name}\n"))
        .unwrap_or_default();
    format!("{head}\n{readme}{proof}")
}

fn wheel(tags: &[String]) -> String {
    let tags = tags.iter().map(|tag| format!("Tag: py3-none-{tag}\n"));
    let tags = tags.collect::<String>();
    format!("Wheel-Version: 1.0\nGenerator: plainly\nRoot-Is-Purelib: false\n{tags}")
}
