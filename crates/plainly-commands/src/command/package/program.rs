//! A program file: its system, its processor and its C library, according to its headers.

use std::fs;
use std::path::{self, Path, PathBuf};

use memchr::memmem;

pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) content: Vec<u8>,
    pub(super) platform: Platform,
    pub(super) libc: Option<Libc>,
}

/// A system and a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Platform {
    pub(super) system: OperatingSystem,
    pub(super) processor: Processor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperatingSystem {
    Linux,
    Macos,
    Windows,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Processor {
    X64,
    Arm64,
}

/// The C library that a program for Linux loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Libc {
    /// The GNU library, with this minor version of 2 or a later one.
    Glibc(u32),
    Musl,
}

/// The oldest minor version of glibc that PyPI has a platform for.
const LEAST_GLIBC: u32 = 17;

/// Reads the programs, and adds their mistakes to `mistakes`.
pub(super) fn read(paths: &[PathBuf], mistakes: &mut Vec<String>) -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    for path in paths {
        let shown = path.display();
        match Program::read(path) {
            Ok(program) => {
                let same = programs.iter().find(|it| it.platform == program.platform);
                if let Some(same) = same {
                    mistakes.push(format!(
                        "{shown} is for {}, as {} is: give one program for each platform",
                        program.platform.name(),
                        same.path.display(),
                    ));
                }
                programs.push(program);
            }
            Err(why) => mistakes.push(format!("{shown} {why}")),
        }
    }
    let is_readable = programs.len() == paths.len();
    if is_readable && !programs.iter().any(Program::runs_here) {
        let why = "no program is for this machine, so none can be started and asked: build it for this machine too";
        mistakes.push(why.to_owned());
    }
    programs
}

impl Program {
    fn read(path: &Path) -> Result<Self, String> {
        let unreadable = |error| format!("cannot be read: {error}");
        // A name without a directory would be searched for in the directories of installed
        // programs.
        let path = path::absolute(path).map_err(unreadable)?;
        let content = fs::read(&path).map_err(unreadable)?;
        if content.starts_with(b"#!") {
            return Err(
                "is a script: only programs of one file that need no interpreter can be packed"
                    .to_owned(),
            );
        }
        let platform = platform(&content).ok_or(
            "is no program for Linux, macOS or Windows on x64 or arm64: give a program of one file and one processor",
        )?;
        let libc = libc(&content).filter(|_| platform.system == OperatingSystem::Linux);
        Ok(Self {
            path,
            content,
            platform,
            libc,
        })
    }

    /// Whether this machine can run the program.
    pub(super) fn runs_here(&self) -> bool {
        self.platform.words() == (std::env::consts::OS, std::env::consts::ARCH)
    }

    /// The name of the program's file in a package with this command.
    pub(super) fn file(&self, command: &str) -> String {
        match self.platform.system {
            OperatingSystem::Windows => format!("{command}.exe"),
            OperatingSystem::Linux | OperatingSystem::Macos => command.to_owned(),
        }
    }
}

impl Platform {
    /// The system and the processor, as Node names them.
    pub(super) const fn node(self) -> (&'static str, &'static str) {
        let system = match self.system {
            OperatingSystem::Linux => "linux",
            OperatingSystem::Macos => "darwin",
            OperatingSystem::Windows => "win32",
        };
        match self.processor {
            Processor::X64 => (system, "x64"),
            Processor::Arm64 => (system, "arm64"),
        }
    }

    /// The system and the processor in a word.
    pub(super) fn name(self) -> String {
        let (system, processor) = self.node();
        format!("{system}-{processor}")
    }

    /// The system and the processor, as Rust names them.
    const fn words(self) -> (&'static str, &'static str) {
        let system = match self.system {
            OperatingSystem::Linux => "linux",
            OperatingSystem::Macos => "macos",
            OperatingSystem::Windows => "windows",
        };
        match self.processor {
            Processor::X64 => (system, "x86_64"),
            Processor::Arm64 => (system, "aarch64"),
        }
    }
}

fn platform(file: &[u8]) -> Option<Platform> {
    let (system, processor) = match file {
        // 64 bits, little-endian, for Linux or without a specific system.
        [0x7f, b'E', b'L', b'F', 2, 1, _, 0 | 3, ..] => {
            let processor = match number(file, 18, 2)? {
                62 => Processor::X64,
                183 => Processor::Arm64,
                _ => return None,
            };
            (OperatingSystem::Linux, processor)
        }
        [b'M', b'Z', ..] => {
            let header = usize::try_from(number(file, 0x3c, 4)?).ok()?;
            if !file.get(header..)?.starts_with(b"PE\0\0") {
                return None;
            }
            let processor = match number(file, header.checked_add(4)?, 2)? {
                0x8664 => Processor::X64,
                0xaa64 => Processor::Arm64,
                _ => return None,
            };
            (OperatingSystem::Windows, processor)
        }
        [0xcf, 0xfa, 0xed, 0xfe, ..] => {
            let processor = match number(file, 4, 4)? {
                0x0100_0007 => Processor::X64,
                0x0100_000c => Processor::Arm64,
                _ => return None,
            };
            (OperatingSystem::Macos, processor)
        }
        _ => return None,
    };
    Some(Platform { system, processor })
}

