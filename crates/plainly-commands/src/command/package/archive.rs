//! Archives whose bytes only depend on their files: with sorted names, without owners, and with a
//! fixed time.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The time of every file in a tar archive, which is also npm's, because some programs fail on the
/// first of 1970.
const TIME: u64 = 499_162_500;

/// The files of a package, by their paths.
pub(super) type Files<'a> = BTreeMap<String, PackedFile<'a>>;

pub(super) struct PackedFile<'a> {
    pub(super) content: Cow<'a, [u8]>,
    is_program: bool,
}

impl<'a> PackedFile<'a> {
    pub(super) fn new(content: impl Into<Vec<u8>>) -> Self {
        Self {
            content: Cow::Owned(content.into()),
            is_program: false,
        }
    }

    /// An executable file.
    pub(super) fn program(content: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            content: content.into(),
            is_program: true,
        }
    }

    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

pub(super) fn tar_gz(files: &Files<'_>) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (path, file) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(file.content.len() as u64);
        header.set_mode(file.mode());
        header.set_mtime(TIME);
        archive.append_data(&mut header, path, &*file.content)?;
    }
    archive.into_inner()?.finish()
}

pub(super) fn zip(files: &Files<'_>) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, file) in files {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(file.mode());
        archive.start_file(path.as_str(), options)?;
        archive.write_all(&file.content)?;
    }
    Ok(archive.finish()?.into_inner())
}
