//! Listings of resources that are read page by page: all resources, or those directly below a URI,
//! by whichever method the server has for that.

use plainly_protocol::method::Method;
use plainly_protocol::types::{ListResourcesParams, ListResourcesResult, Resource};

use crate::connect::Client;
use crate::error::{Error, Result};
use crate::features::pages::{ListingPage, Pages};

/// A listing that is read page by page.
#[derive(Debug)]
pub struct ResourcePages<'a> {
    client: &'a Client,
    method: Method,
    /// `None` after the last page.
    next: Option<ListResourcesParams>,
    pages: Pages,
    filter: Option<BelowFilter>,
    /// The server's error when it refused to list these children; `None` as soon as a child was
    /// found, because that shows that the URI is right.
    refusal: Option<Error>,
}

/// A filter for the resources below a URI, among all that a server lists.
#[derive(Debug)]
struct BelowFilter {
    parent: String,
    /// Whether to include resources at any depth, not only direct children.
    deep: bool,
}

impl ResourcePages<'_> {
    /// The next page, which may be empty; `None` after the last.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::resources`]. After an error, the next call requests the same page
    /// again.
    pub async fn next(&mut self) -> Result<Option<Vec<Resource>>> {
        let page: ListingPage<ListResourcesResult> = loop {
            let Some(params) = &self.next else {
                return Ok(None);
            };
            // Both methods have the same parameters and the same result.
            match self.client.page(self.method, "resources", params).await {
                Ok(page) => break page,
                Err(refusal) => self.fall_back(refusal)?,
            }
        };
        let page = self.pages.noted(page);
        let ListingPage { body, bytes, .. } = page;
        let mut resources = body.resources;
        let cursor = self.pages.after(bytes, body.next_cursor)?;
        match (&mut self.next, cursor) {
            (Some(params), Some(cursor)) => params.cursor = Some(cursor),
            (next, _) => *next = None,
        }
        if let Some(filter) = &self.filter {
            resources.retain(|resource| filter.has(&resource.uri));
        }
        if !resources.is_empty() {
            self.refusal = None;
        }
        match self.refusal.take_if(|_| self.next.is_none()) {
            Some(refusal) => Err(refusal),
            None => Ok(Some(resources)),
        }
    }

    /// Continues with all resources that the server lists, if it refuses to read a directory:
    /// servers only have to read the directories of their skills (SEP-2640, "Directory Reading").
    fn fall_back(&mut self, refusal: Error) -> Result<()> {
        let is_refused = refusal.is_invalid_params()
            || refusal.is_resource_not_found()
            || refusal.is_method_not_found();
        let is_declared = self.client.check_declared(Method::ListResources).is_ok();
        let begun = self.next.take_if(|params| {
            is_refused
                && is_declared
                && self.method == Method::ReadDirectory
                && params.cursor.is_none()
        });
        let Some(parent) = begun.and_then(|params| params.uri) else {
            return Err(refusal);
        };
        *self = self.client.below(parent);
        self.refusal = Some(refusal);
        Ok(())
    }

    /// All remaining resources of the listing.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::resources`].
    pub async fn all(mut self) -> Result<Vec<Resource>> {
        let is_whole = self
            .next
            .as_ref()
            .is_some_and(|params| params.cursor.is_none());
        let mut resources = Vec::new();
        loop {
            match self.next().await {
                Ok(Some(page)) => resources.extend(page),
                Ok(None) => return Ok(resources),
                Err(error) => match &mut self.next {
                    // The earlier pages are dropped, which is only possible if the caller has not
                    // got any of them.
                    Some(params) if is_whole => {
                        self.pages.begin_again(error)?;
                        params.cursor = None;
                        resources.clear();
                    }
                    _ => return Err(error),
                },
            }
        }
    }

    /// Whether these resources are picked by their URIs from all that the server lists, because the
    /// server can't list [children](Client::children). Then there may be others. Only the first
    /// page makes it certain, because a server may read some directories and not others.
    pub fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

    /// Includes everything below, at any depth, if the listing [is filtered](Self::is_filtered). A
    /// server that can't list children may list no resource in between whose children could be
    /// listed.
    #[must_use]
    pub fn at_any_depth(mut self) -> Self {
        if let Some(filter) = &mut self.filter {
            filter.deep = true;
        }
        self
    }
}