/// The C library of a program for Linux; `None` if it is linked statically.
fn libc(file: &[u8]) -> Option<Libc> {
    const INTERPRETER: u64 = 3;
    let at = number(file, 32, 8)?;
    let (size, count) = (number(file, 54, 2)?, number(file, 56, 2)?);
    let loader = (0..count).find_map(|row| {
        let row = usize::try_from(at.checked_add(row * size)?).ok()?;
        if number(file, row, 4)? != INTERPRETER {
            return None;
        }
        let start = usize::try_from(number(file, row.checked_add(8)?, 8)?).ok()?;
        let length = usize::try_from(number(file, row.checked_add(32)?, 8)?).ok()?;
        file.get(start..start.checked_add(length)?)
    })?;
    match memmem::find(loader, b"ld-musl").is_some() {
        true => Some(Libc::Musl),
        false => Some(Libc::Glibc(glibc(file))),
    }
}

/// The newest minor version of glibc whose symbols the program uses.
fn glibc(file: &[u8]) -> u32 {
    const NAME: &[u8] = b"GLIBC_2.";
    let minors = memmem::find_iter(file, NAME).filter_map(|at| {
        let rest = file.get(at + NAME.len()..)?;
        let digits = rest.split(|byte| !byte.is_ascii_digit()).next()?;
        str::from_utf8(digits).ok()?.parse().ok()
    });
    minors.fold(LEAST_GLIBC, u32::max)
}

/// The little-endian number of this many bytes at a place.
fn number(file: &[u8], at: usize, bytes: usize) -> Option<u64> {
    let digits = file.get(at..at.checked_add(bytes)?)?;
    let number = digits.iter().rev();
    Some(number.fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of zeros, except for these bytes at these positions.
    fn file(parts: &[(usize, &[u8])]) -> Vec<u8> {
        let mut file = vec![0; 0x200];
        for (at, bytes) in parts {
            file[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        file
    }

    #[test]
    fn a_file_tells_its_platform() {
        let elf = |machine: u8| file(&[(0, b"\x7fELF\x02\x01\x01"), (18, &[machine])]);
        let pe = |machine: [u8; 2]| {
            let header: (usize, &[u8]) = (0x80, b"PE\0\0");
            file(&[(0, b"MZ"), (0x3c, &[0x80]), header, (0x84, &machine)])
        };
        let mach = |kind: u8| file(&[(0, &[0xcf, 0xfa, 0xed, 0xfe, kind, 0, 0, 1])]);
        for (name, file) in [
            (Some("linux-x64"), elf(62)),
            (Some("linux-arm64"), elf(183)),
            (None, elf(40)),
            (Some("win32-x64"), pe([0x64, 0x86])),
            (Some("win32-arm64"), pe([0x64, 0xaa])),
            (None, pe([0x4c, 0x01])),
            (Some("darwin-x64"), mach(7)),
            (Some("darwin-arm64"), mach(12)),
            (None, mach(1)),
            (None, b"MZ".to_vec()),
            (None, Vec::new()),
            (None, b"text".to_vec()),
        ] {
            let found = platform(&file).map(Platform::name);
            assert_eq!(found.as_deref(), name);
        }
    }

    #[test]
    fn a_program_for_linux_tells_its_c_library() {
        let with = |loader: &[u8], symbols: &[u8]| {
            file(&[
                (32, &[64]),
                (54, &[56]),
                (56, &[2]),
                (64 + 56, &[3]),
                (64 + 56 + 8, &[0xf0]),
                (64 + 56 + 32, &[loader.len().try_into().unwrap()]),
                (0xf0, loader),
                (0x150, symbols),
            ])
        };
        let symbols = b"GLIBC_2.4\0GLIBC_2.34\0GLIBC_2.28\0GLIBC_PRIVATE";
        for (expected, file) in [
            (
                Some(Libc::Glibc(34)),
                with(b"/lib64/ld-linux.so.2", symbols),
            ),
            (Some(Libc::Glibc(17)), with(b"/lib64/ld-linux.so.2", b"")),
            (Some(Libc::Musl), with(b"/lib/ld-musl-x86_64.so.1", b"")),
            (None, file(&[])),
            (None, Vec::new()),
        ] {
            assert_eq!(libc(&file), expected);
        }
    }
}
