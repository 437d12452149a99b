//! Checks a change against the current state: before each change, and on their own before a user is
//! asked.

use cap_std::fs::FileType;
use plainly::store::{ChangeQuery, StoreError, WriteError};

use super::collection;
use super::condition::Condition;
use super::contents::Contents;
use super::failure::denied;
use super::slot::{Slot, check_file};
use crate::place::{OpenEntry, OpenFile};
use crate::request::Request;
use crate::system;

/// A [`ChangeQuery`] that a job can own.
pub(super) enum Change {
    Write(String, usize, Condition),
    Remove(String, bool, Condition),
    CreateCollection(String),
    Rename(String, String, Condition),
}

impl From<ChangeQuery<'_>> for Change {
    fn from(query: ChangeQuery<'_>) -> Self {
        match query {
            ChangeQuery::Write(query) => {
                Self::Write(query.uri.to_owned(), query.bytes.len(), query.when.into())
            }
            ChangeQuery::Remove(query) => {
                Self::Remove(query.uri.to_owned(), query.recursive, query.when.into())
            }
            ChangeQuery::CreateCollection(uri) => Self::CreateCollection(uri.to_owned()),
            ChangeQuery::Rename(query) => Self::Rename(
                query.from.to_owned(),
                query.to.to_owned(),
                query.when.into(),
            ),
        }
    }
}

impl Change {
    /// Fails like the change would, as far as that can be checked without making it.
    pub(super) fn check(&self, request: &Request<'_>) -> Result<(), WriteError> {
        match self {
            Self::Write(uri, size, condition) => {
                let slot = Slot::find(request, uri)?;
                check_size(request, *size)?;
                to_write(&slot, condition).map(drop)
            }
            Self::Remove(uri, is_recursive, condition) => {
                let slot = Slot::find(request, uri)?;
                match present(&slot, condition)? {
                    OpenEntry::Directory(place) if *is_recursive => Contents::of(&place).map(drop),
                    OpenEntry::Directory(place) if place.entries()?.next().is_some() => {
                        Err(WriteError::NotEmpty)
                    }
                    OpenEntry::Directory(_) | OpenEntry::File(_) => Ok(()),
                }
            }
            Self::CreateCollection(uri) => collection::check(request, uri),
            Self::Rename(from, to, condition) => {
                let (from, to) = (Slot::find(request, from)?, Slot::find(request, to)?);
                to_rename(&from, &to, condition).map(drop)
            }
        }
    }
}

/// Fails if the content is too large.
pub(super) fn check_size(request: &Request<'_>, size: usize) -> Result<(), WriteError> {
    let limit = request.mounts.max_write_bytes;
    match size as u64 > limit {
        true => Err(WriteError::Full {
            why: format!("one write has at most {limit} bytes").into(),
        }),
        false => Ok(()),
    }
}

/// The file to write; `None` if it will be created.
pub(super) fn to_write(
    slot: &Slot<'_>,
    condition: &Condition,
) -> Result<Option<OpenFile>, WriteError> {
    match slot.resource()? {
        None => {
            condition.check_absent()?;
            slot.check_new(FileType::file(), None)?;
            Ok(None)
        }
        Some(OpenEntry::Directory(_)) => {
            condition.check_directory()?;
            Err(denied("it is a directory"))
        }
        Some(OpenEntry::File(file)) => {
            check_file(&file.metadata)?;
            condition.check_file(&file.metadata)?;
            Ok(Some(file))
        }
    }
}

/// The resource to rename.
pub(super) fn to_rename(
    from: &Slot<'_>,
    to: &Slot<'_>,
    condition: &Condition,
) -> Result<OpenEntry, WriteError> {
    let entry = present(from, condition)?;
    if to.resource()?.is_some() {
        return Err(WriteError::Exists);
    }
    let kind = match &entry {
        OpenEntry::File(_) => FileType::file(),
        OpenEntry::Directory(_) => FileType::dir(),
    };
    let is_beside = system::is_same(&from.place.metadata()?, &to.place.metadata()?);
    to.check_new(kind, is_beside.then_some(&from.name))?;
    if let OpenEntry::Directory(place) = &entry {
        Contents::of(place)?;
    }
    Ok(entry)
}

/// The resource to remove or rename.
pub(super) fn present(slot: &Slot<'_>, condition: &Condition) -> Result<OpenEntry, WriteError> {
    let Some(entry) = slot.resource()? else {
        condition.check_absent()?;
        return Err(StoreError::NotFound.into());
    };
    match &entry {
        OpenEntry::File(file) => {
            check_file(&file.metadata)?;
            condition.check_file(&file.metadata)?;
        }
        OpenEntry::Directory(_) => condition.check_directory()?,
    }
    Ok(entry)
}
