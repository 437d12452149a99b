//! The listing of everything. Many clients show only its first page, so it starts with the
//! collection above all mounts, the mounts and their direct entries. Deeper entries follow, depth
//! first.

use std::ffi::OsString;
use std::rc::Rc;

use plainly::protocol::types::Resource;
use plainly::store::{Page, StoreError};

use super::place::Place;
use super::request::{Request, next_resource, page};
use super::uri;
use super::walk::Walk;

/// A part of the listing, in order. The numbers are the indices of mounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Top,
    Mount(usize),
    Children(usize),
    Deeper(usize),
}

impl Request<'_> {
    /// A page of the listing of everything, after the resource `after`.
    pub(super) fn everything(&self, after: Option<&str>, limit: usize) -> Result<Page, StoreError> {
        let mut everything = Everything::after(self, after)?;
        page(limit, || everything.next())
    }
}

/// A walk through all parts of the listing.
struct Everything<'a> {
    request: &'a Request<'a>,
    /// The parts that have not started, in reverse order.
    parts: Vec<Part>,
    /// The opened mounts, by index, so that each mount is opened once.
    places: Vec<Option<Rc<Place>>>,
    walk: Option<Walk>,
}

impl<'a> Everything<'a> {
    /// Starts after the resource `after`, whose depth determines its part.
    pub(super) fn after(request: &'a Request<'a>, after: Option<&str>) -> Result<Self, StoreError> {
        let mounts = 0..request.mounts.roots.len();
        let roots = request.mounts.roots.iter().enumerate();
        let directories = roots.filter_map(|(index, root)| root.file.is_none().then_some(index));
        let parts = [Part::Top].into_iter();
        let parts = parts.chain(mounts.clone().map(Part::Mount));
        let parts = parts.chain(directories.clone().map(Part::Children));
        let parts: Vec<Part> = parts.chain(directories.map(Part::Deeper)).collect();
        let mut everything = Self {
            request,
            parts: parts.into_iter().rev().collect(),
            places: mounts.map(|_| None).collect(),
            walk: None,
        };
        if let Some(after) = after {
            everything.skip_to(after)?;
        }
        Ok(everything)
    }

    fn skip_to(&mut self, after: &str) -> Result<(), StoreError> {
        let (part, path) = self.position(after)?;
        self.parts.retain(|other| *other > part);
        self.walk = self.walk(part, &path)?;
        Ok(())
    }

    fn position(&self, uri: &str) -> Result<(Part, Vec<OsString>), StoreError> {
        if uri == uri::ROOT {
            return Ok((Part::Top, Vec::new()));
        }
        let target = self.request.position(uri)?;
        let part = match target.path.len() {
            1 if target.root.file.is_some() => Part::Mount,
            0 => Part::Mount,
            1 => Part::Children,
            _ => Part::Deeper,
        };
        Ok((part(target.index), target.path))
    }

    fn next(&mut self) -> Result<Option<Resource>, StoreError> {
        loop {
            if let Some(walk) = &mut self.walk
                && let Some(resource) = next_resource(walk)?
            {
                return Ok(Some(resource));
            }
            self.walk = None;
            match self.parts.pop() {
                None => return Ok(None),
                Some(Part::Top) => return Ok(Some(self.request.top())),
                Some(Part::Mount(index)) => {
                    let root = self.request.mounts.roots.get(index);
                    let mount = root.map(|root| self.request.mount(root)).transpose()?;
                    if let Some(mount) = mount.flatten() {
                        return Ok(Some(mount));
                    }
                }
                Some(part @ (Part::Children(_) | Part::Deeper(_))) => {
                    self.walk = self.walk(part, &[])?;
                }
            }
        }
    }

    /// Starts the walk through a part, after the path `after` in its mount.
    fn walk(&mut self, part: Part, after: &[OsString]) -> Result<Option<Walk>, StoreError> {
        let (Part::Children(index) | Part::Deeper(index)) = part else {
            return Ok(None);
        };
        let Some((root, place)) = self
            .request
            .mounts
            .roots
            .get(index)
            .zip(self.places.get_mut(index))
        else {
            return Ok(None);
        };
        let place = place.get_or_insert_with(|| self.request.place(root));
        let (place, uri) = (Rc::clone(place), root.uri.clone());
        Ok(Some(match part {
            Part::Deeper(_) => Walk::deeper(place, uri, after)?,
            Part::Top | Part::Mount(_) | Part::Children(_) => {
                Walk::direct(place, uri, after.first().cloned())
            }
        }))
    }
}
