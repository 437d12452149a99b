//! Tests packages of a server: their contents, and that their program is that server.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use zip::ZipArchive;

use crate::support::{PATIENCE, Run, plainly, run, toolbox, within};

const OPTIONS: [&str; 10] = [
    "--name",
    "io.github.me/toolbox",
    "--npm",
    "@me/toolbox",
    "--repository",
    "https://github.com/me/toolbox.git",
    "--license",
    "MIT",
    "--env",
    "TOOL_TOKEN=s3cret-of-mine",
];

/// The example with tools and prompts, without its symbols, whose compression takes longer than
/// everything else.
static TOOLBOX: LazyLock<PathBuf> = LazyLock::new(|| {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stripped");
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join("toolbox");
    let mut strip = Command::new("strip");
    let status = strip.arg("-o").arg(&path).arg(toolbox()).status().unwrap();
    assert!(status.success());
    path
});

/// Packs the program with these options.
fn pack(directory: &Path, program: &Path, options: &[&str]) -> Run {
    let mut command = plainly();
    command.current_dir(directory);
    command.arg("package").arg(program).args(options);
    // In a test build, compression takes seconds.
    within(4 * PATIENCE, command)
}

/// Packs the program in a new directory.
fn packed(program: &Path, options: &[&str]) -> (TempDir, Run) {
    let directory = TempDir::new().unwrap();
    let run = pack(directory.path(), program, options);
    (directory, run)
}

fn platform() -> &'static str {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "aarch64") => "darwin-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("windows", "x86_64") => "win32-x64",
        other => panic!("no package is for {other:?}"),
    }
}

