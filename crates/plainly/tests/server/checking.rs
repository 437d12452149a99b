//! The check of stores, which must find each broken rule, and none in a correct store.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a fault shows in one place")]

use std::borrow::Cow;

use plainly::protocol::types::{Resource, ResourceContents, ResourceTemplate};
use plainly::store::check::Rule;
use plainly::store::{ListQuery, Page, RangeQuery, Ranged, Store, StoreError, Typed, check};

/// The only fault of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Panics,
    PageTooLarge,
    PagesWithoutEnd,
    PagesSkip,
    Twice,
    ContentsFirst,
    Foreign,
    Unmarked,
    OtherMetadata,
    OtherSpelling,
    ContentsOfOther,
    OtherSize,
    OtherRanges,
    ListsNotes,
    EmptyFolderFails,
    ReadsTheMissing,
    RootIsMissing,
    ValuesLeadNowhere,
    ValuesDoNotBegin,
}

const FOLDER: &str = "note://folder";

/// A folder with three notes.
#[derive(Debug)]
struct Notes(Fault);

impl Notes {
    fn note(&self, uri: &str, size: u64) -> Resource {
        let note = Resource::new(uri, uri.rsplit('/').next().unwrap());
        let note = note.mime_type("text/plain").size(size);
        match self.0 {
            Fault::Unmarked => note,
            _ => note.is_collection(false),
        }
    }

    fn all(&self) -> Vec<Resource> {
        let folder = Resource::new(FOLDER, "folder").is_collection(true);
        let notes = ["one", "two", "three"];
        let notes = notes.map(|name| self.note(&format!("{FOLDER}/{name}"), name.len() as u64));
        let mut all: Vec<_> = std::iter::once(folder).chain(notes).collect();
        match self.0 {
            Fault::Twice => all.push(all[1].clone()),
            Fault::ContentsFirst => all.swap(0, 1),
            Fault::Foreign => all.push(self.note("other://note", 4)),
            _ => {}
        }
        all
    }
}

impl Store for Notes {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("note://")
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let mut all = self.all();
        match query.parent {
            None => {}
            Some(FOLDER) if self.0 == Fault::EmptyFolderFails => return Err(StoreError::NotFound),
            Some(FOLDER) => all.retain(|one| one.uri != FOLDER),
            Some(uri) if all.iter().all(|one| one.uri != uri) => return Err(StoreError::NotFound),
            Some(_) if self.0 == Fault::ListsNotes => return Ok(Page::default()),
            Some(_) => return Err(StoreError::NotACollection),
        }
        let position = |after| all.iter().position(|one| one.uri == after);
        let mut start = match query.after {
            None => 0,
            Some(after) => position(after).ok_or(StoreError::InvalidCursor)? + 1,
        };
        if self.0 == Fault::PagesSkip && start > 0 {
            start += 1;
        }
        let limit = query.limit + usize::from(self.0 == Fault::PageTooLarge);
        let page: Vec<_> = all.iter().skip(start).take(limit).cloned().collect();
        let mut next = page
            .last()
            .filter(|last| last.uri != all[all.len() - 1].uri);
        if self.0 == Fault::PagesWithoutEnd && query.limit > 1 {
            next = Some(&all[0]);
        }
        let next = next.map(|last| last.uri.clone());
        Ok(Page::new(page, next))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        assert!(self.0 != Fault::Panics || !uri.contains('\n'), "on purpose");
        let mut all = self.all().into_iter();
        let mut found = all.find(|one| one.uri == uri).ok_or(StoreError::NotFound)?;
        if self.0 == Fault::OtherMetadata {
            found.name.push_str(" again");
        }
        Ok(found)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        if uri == FOLDER {
            return Ok(Vec::new());
        }
        let mut all = self.all().into_iter();
        let Some(mut note) = all.find(|one| one.uri == uri) else {
            return match self.0 {
                Fault::ReadsTheMissing => Ok(Vec::new()),
                _ => Err(StoreError::NotFound),
            };
        };
        let mut text = note.name.clone();
        match self.0 {
            Fault::ContentsOfOther => note.uri = FOLDER.to_owned(),
            Fault::OtherSize => text.push('!'),
            _ => {}
        }
        Ok(vec![ResourceContents::new(note, text)])
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        let name = self.metadata(query.uri).await?.name;
        let size = name.len() as u64;
        let (first, length) = query.range.within(size)?;
        let first = match self.0 {
            Fault::OtherRanges => first.saturating_sub(1),
            _ => first,
        };
        let bytes = name.as_bytes()[first as usize..(first + length) as usize].to_vec();
        Ok(Ranged::new(bytes, first, size))
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        match self.0 {
            Fault::OtherSpelling => Some(uri.to_uppercase().into()),
            _ => Some(uri.into()),
        }
    }

    fn roots(&self) -> Vec<String> {
        match self.0 {
            Fault::RootIsMissing => vec!["note://other".to_owned()],
            _ => vec![FOLDER.to_owned()],
        }
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new("note://folder/{name}", "note")]
    }

    async fn complete(&self, typed: Typed<'_>) -> Result<Vec<String>, StoreError> {
        let names = match self.0 {
            Fault::ValuesLeadNowhere => vec!["four"],
            _ => vec!["one", "two", "three"],
        };
        let begins =
            |name: &&str| self.0 == Fault::ValuesDoNotBegin || name.starts_with(typed.text);
        let names = names.into_iter().filter(begins).take(typed.limit);
        Ok(names.map(str::to_owned).collect())
    }
}

