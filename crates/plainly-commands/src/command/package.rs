//! `plainly package`: packages of a program that is an MCP server, with the facts that the server
//! reports.

mod archive;
mod facts;
mod introduction;
mod mcpb;
mod names;
mod npm;
mod program;
mod readme;
mod registry;
mod version;
mod wheel;

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::CommandFactory;
use clap::error::ErrorKind;
use serde_json::json;
use sha2::{Digest, Sha256};

use self::facts::Facts;
use self::introduction::Introduction;
use self::program::{Platform, Program};
use crate::args::{Args, PackageArgs, PackageKind};
use crate::failure::Failure;
use crate::output::Output;
use crate::whole_file;

/// A package and its file.
struct Package {
    kind: PackageKind,
    /// The platform; `None` for a package that fits all platforms.
    platform: Option<Platform>,
    file: String,
    content: Vec<u8>,
    /// The SHA-256 of the content.
    sum: String,
}

impl Package {
    fn new(kind: PackageKind, platform: Option<Platform>, file: String, content: Vec<u8>) -> Self {
        let sum = Sha256::digest(&content);
        Self {
            kind,
            platform,
            file,
            content,
            sum: sum.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

pub(crate) async fn run(args: PackageArgs) -> Result<(), Failure> {
    let mut mistakes = names::mistakes(&args);
    let programs = program::read(&args.programs, &mut mistakes);
    let readme = readme::given(&args, &mut mistakes);
    let Some(own) = programs.iter().find(|program| program.runs_here()) else {
        return Err(wrong(&mistakes));
    };
    let introduction = Introduction::ask(&own.path, &args).await?;
    let facts = Facts::new(&args, introduction, &own.path, &mut mistakes);
    let (Some(facts), []) = (facts, &*mistakes) else {
        return Err(wrong(&mistakes));
    };
    let readme = readme.unwrap_or_else(|| readme::written(&facts));
    let packages = packed(&args, &facts, &programs, &readme);
    let packages = packages.map_err(|error| Failure::caused("cannot pack the program", error))?;
    let written = write(&args, &facts, &packages)?;
    print(&args, &facts, &packages, &written)
}

fn packed(
    args: &PackageArgs,
    facts: &Facts,
    programs: &[Program],
    readme: &str,
) -> io::Result<Vec<Package>> {
    let mut packages = Vec::new();
    if args.makes(PackageKind::Npm) {
        packages.push(npm::launcher(facts, programs, readme)?);
        for program in programs {
            packages.push(npm::program(facts, program)?);
        }
    }
    if args.makes(PackageKind::Pypi) {
        for program in programs {
            packages.push(wheel::pack(facts, program, readme)?);
        }
    }
    if args.makes(PackageKind::Mcpb) {
        for program in programs {
            packages.push(mcpb::pack(facts, program)?);
        }
    }
    Ok(packages)
}

/// Writes the packages, their checksums and the entry of the registry. Returns the paths of all
/// files in this order.
fn write(args: &PackageArgs, facts: &Facts, packages: &[Package]) -> Result<Vec<PathBuf>, Failure> {
    let out = &args.out;
    fs::create_dir_all(out).map_err(|error| Failure::file(out, error))?;
    let mut sums: Vec<_> = packages.iter().map(|it| (&it.file, &it.sum)).collect();
    sums.sort();
    let sums = sums.iter().map(|(file, sum)| format!("{sum}  {file}\n"));
    let sums = sums.collect::<String>();
    let entry = facts
        .registry
        .as_ref()
        .map(|name| registry::entry(name, facts, packages).into_bytes());
    let files = packages
        .iter()
        .map(|package| (package.file.as_str(), package.content.as_slice()))
        .chain([("SHA256SUMS", sums.as_bytes())])
        .chain(entry.as_deref().map(|entry| ("server.json", entry)));
    let written = files.map(|(file, content)| {
        let path = out.join(file);
        match whole_file::write(&path, content) {
            Ok(()) => Ok(path),
            Err(error) => Err(Failure::file(&path, error)),
        }
    });
    written.collect()
}

fn print(
    args: &PackageArgs,
    facts: &Facts,
    packages: &[Package],
    written: &[PathBuf],
) -> Result<(), Failure> {
    let mut output = Output::new(args.format());
    if !output.is_json() {
        for path in written {
            output.lines(&path.display().to_string())?;
        }
        return output.flush();
    }
    let described = packages.iter().zip(written).map(|(package, path)| {
        json!({
            "path": path,
            "kind": package.kind.word(),
            "platform": package.platform.map(Platform::name),
            "size": package.content.len(),
            "sha256": package.sum,
        })
    });
    output.json(&json!({
        "name": facts.name,
        "version": facts.version.to_string(),
        "tools": facts.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        "packages": described.collect::<Vec<_>>(),
        "others": written.get(packages.len()..).unwrap_or_default(),
    }))?;
    output.flush()
}

/// The failure with all mistakes, each on a separate line.
fn wrong(mistakes: &[String]) -> Failure {
    let mut args = Args::command();
    args.build();
    let why = mistakes.join(";\n       ");
    let error = match args.find_subcommand_mut("package") {
        Some(command) => command.error(ErrorKind::ValueValidation, why),
        None => args.error(ErrorKind::ValueValidation, why),
    };
    Failure::Usage(error)
}
