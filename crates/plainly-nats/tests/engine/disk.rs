//! Disks that are small, or that lose power.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::NamedTempFile;

use crate::processes::say_skipped;

/// Shuts down a file system without flushing its log, by the ioctl EXT4_IOC_SHUTDOWN.
const SHUTDOWN: &str =
    r#"open F, "<", $ARGV[0] or die $!; $how = pack "L", 2; ioctl F, 0x8004587d, $how or die $!"#;

/// A file system of its own at a folder, unmounted on drop.
pub(crate) struct Disk {
    image: NamedTempFile,
    at: PathBuf,
}

impl Disk {
    /// Mounts an empty disk of this size in MiB. Logs if this machine doesn't allow that.
    pub(crate) fn mount(at: &Path, size: u64) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let image = NamedTempFile::new().unwrap();
        image.as_file().set_len(size << 20).unwrap();
        let disk = Self {
            image,
            at: at.to_owned(),
        };
        let is_mounted = disk.run("mkfs.ext4", &["-q"], true, false) && disk.turn_on();
        if !is_mounted {
            say_skipped("disks that fail, which takes root, mkfs.ext4 and loop devices");
        }
        is_mounted.then_some(disk)
    }

    fn turn_on(&self) -> bool {
        self.run("mount", &["-o", "loop"], true, true)
    }

    fn run(&self, program: &str, options: &[&str], with_image: bool, with_place: bool) -> bool {
        let mut command = Command::new(program);
        command.args(options);
        command.args(with_image.then_some(self.image.path()));
        command.args(with_place.then_some(&self.at));
        command.output().is_ok_and(|done| done.status.success())
    }

    /// Cuts the power. Everything not on the disk is lost.
    pub(crate) fn cut_power(&self) {
        assert!(self.run("perl", &["-e", SHUTDOWN], false, true));
    }

    /// Restores the power, once no process uses the disk.
    pub(crate) fn restart(&self) {
        assert!(self.run("umount", &[], false, true) && self.turn_on());
    }

    /// Fills the disk while the returned file exists.
    pub(crate) fn fill(&self) -> NamedTempFile {
        let mut file = NamedTempFile::new_in(&self.at).unwrap();
        while file.write_all(&[b'x'; 4096]).is_ok() {}
        file
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.run("umount", &["--lazy"], false, true);
    }
}
