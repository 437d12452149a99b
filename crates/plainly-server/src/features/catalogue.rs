//! Items of one kind, found by name and listed page by page. They may be added and removed while
//! other threads read. Independent of the kind of item.
//!
//! A reader sees one consistent state. The position of an entry follows from its name: items that
//! the server was built with come first, in the order of their definition; items added later
//! follow, sorted by name. So a listing can continue after any name, even a removed one; it ends,
//! and it lists no item twice.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use plainly_errors::ProtocolError;
use plainly_protocol::types::{CacheHint, Cursor};
use plainly_schema::closest;

use super::cursor::CursorsOf;
use super::error::BuildError;
use crate::answer::STATIC;
use crate::limits::Limits;
use crate::state::States;

/// An item in a [`Catalogue`], with a unique name.
pub(crate) trait Item {
    fn name(&self) -> &str;
}

/// An item as the program defined it, before it is added to a [`Catalogue`].
pub(crate) trait Definition {
    /// The item, once its definition passed all checks.
    type Served: Item;

    /// The option of the builder that allows items of this kind to be added and removed while the
    /// server runs.
    const DYNAMIC_OPTION: &'static str;

    /// The kind and the name of the item, for errors.
    fn subject(&self) -> String;

    /// Checks the definition. Returns the item, or adds all mistakes to `errors`.
    fn check(
        self,
        states: &States,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Option<Self::Served>;
}

/// Items of one kind, found by name.
#[derive(Debug)]
pub(crate) struct Catalogue<T> {
    /// The names that the server was built with, sorted, each with its position. They never change.
    places: Box<[(Box<str>, usize)]>,
    /// The entries, sorted by position, then by name.
    entries: RwLock<Arc<Vec<CatalogueEntry<T>>>>,
    is_dynamic: bool,
}

#[derive(Debug)]
struct CatalogueEntry<T> {
    place: usize,
    item: Arc<T>,
}

impl<T> Clone for CatalogueEntry<T> {
    fn clone(&self) -> Self {
        Self {
            place: self.place,
            item: Arc::clone(&self.item),
        }
    }
}

impl<T: Item> Catalogue<T> {
    /// A catalogue of the valid definitions. The mistakes of the others are added to `errors`.
    pub(super) fn build<D: Definition<Served = T>>(
        definitions: Vec<D>,
        is_dynamic: bool,
        states: &States,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Self {
        let mut subjects = HashSet::new();
        let mut items = Vec::new();
        for definition in definitions {
            let subject = definition.subject();
            if subjects.contains(&subject) {
                errors.push(BuildError::twice(&subject));
            }
            subjects.insert(subject);
            items.extend(definition.check(states, limits, errors));
        }
        Self::new(items, is_dynamic)
    }

    /// A catalogue of `declared`, whose names are unique. It may change only if `is_dynamic`.
    fn new(declared: Vec<T>, is_dynamic: bool) -> Self {
        let places = declared.iter().enumerate();
        let places = places.map(|(place, item)| (item.name().into(), place));
        let mut places: Box<[(Box<str>, usize)]> = places.collect();
        places.sort_unstable();
        let entries = declared.into_iter().enumerate();
        let entries = entries.map(|(place, item)| CatalogueEntry {
            place,
            item: Arc::new(item),
        });
        Self {
            places,
            entries: RwLock::new(Arc::new(entries.collect())),
            is_dynamic,
        }
    }

    /// Whether the catalogue has items or may have some later.
    pub(crate) fn is_served(&self) -> bool {
        self.is_dynamic || !self.places.is_empty()
    }

    /// Whether items may be added and removed.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.is_dynamic
    }

    /// The cache hint for the list.
    pub(super) fn cache_hint(&self) -> CacheHint {
        if self.is_dynamic {
            CacheHint::default()
        } else {
            STATIC
        }
    }

    /// Whether `is_so` holds for any item.
    pub(super) fn any(&self, is_so: impl Fn(&T) -> bool) -> bool {
        self.entries().iter().any(|entry| is_so(&entry.item))
    }

    /// The item with this name.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<T>> {
        let entries = self.entries();
        let index = self.search(&entries, name).ok()?;
        entries.get(index).map(|entry| Arc::clone(&entry.item))
    }

