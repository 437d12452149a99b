//! File systems whose changes the operating system doesn't always report, because other machines
//! can make them.

#[cfg(any(target_os = "linux", target_os = "android"))]
use std::os::fd::AsFd;

/// The file systems, with their numbers in `statfs`.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BLIND: [(&str, u32); 14] = [
    ("9p", 0x0102_1997),
    ("afs", 0x5346_414f),
    ("ceph", 0x00c3_6400),
    ("cifs", 0xff53_4d42),
    ("coda", 0x7375_7245),
    // Includes sshfs, bindfs, virtiofs and the shared folders of virtual machines.
    ("fuse", 0x6573_5546),
    ("gfs2", 0x0116_1970),
    ("gpfs", 0x4750_4653),
    ("lustre", 0x0bd0_0bd0),
    ("nfs", 0x6969),
    ("ocfs2", 0x7461_636f),
    ("smb2", 0xfe53_4d42),
    ("smb", 0x517b),
    ("vboxsf", 0x786f_4256),
];

/// Whether the file or directory is on one of these file systems.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn is_blind(file: &impl AsFd) -> bool {
    let Ok(found) = rustix::fs::fstatfs(file) else {
        return false;
    };
    // The number has 32 bits, but its type is wider on some machines.
    let bytes = found.f_type.to_le_bytes();
    let number = bytes.first_chunk().copied().map(u32::from_le_bytes);
    BLIND.iter().any(|(_, blind)| Some(*blind) == number)
}

/// Other operating systems are assumed to report all changes.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn is_blind<F>(_: &F) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn local_file_systems_are_believed() {
        for path in ["/proc", "/"] {
            let directory = std::fs::File::open(path).unwrap();
            // The root of the test machine may be on a network file system.
            assert!(path == "/" || !is_blind(&directory));
        }
    }
}