#[tokio::test]
async fn each_broken_rule_is_found() {
    for (fault, rules) in [
        (Fault::None, vec![]),
        (Fault::Panics, vec![Rule::NoPanic]),
        (Fault::PageTooLarge, vec![Rule::PageEnds]),
        (
            Fault::PagesWithoutEnd,
            vec![Rule::PageEnds, Rule::ListedOnce, Rule::PagesAgree],
        ),
        (Fault::PagesSkip, vec![Rule::PagesAgree]),
        (Fault::Twice, vec![Rule::ListedOnce, Rule::PagesAgree]),
        (Fault::ContentsFirst, vec![Rule::CollectionFirst]),
        (Fault::Foreign, vec![Rule::ListedIsServed, Rule::Roots]),
        (Fault::Unmarked, vec![Rule::IsCollection]),
        (Fault::OtherMetadata, vec![Rule::MetadataAgrees]),
        (Fault::OtherSpelling, vec![Rule::Spelling]),
        (Fault::ContentsOfOther, vec![Rule::Contents]),
        (Fault::OtherSize, vec![Rule::Contents]),
        (Fault::OtherRanges, vec![Rule::Ranges]),
        (Fault::ListsNotes, vec![Rule::NotACollection]),
        (Fault::EmptyFolderFails, vec![Rule::Children]),
        (Fault::ReadsTheMissing, vec![Rule::Missing]),
        (Fault::RootIsMissing, vec![Rule::Roots]),
        (Fault::ValuesLeadNowhere, vec![Rule::Templates]),
        (Fault::ValuesDoNotBegin, vec![Rule::Templates]),
    ] {
        let report = check(&Notes(fault)).await;
        let broken: Vec<_> = report.iter().map(|broken| broken.rule).collect();
        assert_eq!(broken, rules, "{fault:?}:\n{report}");
        assert_eq!(report.is_ok(), rules.is_empty());
        let is_told = report.to_string() == "no rule is broken";
        assert_eq!(is_told, rules.is_empty());
    }
}

/// Checks the report for a developer, which names the rule, the resource and the fault.
#[tokio::test]
async fn a_report_says_what_broke_where() {
    let report = check(&Notes(Fault::OtherSize)).await.to_string();
    assert_eq!(
        report,
        "contents are the resource's own, in different formats, of its size: \
         \"note://folder/one\": it has [4] bytes instead of 3"
    );
}