    /// A text with the name that was probably meant by `name`, to be appended to a message; empty
    /// if no name is similar.
    pub(super) fn did_you_mean(&self, name: &str) -> String {
        /// The maximum number of names that are compared, because comparing is slow and any client
        /// can request unknown names.
        const MOST: usize = 1_000;

        let entries = self.entries();
        let names = entries.iter().take(MOST).map(|entry| entry.item.name());
        // The name may have been added since it was looked up.
        let close = closest(name, names.filter(|other| *other != name));
        close.map_or_else(String::new, |close| format!(" (did you mean {close:?}?)"))
    }

    /// The result of `find` on the first names, at most `most`.
    pub(super) fn among_first<R>(
        &self,
        most: usize,
        find: impl FnOnce(&mut dyn Iterator<Item = &str>) -> R,
    ) -> R {
        let entries = self.entries();
        find(&mut entries.iter().take(most).map(|entry| entry.item.name()))
    }

    /// A page of the `listing` from the cursor on, with the result of `show` for each entry, and
    /// the cursor of the next page.
    pub(super) fn page<U>(
        &self,
        listing: &str,
        cursors: CursorsOf<'_>,
        after: Option<&Cursor>,
        limit: usize,
        show: impl Fn(&T) -> U,
    ) -> Result<(Vec<U>, Option<Cursor>), ProtocolError> {
        let after = after.map(|cursor| cursors.open(listing, cursor));
        let (page, last) = self.after(after.transpose()?.as_deref(), limit, show);
        let next = last.map(|last| cursors.seal(listing, &last));
        Ok((page, next.transpose()?))
    }

    /// Up to `limit` entries after the one with this name (or after its position, if it was
    /// removed), with the result of `show` for each, and the name of the last one if more follow.
    pub(super) fn after<U>(
        &self,
        name: Option<&str>,
        limit: usize,
        show: impl Fn(&T) -> U,
    ) -> (Vec<U>, Option<String>) {
        let entries = self.entries();
        let start = match name.map(|name| self.search(&entries, name)) {
            None => 0,
            Some(Ok(index)) => index + 1,
            Some(Err(index)) => index,
        };
        let rest = entries.get(start..).unwrap_or_default();
        let page = rest.get(..limit).unwrap_or(rest);
        let last = page.last().filter(|_| page.len() < rest.len());
        let last = last.map(|last| last.item.name().to_owned());
        (page.iter().map(|entry| show(&entry.item)).collect(), last)
    }

    /// Adds `item`. Returns false if the name is already used.
    pub(super) fn add(&self, item: T) -> bool {
        self.change(|entries| {
            let Err(index) = self.search(entries, item.name()) else {
                return false;
            };
            let (place, item) = (self.place(item.name()), Arc::new(item));
            entries.insert(index, CatalogueEntry { place, item });
            true
        })
    }

    /// Removes the item with this name. Returns false if there is none, or if items may not be
    /// removed.
    pub(crate) fn remove(&self, name: &str) -> bool {
        self.is_dynamic
            && self.change(|entries| {
                let found = self.search(entries, name);
                found.map(|index| entries.remove(index)).is_ok()
            })
    }

