//! Disks that are small, and that lose their power.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::NamedTempFile;

use crate::processes::say_skipped;

/// Shuts a file system down as it is on its disk: the request EXT4_IOC_SHUTDOWN without a flush of the log.
const SHUTDOWN: &str =
    r#"open F, "<", $ARGV[0] or die $!; $how = pack "L", 2; ioctl F, 0x8004587d, $how or die $!"#;

/// A file system of its own at a folder, until this is dropped.
pub(crate) struct Disk {
    image: NamedTempFile,
    at: PathBuf,
}

impl Disk {
    /// Mounts an empty disk of so many MiB. If this machine lets nobody do so, the log says it.
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

    /// Cuts the power: all that is not on the disk is lost.
    pub(crate) fn cut_power(&self) {
        assert!(self.run("perl", &["-e", SHUTDOWN], false, true));
    }

    /// Gives it power again, once nobody uses it.
    pub(crate) fn restart(&self) {
        assert!(self.run("umount", &[], false, true) && self.turn_on());
    }

    /// Fills it, for as long as the file is there that is returned.
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
