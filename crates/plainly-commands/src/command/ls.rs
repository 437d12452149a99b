//! `plainly ls`: resources by their URIs, with more for users or scripts, or as the specification's
//! objects.

mod long;

use std::collections::HashSet;

use anstyle::{AnsiColor, Style};
use clap::error::ErrorKind;
use plainly::client::{Client, Error, ResourcePages};
use plainly::protocol::types::Resource;

use super::lacking::is_lacking;
use crate::args::LsArgs;
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::visible::visible;

/// The most collections that a recursive listing enters, and the most bytes of their URIs, because
/// a server may have any number of them.
const MOST_COLLECTIONS: usize = 100_000;
const MOST_BYTES: usize = 64 << 20;

pub(crate) async fn run(mut args: LsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let uri = words.next();
    if args.recursive && uri.is_none() {
        return Err(words.wrong(
            ErrorKind::MissingRequiredArgument,
            "-R needs the URI of a collection: without one, everything the server lists is shown",
        ));
    }
    words.end()?;
    let mut listing = Listing {
        output: Output::new(args.server.format()),
        is_long: args.long,
        is_begun: false,
        left: args.limit.map_or(usize::MAX, Into::into),
    };
    with_client(server, args.server, async |client| {
        let Some(uri) = uri else {
            return listing.all(client).await;
        };
        let children = client.children(&uri);
        if !children.is_filtered() && args.recursive {
            return listing.below(client, uri).await;
        }
        if children.is_filtered() {
            tracing::warn!(
                "the server does not declare that it lists children: showing the resources whose \
                 URIs are below this one"
            );
        }
        let children = match args.recursive {
            true => children.at_any_depth(),
            false => children,
        };
        listing.pages(children, Some(&uri), |_| Ok(())).await?;
        if !listing.is_begun && !listing.output.is_json() {
            tracing::warn!("this collection is empty");
        }
        Ok(())
    })
    .await
}

/// A listing while it is printed.
struct Listing {
    output: Output,
    is_long: bool,
    is_begun: bool,
    /// The number of resources that may still be shown.
    left: usize,
}

impl Listing {
    /// Prints everything that the server lists. If there is nothing, a note names what the server
    /// has instead.
    async fn all(&mut self, client: &Client) -> Result<(), Failure> {
        let pages = client.resource_pages(None);
        match self.pages(pages, None, |_| Ok(())).await {
            Err(Failure::Call { error, .. }) if is_lacking(&error) => {
                tracing::warn!("this server has no resources");
                return Ok(());
            }
            listed => listed?,
        }
        if self.is_begun {
            return Ok(());
        }
        // This is only for the note, because a server without templates may not support them.
        let templates = client.resource_templates().await.unwrap_or_default();
        match templates.len() {
            0 if self.output.is_json() => {}
            0 => tracing::warn!("this server lists no resources"),
            count => tracing::warn!(
                "no resource is listed, but there are {count} templates: `plainly templates` lists them"
            ),
        }
        Ok(())
    }

    /// Prints everything in the collection at `uri` and in the collections inside of it, each of
    /// which is entered once.
    async fn below(&mut self, client: &Client, uri: String) -> Result<(), Failure> {
        // A list of collections to enter replaces recursion, because a server may nest collections
        // without end or in circles.
        let mut found = HashSet::from([uri.clone()]);
        let mut next = vec![uri];
        let (mut bytes, mut unlisted) = (0, 0_usize);
        while let Some(uri) = next.pop() {
            let before = next.len();
            let collection = |collection: &str| {
                if found.insert(collection.to_owned()) {
                    bytes += collection.len();
                    next.push(collection.to_owned());
                }
                enough(found.len(), bytes)
            };
            match self
                .pages(client.children(&uri), Some(&uri), collection)
                .await
            {
                Ok(()) => {}
                // This collection may have been removed since it was listed, or be the end of a
                // loop of links. The others still exist.
                Err(Failure::Call {
                    error: Error::Protocol(error),
                    ..
                }) if found.len() > 1 => {
                    let (uri, error) = (visible(&uri), visible(&error.to_string()));
                    tracing::warn!("cannot list this collection: {uri}: {error}");
                    unlisted += 1;
                }
                Err(failure) => return Err(failure),
            }
            // The first collection found is entered next.
            next.get_mut(before..).unwrap_or_default().reverse();
        }
        match unlisted {
            0 => Ok(()),
            _ => Err(Failure::local(format!(
                "{unlisted} collections could not be listed"
            ))),
        }
    }

    /// Prints a listing: of the collection at `uri`, or of everything. Reports each collection in
    /// it, even beyond the limit.
    async fn pages(
        &mut self,
        mut pages: ResourcePages<'_>,
        uri: Option<&str>,
        mut collection: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let subject = || match uri {
            Some(uri) => Subject::Resource(uri.to_owned()),
            None => Subject::Resources,
        };
        while self.left > 0
            && let Some(page) = pages.next().await.map_err(Failure::about(subject()))?
        {
            if self.is_long && !self.is_begun && !page.is_empty() {
                long::header(&mut self.output)?;
            }
            self.is_begun |= !page.is_empty();
            for resource in page.iter().take(self.left) {
                self.show(resource)?;
                if is_collection(resource) {
                    collection(&resource.uri)?;
                }
            }
            self.left -= page.len().min(self.left);
            self.output.flush()?;
        }
        Ok(())
    }

    fn show(&mut self, resource: &Resource) -> Result<(), Failure> {
        if self.output.is_json() {
            return self.output.json(resource);
        }
        if self.is_long {
            return long::row(resource, &mut self.output);
        }
        if is_collection(resource) && self.output.is_table() {
            let style = Style::new().bold().fg_color(Some(AnsiColor::Blue.into()));
            return self.output.styled(style, &visible(&resource.uri));
        }
        self.output.fields(&[&resource.uri])
    }
}

/// Whether a resource has children: by its own field, or by the MIME type of servers that list
/// directories (SEP-2640).
fn is_collection(resource: &Resource) -> bool {
    let is_directory = || resource.mime_type.as_deref() == Some("inode/directory");
    resource.is_collection.unwrap_or_else(is_directory)
}

/// Fails if too many collections were found.
fn enough(collections: usize, bytes: usize) -> Result<(), Failure> {
    if collections <= MOST_COLLECTIONS && bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Failure::local(format!(
        "there are more than {MOST_COLLECTIONS} collections, or their URIs are too long: list a smaller collection"
    )))
}
