//! ZIP archives of office documents, read in limited memory and time. Before anything is used, the
//! whole archive is checked: its unpacked size, its names, and its XML.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use memchr::memmem;
use quick_xml::events::BytesStart;
use zip::ZipArchive;
use zip::result::ZipError;

use super::xml::{Node, Xml};
use super::{ConvertError, Draft};

/// The maximum unpacked size of an archive, in bytes.
const UNPACKED: u64 = 256 << 20;

/// The maximum unpacked size of an archive, as a multiple of its own size.
const RATIO: u64 = 100;

/// The maximum number of files in an archive.
const ENTRIES: usize = 10_000;

/// The first bytes of files that are not archives: documents older than 2007, and encrypted ones.
const OLD: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// The first bytes of each row of an archive's index.
const ROW: &[u8] = b"PK\x01\x02";

/// An archive that has been checked.
pub(crate) struct Archive<'a>(ZipArchive<Cursor<&'a [u8]>>);

impl<'a> Archive<'a> {
    /// Opens and checks an archive. Calls `check` for each start tag in its XML files.
    pub(crate) fn open(
        content: &'a [u8],
        draft: &mut Draft<'_>,
        check: impl Fn(&BytesStart<'_>) -> Result<(), ConvertError>,
    ) -> Result<Self, ConvertError> {
        if content.starts_with(OLD) {
            return Err("it is encrypted, or older than its name says".into());
        }
        // Counted before the index is read, because reading the index takes many times its size.
        if memmem::find_iter(content, ROW).nth(ENTRIES).is_some() {
            return Err(format!("its archive has more than {ENTRIES} files").into());
        }
        let mut archive = ZipArchive::new(Cursor::new(content))?;
        let mut left = (content.len() as u64).saturating_mul(RATIO).min(UNPACKED);
        for index in 0..archive.len() {
            draft.check()?;
            let entry = archive.by_index(index)?;
            let name = entry.name()?;
            if !is_inside(&name) {
                return Err("a file in its archive has a name that leads out of it".into());
            }
            let is_xml = name.ends_with(".xml") || name.ends_with(".rels");
            let mut entry = BufReader::new(Bounded {
                entry,
                left: &mut left,
            });
            let looked = if is_xml {
                look_at(Xml::new(entry), draft, &check)
            } else {
                io::copy(&mut entry, &mut io::sink())
                    .map(drop)
                    .map_err(Into::into)
            };
            if left == 0 {
                return Err("its archive unpacks to too much".into());
            }
            looked?;
        }
        Ok(Self(archive))
    }

    /// Opens a file of the archive as XML; `None` if there is no such file.
    pub(crate) fn xml(&mut self, name: &str) -> Result<Option<Xml<impl BufRead>>, ConvertError> {
        match self.0.by_name(name) {
            Ok(entry) => Ok(Some(Xml::new(BufReader::new(entry)))),
            Err(ZipError::FileNotFound) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Reads XML to its end, and checks each start tag.
fn look_at(
    mut xml: Xml<impl BufRead>,
    draft: &mut Draft<'_>,
    check: impl Fn(&BytesStart<'_>) -> Result<(), ConvertError>,
) -> Result<(), ConvertError> {
    let mut count = 0_usize;
    while let Some(node) = xml.next()? {
        if let Node::Start(tag) = node {
            check(&tag)?;
        }
        count += 1;
        if count.is_multiple_of(4096) {
            draft.check()?;
        }
    }
    Ok(())
}

/// Whether a file of this name would stay in the directory that the archive is unpacked to.
fn is_inside(name: &str) -> bool {
    let mut parts = name.split(['/', '\\']);
    !name.starts_with(['/', '\\']) && !name.contains(':') && parts.all(|part| part != "..")
}

/// A reader that fails once the archive's maximum unpacked size is reached.
struct Bounded<'l, R> {
    entry: R,
    left: &'l mut u64,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(buffer)?;
        *self.left = self.left.saturating_sub(read as u64);
        if *self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(read)
    }
}