fn json_of(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// The names of the tools of the server in a file.
fn tools(program: &Path) -> Vec<Value> {
    let listed = run(&["tools", "--json", "--", program.to_str().unwrap()]).succeeded();
    listed
        .json_lines()
        .into_iter()
        .map(|mut it| it["name"].take())
        .collect()
}

/// The packages of the toolbox, which all tests share because compressing them takes seconds.
static PACKED: LazyLock<Packed> = LazyLock::new(|| {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    let run = pack(&directory, &TOOLBOX, &[&OPTIONS[..], &["--json"]].concat());
    Packed {
        told: run.succeeded().json(),
        directory,
    }
});

struct Packed {
    directory: PathBuf,
    /// The output of the command.
    told: Value,
}

impl Packed {
    fn version(&self) -> &str {
        self.told["version"].as_str().unwrap()
    }

    fn packages(&self) -> &[Value] {
        self.told["packages"].as_array().unwrap()
    }

    fn path(&self, index: usize) -> PathBuf {
        let path = self.packages()[index]["path"].as_str().unwrap();
        self.directory.join(path)
    }

    /// The directory with the unpacked files of a package.
    fn unpacked(&self, index: usize) -> PathBuf {
        let package = self.path(index);
        let to = self.directory.join(index.to_string());
        let file = File::open(&package).unwrap();
        if package.extension().unwrap() == "tgz" {
            tar::Archive::new(GzDecoder::new(file)).unpack(&to).unwrap();
            return to.join("package");
        }
        ZipArchive::new(file).unwrap().extract(&to).unwrap();
        to
    }
}

#[test]
fn the_command_tells_what_it_made() {
    let packed = &*PACKED;
    let told = &packed.told;
    assert_eq!(told["name"], "toolbox");
    assert_eq!(told["tools"], json!(tools(&TOOLBOX)));
    let own = json!(platform());
    let [npm, pypi, mcpb] = ["npm", "pypi", "mcpb"].map(|kind| json!(kind));
    let packages = packed.packages().iter();
    let kinds: Vec<_> = packages.map(|it| (&it["kind"], &it["platform"])).collect();
    assert_eq!(
        kinds,
        [
            (&npm, &Value::Null),
            (&npm, &own),
            (&pypi, &own),
            (&mcpb, &own)
        ]
    );
    let sums = fs::read_to_string(packed.directory.join("dist/SHA256SUMS")).unwrap();
    for (index, package) in packed.packages().iter().enumerate() {
        let path = packed.path(index);
        let content = fs::read(&path).unwrap();
        let sum = Sha256::digest(&content);
        let sum: String = sum.iter().map(|it| format!("{it:02x}")).collect();
        assert_eq!(package["sha256"], json!(sum));
        assert_eq!(package["size"], json!(content.len()));
        let file = path.file_name().unwrap().to_str().unwrap();
        assert!(sums.contains(&format!("{sum}  {file}\n")), "{sums}");
    }
}

#[test]
fn the_launcher_for_npm_needs_the_program_of_its_platform() {
    let packed = &*PACKED;
    let platform = platform();
    let launcher = packed.unpacked(0);
    let package = json_of(&launcher.join("package.json"));
    assert_eq!(package["name"], "@me/toolbox");
    assert_eq!(package["mcpName"], "io.github.me/toolbox");
    assert_eq!(package["bin"], json!({ "toolbox": "launcher.js" }));
    let part = format!("@me/toolbox-{platform}");
    assert_eq!(
        package["optionalDependencies"],
        json!({ &part: packed.version() })
    );
    let readme = fs::read_to_string(launcher.join("README.md")).unwrap();
    assert!(
        readme.contains("\n- `greet`: Greets somebody\n"),
        "{readme}"
    );

    let program = packed.unpacked(1);
    let package = json_of(&program.join("package.json"));
    assert_eq!(package["name"], json!(part));
    let (system, processor) = platform.split_once('-').unwrap();
    assert_eq!(package["os"], json!([system]));
    assert_eq!(package["cpu"], json!([processor]));
    assert_eq!(tools(&program.join("toolbox")), tools(&TOOLBOX));
}

#[test]
fn the_wheel_has_the_program_as_a_script() {
    let packed = &*PACKED;
    let wheel = packed.unpacked(2);
    let stem = format!("toolbox-{}", packed.version());
    let script = wheel.join(format!("{stem}.data/scripts/toolbox"));
    assert_eq!(tools(&script), tools(&TOOLBOX));
    let info = wheel.join(format!("{stem}.dist-info"));
    let metadata = fs::read_to_string(info.join("METADATA")).unwrap();
    for part in [
        "\nName: toolbox\n",
        "\nLicense-Expression: MIT\n",
        "\nmcp-name: io.github.me/toolbox\n",
    ] {
        assert!(metadata.contains(part), "{metadata}");
    }
    let record = fs::read_to_string(info.join("RECORD")).unwrap();
    assert_eq!(record.lines().count(), 4, "{record}");
}

#[test]
fn the_bundle_asks_for_the_variables() {
    let packed = &*PACKED;
    let bundle = packed.unpacked(3);
    let text = fs::read_to_string(bundle.join("manifest.json")).unwrap();
    assert!(!text.contains("s3cret-of-mine"), "{text}");
    let manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        manifest["server"]["mcp_config"],
        json!({
            "command": "${__dirname}/server/toolbox",
            "args": [],
            "env": { "TOOL_TOKEN": "${user_config.TOOL_TOKEN}" },
        })
    );
    assert_eq!(manifest["user_config"]["TOOL_TOKEN"]["sensitive"], true);
    assert_eq!(manifest["tools"][0]["name"], "greet");
    assert_eq!(tools(&bundle.join("server/toolbox")), tools(&TOOLBOX));
}

#[test]
fn the_entry_for_the_registry_lists_each_package() {
    let packed = &*PACKED;
    let version = packed.version();
    let entry = json_of(&packed.directory.join("dist/server.json"));
    assert_eq!(entry["name"], "io.github.me/toolbox");
    assert_eq!(entry["version"], version);
    let stdio = json!({ "type": "stdio" });
    let registered = |kind: &str, name: &str| {
        json!({
            "registryType": kind,
            "identifier": name,
            "version": version,
            "transport": stdio,
            "environmentVariables": [{ "name": "TOOL_TOKEN", "isRequired": true, "isSecret": true }],
        })
    };
    let releases = "https://github.com/me/toolbox/releases/download";
    let bundle = format!("toolbox-{version}-{}.mcpb", platform());
    let bundle = json!({
        "registryType": "mcpb",
        "identifier": format!("{releases}/v{version}/{bundle}"),
        "fileSha256": packed.packages()[3]["sha256"],
        "transport": stdio,
    });
    assert_eq!(
        entry["packages"],
        json!([
            registered("npm", "@me/toolbox"),
            registered("pypi", "toolbox"),
            bundle
        ])
    );
}

