//! The rules that a store broke.

use std::fmt;

/// A rule for stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// No method panics, whatever its arguments are.
    NoPanic,
    /// A listing ends, and a page has at most as many entries as were asked for.
    PageEnds,
    /// Pages of any size give the same entries in the same order.
    PagesAgree,
    /// A listing has each resource once.
    ListedOnce,
    /// A collection is listed before its contents.
    CollectionFirst,
    /// A listed resource is served.
    ListedIsServed,
    /// A resource has `isCollection`.
    IsCollection,
    /// A listed resource has the same metadata by itself, and has contents.
    MetadataAgrees,
    /// A listed resource is spelled as it is listed, and the metadata of any spelling has that one.
    Spelling,
    /// The contents of anything but a collection are its own, at least one, each in another format, and of the size that its
    /// metadata has (SEP-2093).
    Contents,
    /// Ranges of bytes put together are the content, and one that begins after the end is `NoSuchPart`.
    Ranges,
    /// The children of a resource that is no collection are `NotACollection`.
    NotACollection,
    /// The children of a collection are listed.
    Children,
    /// A resource that has no metadata is not found by the other methods.
    Missing,
    /// A root is a collection that exists, and each listed resource is in one, if there are any.
    Roots,
    /// A template can be matched, and its completed values begin with the text, are as many as were asked for, and lead to
    /// resources that are served.
    Templates,
    /// A written content is read afterwards, under the reported tag and size.
    WrittenIsRead,
    /// A change whose condition is not met is `Exists` or `Changed`, with the present tag, and changes nothing.
    Conditions,
    /// One of several changes at once that ask for the same state happens, and the content has another tag then.
    OneWins,
    /// A resource that was removed is not found.
    Removed,
    /// A resource that was renamed has its content under the new URI alone, and none is renamed over another.
    Renamed,
}

impl Rule {
    /// The rule in words.
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

/// A rule that a store broke.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenRule {
    /// The rule.
    pub rule: Rule,
    /// The resource at which it broke; empty if it is about everything.
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

/// The rules that a store broke, each at the first resource where it did. Displayed with a line for each, or as "no rule is broken".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a report must be looked at"]
pub struct Report(Vec<BrokenRule>);

impl Report {
    /// Whether the store broke no rule.
    pub fn is_ok(&self) -> bool {
        self.0.is_empty()
    }

    /// The rules that the store broke.
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
