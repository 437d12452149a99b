//! A directory for files that a server sends. Their names come from the server, but can't lead out
//! of the directory, and existing files are never replaced.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// MIME types whose extension differs from the subtype.
const EXTENSIONS: [(&str, &str); 14] = [
    ("application/gzip", "gz"),
    ("application/javascript", "js"),
    ("application/octet-stream", "bin"),
    ("audio/mpeg", "mp3"),
    ("audio/mp4", "m4a"),
    ("audio/vnd.wave", "wav"),
    ("image/jpeg", "jpg"),
    ("image/svg+xml", "svg"),
    ("image/vnd.microsoft.icon", "ico"),
    ("text/javascript", "js"),
    ("text/markdown", "md"),
    ("text/plain", "txt"),
    ("text/x-python", "py"),
    ("video/quicktime", "mov"),
];
/// The most bytes of a server's name that are used. With a number and an extension, most file
/// systems allow 255.
const LONGEST: usize = 200;
/// The most files with the same name.
const SAME: usize = 10_000;

/// A directory for files that a server sends.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens the directory, and creates it if it does not exist.
    pub(super) fn at(path: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(path).map_err(|error| Failure::file(path, error))?;
        Ok(Self {
            path: path.to_owned(),
        })
    }

    /// Writes a file named after the last part of `name`, which may be a URI, and returns its path.
    /// If the file exists, a number is added.
    pub(super) fn save(
        &self,
        name: &str,
        mime_type: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, Failure> {
        let name = file_name(name);
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, extension.to_owned()),
            _ => (&*name, extension(mime_type)),
        };
        let mut path = self.path.join(format!("{stem}.{extension}"));
        for number in 2..SAME {
            // Links are not followed either.
            let opened = OpenOptions::new().write(true).create_new(true).open(&path);
            match opened.and_then(|mut file| file.write_all(bytes)) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    path = self.path.join(format!("{stem}-{number}.{extension}"));
                }
                Err(error) => return Err(Failure::file(&path, error)),
            }
        }
        Err(Failure::local(format!(
            "cannot write {}: there are too many files of this name",
            path.display()
        )))
    }
}

/// The last part of the name or URI, with only characters that every file system allows.
fn file_name(name: &str) -> String {
    let path = name.split(['?', '#']).next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit(['/', '\\', ':']).next();
    let letters = last.unwrap_or_default().chars().take(LONGEST);
    let mut plain: String = letters
        .map(|it| {
            if it.is_alphanumeric() || "._-".contains(it) {
                it
            } else {
                '_'
            }
        })
        .collect();
    plain.truncate(plain.floor_char_boundary(LONGEST));
    match plain.trim_start_matches(['.', '-']) {
        "" => "file".to_owned(),
        plain => plain.to_owned(),
    }
}

/// The extension for a file of this type.
fn extension(mime_type: &str) -> String {
    let essence = mime_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    if let Some((_, extension)) = EXTENSIONS.iter().find(|(known, _)| *known == essence) {
        return (*extension).to_owned();
    }
    let (_, subtype) = essence.split_once('/').unwrap_or_default();
    let (_, suffix) = subtype.rsplit_once('+').unwrap_or(("", subtype));
    let plain = suffix.trim_start_matches("x-");
    let is_extension =
        !plain.is_empty() && plain.len() <= 8 && plain.chars().all(|it| it.is_ascii_alphanumeric());
    match is_extension {
        true => plain.to_owned(),
        false => "bin".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_name_within_its_directory() {
        let directory = tempfile::TempDir::new().unwrap();
        let folder = Folder::at(&directory.path().join("new")).unwrap();
        #[rustfmt::skip]
        let cases = [
            ("shot-1", "image/png", "shot-1.png"),
            ("shot-1", "image/png", "shot-1-2.png"),
            ("shot-1", "image/png", "shot-1-3.png"),
            ("shot-1", "image/jpeg; q=1", "shot-1.jpg"),
            ("file:///a/b%20c.tar.gz?x=/y#/z", "application/gzip", "b_20c.tar.gz"),
            ("file:///a/../..", "text/plain", "file.txt"),
            ("../../etc/passwd", "text/plain", "passwd.txt"),
            ("..\\..\\boot.ini", "", "boot.ini"),
            ("C:autoexec", "", "autoexec.bin"),
            (".bashrc", "application/x-sh", "bashrc.sh"),
            ("a\n\u{1b}[2J", "application/vnd.api+json", "a___2J.json"),
            ("", "application/vnd.oasis.opendocument", "file.bin"),
        ];
        for (name, mime_type, expected) in cases {
            let path = folder.save(name, mime_type, b"x").unwrap();
            assert_eq!(path, folder.path.join(expected), "{name}");
        }
        // Each of these characters has three bytes.
        for expected in ["一".repeat(66) + ".png", "一".repeat(66) + "-2.png"] {
            let path = folder.save(&"一".repeat(90), "image/png", b"x").unwrap();
            assert_eq!(path, folder.path.join(expected));
        }
    }
}