#[test]
fn the_same_program_gives_the_same_packages() {
    let options = [&OPTIONS[..], &["--only", "npm"]].concat();
    let (directory, run) = packed(&TOOLBOX, &options);
    let text = run.succeeded().text().to_owned();
    let files: Vec<_> = text.lines().map(Path::new).collect();
    let [launcher, program, sums, entry] = *files else {
        panic!("{text}");
    };
    assert!(sums.ends_with("SHA256SUMS") && entry.ends_with("server.json"));
    for (index, path) in [launcher, program].into_iter().enumerate() {
        let again = fs::read(directory.path().join(path)).unwrap();
        let is_same = again == fs::read(PACKED.path(index)).unwrap();
        assert!(is_same, "{}", path.display());
    }
}

#[test]
fn each_platform_has_its_program() {
    let files = TempDir::new().unwrap();
    let windows = files.path().join("any.exe");
    // The header of a program for Windows on x64.
    let mut header = b"MZ".to_vec();
    header.resize(0x3c, 0);
    header.extend(b"\x40\0\0\0PE\0\0\x64\x86");
    fs::write(&windows, &header).unwrap();
    let options = [windows.to_str().unwrap(), "--only", "npm,pypi"];
    let (directory, run) = packed(&TOOLBOX, &options);
    let text = run.succeeded().text().to_owned();
    // Without --name, there is no entry for the registry.
    assert!(text.ends_with("SHA256SUMS\n"), "{text}");
    let file = |part: &str| text.lines().find(|line| line.contains(part)).expect(part);
    let open = |part: &str| File::open(directory.path().join(file(part))).unwrap();
    assert!(file("-win_amd64.whl").starts_with("dist/toolbox-"));
    let wheel = ZipArchive::new(open("-win_amd64.whl")).unwrap();
    assert!(
        wheel
            .file_names()
            .any(|it| it.unwrap().ends_with(".data/scripts/toolbox.exe")),
        "{wheel:?}"
    );
    let mut package = tar::Archive::new(GzDecoder::new(open("-win32-x64-")));
    let paths = package
        .entries()
        .unwrap()
        .map(|it| it.unwrap().path().unwrap().into_owned());
    let program = Path::new("package/toolbox.exe");
    assert!(paths.into_iter().any(|it| it == program));
}

#[test]
fn all_mistakes_are_told_at_once() {
    let (directory, run) = packed(
        &TOOLBOX,
        &[
            "--npm",
            "My Server",
            "--pypi",
            "-",
            "--name",
            "toolbox",
            "--release",
            "1.0",
            "--repository",
            "me/toolbox",
        ],
    );
    assert_eq!(run.status, 2);
    for told in [
        "error: invalid --npm \"My Server\": npm expects lower-case letters",
        "\n       invalid --pypi \"-\": PyPI expects letters",
        "\n       invalid --name \"toolbox\": the registry expects a domain in reverse order",
        "\n       invalid --repository \"me/toolbox\": a URL that begins with https:// is expected",
        "\n       invalid --release \"1.0\": npm expects three numbers",
    ] {
        assert!(run.stderr.contains(told), "{told}: {}", run.stderr);
    }
    assert!(!directory.path().join("dist").exists());
}

#[test]
fn only_programs_of_one_file_are_packed() {
    let files = TempDir::new().unwrap();
    let script = files.path().join("server.py");
    fs::write(&script, "#!/usr/bin/env python3\n").unwrap();
    let missing = files.path().join("missing");
    let (_directory, run) = packed(&script, &[missing.to_str().unwrap()]);
    assert_eq!(run.status, 2);
    let script = format!(
        "{} is a script: only programs of one file",
        script.display()
    );
    let missing = format!("{} cannot be read: ", missing.display());
    assert!(
        run.stderr.contains(&script) && run.stderr.contains(&missing),
        "{}",
        run.stderr
    );
    let copy = files.path().join("copy");
    fs::copy(&*TOOLBOX, &copy).unwrap();
    let (_directory, run) = packed(&TOOLBOX, &[copy.to_str().unwrap()]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("give one program for each platform"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_program_that_is_no_server_is_not_packed() {
    let options = [
        "--timeout",
        "50",
        "--server-log",
        "debug",
        "--",
        "no-address",
    ];
    let (directory, run) = packed(&TOOLBOX, &options);
    assert_eq!(run.status, 3, "{}", run.stderr);
    let why = "cannot look up the address";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert!(!directory.path().join("dist").exists());
}
