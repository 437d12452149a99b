//! The rules that stores must follow, and a report of broken ones.

use std::fmt;

/// A rule that stores must follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// No method panics, whatever its arguments are.
    NoPanic,
    /// A listing ends, and a page has at most as many entries as requested.
    PageEnds,
    /// Pages of any size have the same entries in the same order.
    PagesAgree,
    /// A listing contains each resource once.
    ListedOnce,
    /// A collection is listed before its contents.
    CollectionFirst,
    /// A listed resource is served.
    ListedIsServed,
    /// A resource has `isCollection`.
    IsCollection,
    /// The metadata of a listed resource is the same when requested alone, and the resource has
    /// contents.
    MetadataAgrees,
    /// A listed resource is its own listed spelling, and the metadata of any spelling has the
    /// listed one.
    Spelling,
    /// The contents of a resource that is not a collection are its own, at least one, each in a
    /// different format, and of the size in its metadata (SEP-2093).
    Contents,
    /// Joined ranges of bytes are the content, and a range that begins after the end fails with
    /// `NoSuchPart`.
    Ranges,
    /// Listing the children of a resource that is not a collection fails with `NotACollection`.
    NotACollection,
    /// The children of a collection can be listed.
    Children,
    /// A resource without metadata is missing for the other methods too.
    Missing,
    /// A root is an existing collection. If there are roots, each listed resource is in one.
    Roots,
    /// A template can be matched. Its completed values begin with the given text, are at most as
    /// many as requested, and lead to served resources.
    Templates,
    /// Written content can be read afterwards, with the reported tag and size.
    WrittenIsRead,
    /// A change whose condition is not met fails with `Exists` or `Changed` and the current tag,
    /// and changes nothing.
    Conditions,
    /// Only one of several simultaneous changes with the same condition succeeds, and the tag
    /// differs afterwards.
    OneWins,
    /// A removed resource is missing.
    Removed,
    /// A renamed resource has its content only under the new URI, and never replaces another
    /// resource.
    Renamed,
}

impl Rule {
    /// The rule as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoPanic => "no method panics",
            Self::PageEnds => "a listing ends, and its pages are no larger than asked for",
            Self::PagesAgree => "pages of any size give the same entries in the same order",
            Self::ListedOnce => "a listing has each resource once",
            Self::CollectionFirst => "a collection is listed before its contents",
            Self::ListedIsServed => "a listed resource is served",
            Self::IsCollection => "a resource has isCollection",
            Self::MetadataAgrees => "a listed resource has the same metadata by itself",
            Self::Spelling => "each spelling of a resource stands for the one that is listed",
            Self::Contents => "contents are the resource's own, in different formats, of its size",
            Self::Ranges => "ranges put together are the content",
            Self::NotACollection => "children of no collection are NotACollection",
            Self::Children => "the children of a collection are listed",
            Self::Missing => "a resource without metadata is not found by any method",
            Self::Roots => "everything is in a root, or contains one",
            Self::Templates => "completed values lead to resources",
            Self::WrittenIsRead => "a written content is read, under its tag and size",
            Self::Conditions => "a change whose condition is not met changes nothing",
            Self::OneWins => "of several changes of the same state, one happens",
            Self::Removed => "a removed resource is not found",
            Self::Renamed => "a renamed resource has its content under the new URI alone",
        }
    }
}

/// A rule that the store breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenRule {
    /// The rule.
    pub rule: Rule,
    /// The resource with the fault; empty if the fault concerns the whole store.
    pub uri: String,
    /// The fault.
    pub why: String,
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.rule.as_str();
        match self.uri.is_empty() {
            true => write!(f, "{rule}: {}", self.why),
            false => write!(f, "{rule}: {:?}: {}", self.uri, self.why),
        }
    }
}

/// The rules that the store breaks, each with the first resource that broke it. Its display has a
/// line for each, or says that no rule is broken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a report must be looked at"]
pub struct Report(Vec<BrokenRule>);

impl Report {
    /// Whether the store breaks no rule.
    pub fn is_ok(&self) -> bool {
        self.0.is_empty()
    }

    /// The rules that the store breaks.
    pub fn iter(&self) -> impl Iterator<Item = &BrokenRule> {
        self.0.iter()
    }

    pub(super) fn add(&mut self, rule: Rule, uri: &str, why: String) {
        if self.0.iter().any(|broken| broken.rule == rule) {
            return;
        }
        self.0.push(BrokenRule {
            rule,
            uri: uri.to_owned(),
            why,
        });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ok() {
            return f.write_str("no rule is broken");
        }
        let mut separator = "";
        for broken in &self.0 {
            write!(f, "{separator}{broken}")?;
            separator = "\n";
        }
        Ok(())
    }
}
