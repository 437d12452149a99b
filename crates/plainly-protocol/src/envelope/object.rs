//! A scanned JSON object: its members in order, with decoded keys and raw values.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Limits;
use crate::escape;

/// A JSON object whose text has been checked: it is well-formed, and no object in it has duplicate
/// keys.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    raw: &'a str,
    members: Vec<Member<'a>>,
    meta: Option<Box<Self>>,
}

impl<'a> Object<'a> {
    /// Creates an object. `raw` is the text in which the scan found `members`.
    pub(super) fn new(raw: &'a str, members: Vec<Member<'a>>) -> Self {
        Self {
            raw,
            members,
            meta: None,
        }
    }

    pub(super) fn with_meta(mut self, meta: Option<Self>) -> Self {
        self.meta = meta.map(Box::new);
        self
    }

    /// The JSON of the object, exactly as it was received.
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// The raw JSON of the member named `key`.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        // A linear search, because there are few members and most are read only once.
        self.members
            .iter()
            .find(|member| member.key == key)
            .map(|member| member.value)
    }

    /// The value of the member named `key`, decoded, if it is a string.
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        escape::text(self.get(key)?)
    }

    /// The value of the member named `key`, if it is an object.
    pub fn get_object(&self, key: &str) -> Option<Self> {
        let value = self.get(key)?;
        super::parse_object(value, &Limits::UNLIMITED).ok()
    }

    /// The member `_meta`, if it is an object. For the parameters of a message, the scan has
    /// already stored it.
    pub fn meta(&self) -> Option<Cow<'_, Self>> {
        let kept = self.meta.as_deref().map(Cow::Borrowed);
        kept.or_else(|| self.get_object("_meta").map(Cow::Owned))
    }

    /// The names and the raw JSON of the members, in the order of the text.
    pub fn members(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.members
            .iter()
            .map(|member| (&*member.key, member.value))
    }
}

#[derive(Debug, Clone)]
pub(super) struct Member<'a> {
    pub(super) key: Cow<'a, str>,
    pub(super) value: &'a str,
    /// The offset of the key in the frame.
    pub(super) at: usize,
}

/// The first member whose key occurred before.
///
/// Keys are hashed only if that is faster than comparing every pair. The hash is seeded, so that a
/// peer can't choose keys that collide.
pub(super) fn first_duplicate<'m, 'a>(members: &'m [Member<'a>]) -> Option<&'m Member<'a>> {
    const FEW: usize = 16;
    if members.len() > FEW {
        let mut seen = HashSet::with_capacity(members.len());
        return members.iter().find(|member| !seen.insert(&*member.key));
    }
    let mut rest = members.iter().enumerate();
    let came_before = |index: usize, key: &str| {
        let before = members.get(..index).unwrap_or_default();
        before.iter().any(|other| other.key == key)
    };
    let duplicate = rest.find(|(index, member)| came_before(*index, &member.key));
    duplicate.map(|(_, member)| member)
}

/// A bit set of the keys of an object so far, one bit for each combination of length and last
/// letter. For most objects it proves that all keys differ, so that no keys need to be compared.
#[derive(Default)]
pub(super) struct KeyBits(u64);

impl KeyBits {
    const CLASH: u64 = u64::MAX;

    #[inline]
    pub(super) fn add(&mut self, key: &str) {
        let last = key.as_bytes().last().copied().unwrap_or_default();
        let bit = 1 << ((key.len() * 5 + usize::from(last)) % 64);
        self.0 = match self.0 & bit {
            0 => self.0 | bit,
            _ => Self::CLASH,
        };
    }

    pub(super) fn may_repeat(&self) -> bool {
        self.0 == Self::CLASH
    }
}