    /// The current state, which no later change alters.
    fn entries(&self) -> Arc<Vec<CatalogueEntry<T>>> {
        Arc::clone(&self.entries.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<CatalogueEntry<T>>) -> bool) -> bool {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut entries))
    }

    /// The index of the entry with this name, or the index where it would be inserted.
    fn search(&self, entries: &[CatalogueEntry<T>], name: &str) -> Result<usize, usize> {
        let place = self.place(name);
        // The common case needs no search: as long as no earlier entry was removed, an entry that
        // the server was built with is at its original index.
        if entries.get(place).is_some_and(|entry| entry.place == place) {
            return Ok(place);
        }
        entries.binary_search_by(|entry| {
            let by_place = entry.place.cmp(&place);
            by_place.then_with(|| entry.item.name().cmp(name))
        })
    }

    fn place(&self, name: &str) -> usize {
        let found = self
            .places
            .binary_search_by(|(other, _)| (**other).cmp(name));
        let found = found.ok().and_then(|index| self.places.get(index));
        found.map_or(usize::MAX, |(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {

    use plainly_errors::Revision;
    use plainly_protocol::peer::Peer;
    use plainly_protocol::types::ClientCapabilities;
    use proptest::prelude::*;

    use super::*;
    use crate::features::cursor::Cursors;
    use plainly_transport::seal::{Keys, Sealer};

    impl Item for String {
        fn name(&self) -> &str {
            self
        }
    }

    fn of(declared: &[&str]) -> Catalogue<String> {
        let declared = declared.iter().map(|name| (*name).to_owned());
        Catalogue::new(declared.collect(), true)
    }

    fn cursors() -> Cursors {
        let sealer = Sealer::new(Some(Keys::new([7; 32])));
        Cursors::new(Arc::new(sealer), "s", &Limits::default())
    }

    fn page(all: &Catalogue<String>, after: Option<&Cursor>) -> (Vec<String>, Option<Cursor>) {
        let peer = Peer::new(Revision::LATEST, ClientCapabilities::new(), None);
        all.page("l", cursors().of(&peer), after, 2, String::clone)
            .unwrap()
    }

    fn list(all: &Catalogue<String>) -> Vec<String> {
        let (mut names, mut next) = page(all, None);
        while let Some(cursor) = next {
            let (more, after) = page(all, Some(&cursor));
            names.extend(more);
            next = after;
        }
        names
    }

    #[test]
    fn what_was_declared_stands_first_and_what_came_later_by_its_name() {
        let all = of(&["z", "a", "m"]);
        assert!(all.add("c".to_owned()) && all.add("b".to_owned()));
        assert!(!all.add("c".to_owned()) && !all.add("a".to_owned()));
        assert_eq!(list(&all), ["z", "a", "m", "b", "c"]);
        assert!(all.remove("a") && !all.remove("a") && !all.remove("x"));
        assert_eq!(list(&all), ["z", "m", "b", "c"]);
        assert!(all.add("a".to_owned()));
        assert_eq!(list(&all), ["z", "a", "m", "b", "c"]);
        assert_eq!(all.get("c").as_deref().map(String::as_str), Some("c"));
        assert_eq!(all.get("x"), None);
    }

    #[test]
    fn it_is_served_if_there_is_something_or_may_be() {
        for (declared, is_dynamic, is_served) in [
            (vec![], false, false),
            (vec![], true, true),
            (vec!["a".to_owned()], false, true),
        ] {
            let all = Catalogue::new(declared, is_dynamic);
            assert_eq!(all.is_served(), is_served);
            all.remove("a");
            assert_eq!(all.is_served(), is_served, "as it was told at first");
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Add(u8),
        Remove(u8),
        Page,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0u8..12).prop_map(Step::Add),
            (0u8..12).prop_map(Step::Remove),
            Just(Step::Page),
        ];
        proptest::collection::vec(step, 0..60)
    }

    proptest! {
        /// Names begin at `a`; the first four were declared, in reverse order.
        #[test]
        fn a_listing_says_nothing_twice_and_leaves_out_nothing_that_was_always_there(steps in steps()) {
            let name = |number: u8| char::from(b'a' + number).to_string();
            let all = of(&["d", "c", "b", "a"]);
            let (mut said, mut next) = page(&all, None);
            let mut always = list(&all);
            let mut is_over = next.is_none();
            for step in steps {
                match step {
                    Step::Add(number) => {
                        all.add(name(number));
                    }
                    Step::Remove(number) => {
                        all.remove(&name(number));
                        always.retain(|other| *other != name(number));
                    }
                    Step::Page if is_over => {}
                    Step::Page => {
                        let (more, after) = page(&all, next.as_ref());
                        said.extend(more);
                        is_over = after.is_none();
                        next = after;
                    }
                }
            }
            while let Some(cursor) = next.filter(|_| !is_over) {
                let (more, after) = page(&all, Some(&cursor));
                said.extend(more);
                next = after;
            }
            let mut once = said.clone();
            once.sort();
            once.dedup();
            prop_assert_eq!(once.len(), said.len());
            for name in always {
                prop_assert!(said.contains(&name), "{} is not in {:?}", name, said);
            }
        }
    }

    #[test]
    fn whoever_reads_sees_one_whole_state_while_others_write() {
        let all = of(&["a"]);
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let all = &all;
                scope.spawn(move || {
                    for round in 0..200 {
                        let name = format!("w{writer}-{}", round % 5);
                        assert!(all.add(name.clone()));
                        assert!(all.get(&name).is_some());
                        assert!(all.remove(&name));
                        assert_eq!(all.get(&name), None);
                        assert!(all.get("a").is_some());
                    }
                });
            }
            for _ in 0..200 {
                let names = list(&all);
                assert_eq!(names[0], "a");
                assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
            }
        });
        assert_eq!(list(&all), ["a"]);
    }
}