impl BelowFilter {
    /// Whether a URI is below the parent, by its text. A URI that leads up again is not.
    fn has(&self, uri: &str) -> bool {
        let rest = uri.strip_prefix(&self.parent);
        let rest = match self.parent.ends_with(['/', ':']) {
            true => rest,
            false => rest.and_then(|rest| rest.strip_prefix('/')),
        };
        let rest = rest.map(|rest| rest.strip_suffix('/').unwrap_or(rest));
        let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
            return false;
        };
        let leads_up = |part: &str| matches!(&*part.to_lowercase().replace("%2e", "."), "." | "..");
        (self.deep || !rest.contains('/')) && !rest.split('/').any(leads_up)
    }
}

impl Client {
    /// Like [`resources`](Self::resources), read page by page.
    pub fn resource_pages(&self, parent: Option<&str>) -> ResourcePages<'_> {
        self.listed(Method::ListResources, parent, None)
    }

    /// The children of `uri`, as the server lists them with `resources/list` (SEP-2093) or
    /// `resources/directory/read` (SEP-2640). If the server has neither, or refuses to read this
    /// directory, the resources directly below `uri` by their URIs, from all that the server lists
    /// ([`is_filtered`](ResourcePages::is_filtered)).
    ///
    /// If the server lists them, children may have any URI, even that of their parent. Don't use a
    /// URI as a path; when you descend, enter each URI only once.
    ///
    /// ```no_run
    /// # async fn example(client: plainly::Client) -> plainly::client::Result<()> {
    /// for child in client.children("file:///docs").all().await? {
    ///     println!("{}", child.uri);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`resources`](Self::resources). A server that can list children returns an
    /// error if `uri` is no collection or does not exist; a filtered listing is empty in both
    /// cases. If the server first refused to read the directory, and nothing is below it, that
    /// refusal is the error.
    pub fn children(&self, uri: impl AsRef<str>) -> ResourcePages<'_> {
        let (server, uri) = (&self.connected.server, uri.as_ref());
        if server.knows_collections() {
            self.listed(Method::ListResources, Some(uri), None)
        } else if server.reads_directories() {
            self.listed(Method::ReadDirectory, Some(uri), None)
        } else {
            self.below(uri.to_owned())
        }
    }

    /// The direct children of `parent` by their URIs.
    fn below(&self, parent: String) -> ResourcePages<'_> {
        let deep = false;
        let filter = BelowFilter { parent, deep };
        self.listed(Method::ListResources, None, Some(filter))
    }

    fn listed(
        &self,
        method: Method,
        uri: Option<&str>,
        filter: Option<BelowFilter>,
    ) -> ResourcePages<'_> {
        let mut params = ListResourcesParams::new();
        params.uri = uri.map(str::to_owned);
        ResourcePages {
            client: self,
            method,
            next: Some(params),
            pages: self.pages_of(method),
            filter,
            refusal: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_uri_is_told_by_its_parts() {
        // A parent, another URI, whether that is directly below the parent, and whether it is below
        // at all.
        for (parent, uri, direct, deep) in [
            ("a:b", "a:b/c", true, true),
            ("a:b/", "a:b/c", true, true),
            ("a:b", "a:b/c/", true, true),
            ("a:b", "a:b/c/d", false, true),
            ("a:b", "a:b", false, false),
            ("a:b", "a:b/", false, false),
            ("a:b/", "a:b", false, false),
            ("a:b", "a:bc", false, false),
            ("a:b", "a:b?c", false, false),
            ("a:b", "x:b/c", false, false),
            ("a:", "a:b", true, true),
            ("a://", "a://b", true, true),
            ("a:///", "a:///é", true, true),
            ("a:b", "a:b//", false, false),
            ("a:b", "a:b//c", false, true),
            ("a:b", "a:b/..", false, false),
            ("a:b", "a:b/%2E%2e/", false, false),
            ("a:b", "a:b/c/.%2e/../d", false, false),
            ("a:b", "a:b/..c", true, true),
        ] {
            let has = |deep| {
                let parent = parent.to_owned();
                BelowFilter { parent, deep }.has(uri)
            };
            assert_eq!((has(false), has(true)), (direct, deep), "{parent} {uri}");
        }
    }
}
