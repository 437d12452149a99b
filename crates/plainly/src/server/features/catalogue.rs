//! What a server has many of, each by its name, and of which some may come and go while it runs: found by name, listed page
//! by page. Knows nothing of what the entries are.
//!
//! A reader sees one state of it, whole, and waits for nobody. The place of an entry follows from its name alone: those that
//! the server was built with stand in the order in which they were declared, whatever else comes after them by its name. So
//! a listing goes on after any name, whether or not it is still there, ends, and says nothing twice.

use std::sync::Arc;

use arc_swap::ArcSwap;
use plainly_errors::ProtocolError;
use plainly_protocol::types::{CacheHint, Cursor};

use super::cursor::CursorsOf;
use crate::server::answer::STATIC;

/// Something with a name that nothing else of its kind has.
pub(in crate::server) trait Named {
    fn name(&self) -> &str;
}

/// Things of one kind, by name.
#[derive(Debug)]
pub(in crate::server) struct Catalogue<T> {
    /// The places of the names that were declared, in the order of the names. They never change.
    places: Box<[(Box<str>, usize)]>,
    /// In their order.
    entries: ArcSwap<Vec<Entry<T>>>,
    is_dynamic: bool,
}

#[derive(Debug)]
struct Entry<T> {
    place: usize,
    item: Arc<T>,
}

impl<T> Clone for Entry<T> {
    fn clone(&self) -> Self {
        Self {
            place: self.place,
            item: Arc::clone(&self.item),
        }
    }
}

impl<T: Named> Catalogue<T> {
    /// What was declared, with one name each; if it `is_dynamic`, it may change.
    pub(in crate::server) fn new(declared: Vec<T>, is_dynamic: bool) -> Self {
        let places = declared.iter().enumerate();
        let places = places.map(|(place, item)| (item.name().into(), place));
        let mut places: Box<[(Box<str>, usize)]> = places.collect();
        places.sort_unstable();
        let entries = declared.into_iter().enumerate();
        let entries = entries.map(|(place, item)| Entry {
            place,
            item: Arc::new(item),
        });
        Self {
            places,
            entries: ArcSwap::from_pointee(entries.collect()),
            is_dynamic,
        }
    }

    /// Whether there is anything, or may be.
    pub(in crate::server) fn is_served(&self) -> bool {
        self.is_dynamic || !self.places.is_empty()
    }

    /// Whether entries may come and go.
    pub(in crate::server) fn is_dynamic(&self) -> bool {
        self.is_dynamic
    }

    /// How long clients may keep the list.
    pub(in crate::server) fn cache_hint(&self) -> CacheHint {
        if self.is_dynamic {
            CacheHint::default()
        } else {
            STATIC
        }
    }

    /// Whether `is_so` of any entry.
    pub(in crate::server) fn any(&self, is_so: impl Fn(&T) -> bool) -> bool {
        self.entries.load().iter().any(|entry| is_so(&entry.item))
    }

    /// The entry of this name.
    pub(in crate::server) fn get(&self, name: &str) -> Option<Arc<T>> {
        let entries = self.entries.load();
        let index = self.search(&entries, name).ok()?;
        entries.get(index).map(|entry| Arc::clone(&entry.item))
    }

    /// One page of the `listing` that begins after the cursor, shown by `show`, and where the next one begins.
    pub(in crate::server) fn page<U>(
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

    /// So many after the entry of this name, or its place, shown by `show`; and the name of the last, if there are more.
    pub(in crate::server) fn after<U>(
        &self,
        name: Option<&str>,
        limit: usize,
        show: impl Fn(&T) -> U,
    ) -> (Vec<U>, Option<String>) {
        let entries = self.entries.load();
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

    /// Adds `item`, unless there is one of its name.
    pub(in crate::server) fn add(&self, item: T) -> bool {
        let item = Arc::new(item);
        let mut is_new = false;
        self.entries.rcu(|entries| {
            let index = self.search(entries, item.name());
            is_new = index.is_err();
            let Err(index) = index else {
                return Arc::clone(entries);
            };
            let mut entries = Vec::clone(entries);
            let (place, item) = (self.place(item.name()), Arc::clone(&item));
            entries.insert(index, Entry { place, item });
            Arc::new(entries)
        });
        is_new
    }

    /// Removes the entry of this name, if there is one.
    pub(in crate::server) fn remove(&self, name: &str) -> bool {
        let mut was_there = false;
        self.entries.rcu(|entries| {
            let index = self.search(entries, name);
            was_there = index.is_ok();
            let Ok(index) = index else {
                return Arc::clone(entries);
            };
            let mut entries = Vec::clone(entries);
            entries.remove(index);
            Arc::new(entries)
        });
        was_there
    }

    /// Where the entry of this name is, or would be.
    fn search(&self, entries: &[Entry<T>], name: &str) -> Result<usize, usize> {
        let place = self.place(name);
        // As long as nothing before it is gone, what was declared is at its place.
        if entries.get(place).is_some_and(|entry| entry.place == place) {
            return Ok(place);
        }
        let from_it =
            |entry: &Entry<T>| (entry.place.cmp(&place)).then_with(|| entry.item.name().cmp(name));
        entries.binary_search_by(from_it)
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
    use crate::limits::Limits;
    use crate::server::features::cursor::Cursors;
    use crate::server::seal::Keys;

    impl Named for String {
        fn name(&self) -> &str {
            self
        }
    }

    fn of(declared: &[&str]) -> Catalogue<String> {
        let declared = declared.iter().map(|name| (*name).to_owned());
        Catalogue::new(declared.collect(), true)
    }

    fn cursors() -> Cursors {
        Cursors::new(Some(Keys::new([7; 32])), "s", &Limits::default())
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
        /// Names from `a`; the first four were declared, backwards.
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
