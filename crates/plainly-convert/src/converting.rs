//! A store that also offers its resources in other formats.

mod conversions;
mod converters;

use std::borrow::Cow;
use std::mem;
use std::sync::Arc;

use plainly_protocol::part::{PageRange, PartPosition, PartUnit};
use plainly_protocol::types::{
    Body, CacheHint, Resource, ResourceContents, ResourceTemplate, TEXT_ENCODING, tag_in,
};
use plainly_server::SubscribedResources;
use plainly_server::store::{
    Budget, Formats, ListQuery, Page, RangeQuery, Ranged, Store, StoreError, Typed, Viewer, Wanted,
    Watch,
};

use self::conversions::{Conversion, ConversionKey, Conversions, Task};
use self::converters::{Converters, Offer};
use super::Converter;

/// The default maximum size of a text: 4 MiB.
const MAX_BYTES: usize = 4 << 20;

/// A store that also offers its resources in the formats that its converters produce.
///
/// A resource is read in its own format, unless a reader requests [other formats](Formats). The
/// `_meta` of a resource lists its formats as
/// [`REPRESENTATIONS`](plainly_protocol::types::REPRESENTATIONS); before the resource is read,
/// these are the possible ones. Its metadata, but no listing, has the title that a converter finds
/// in the resource. If a converter fails, the resource is served in its own format, and the failure
/// is logged.
///
/// Each conversion may take ten seconds, and 8 of them run at a time, one for each
/// [caller](plainly_server::store::StoreCaller). The texts of resources with a [tag](Resource::tag)
/// are cached until the tag changes, up to 64 MiB in total, and simultaneous readers share one
/// conversion. The texts of a [view](Store::view) of the store are not cached, because another
/// caller may see different content.
///
/// ```
/// # #[cfg(all(feature = "csv", feature = "html"))]
/// # mod needs_features {
/// use plainly_convert::{Converting, Csv, Html};
/// use plainly_server::store::Store;
///
/// fn readable(pages: impl Store) -> impl Store {
///     Converting::new(pages).converter(Html::new()).converter(Csv::new())
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Converting<S> {
    store: S,
    converters: Converters,
    conversions: Conversions,
    max_bytes: usize,
}

impl<S: Store> Converting<S> {
    /// Wraps a store, without any converter.
    pub fn new(store: S) -> Self {
        Self {
            store,
            converters: Converters::default(),
            conversions: Conversions::new(),
            max_bytes: MAX_BYTES,
        }
    }

    /// Adds a converter. Can be called several times; if several converters produce the same MIME
    /// type, the first one is used.
    pub fn converter(mut self, converter: impl Converter) -> Self {
        self.converters.add(converter);
        self
    }

    /// Sets the maximum size of a converter's text, in bytes; 4 MiB by default. A longer text is
    /// left out.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The number of requests for a text of a resource with a tag for which the text was cached, or
    /// its conversion was running. A title counts as a text.
    pub fn hits(&self) -> u64 {
        self.conversions.hits()
    }

    /// The number of requests for a text of a resource with a tag that started a conversion.
    pub fn misses(&self) -> u64 {
        self.conversions.misses()
    }

    /// The resource in its own format, followed by those of `formats` that a converter produces.
    async fn converted(
        &self,
        mut own: ResourceContents,
        formats: &Formats,
    ) -> Vec<ResourceContents> {
        let offers = self.converters.of(own.mime_type.as_deref(), own.size);
        let body = mem::replace(&mut own.body, Body::Text(String::new()));
        let body = Arc::new(body);
        let mut made = Vec::new();
        for offer in &offers {
            if formats.include(&offer.gives) {
                let conversion = self.convert(&own, &body, offer, None).await;
                made.push((offer, conversion));
            }
        }
        let made_of = |offer: &Offer| {
            let mut made = made.iter();
            made.find(|(other, _)| other.gives == offer.gives)
                .map(|(_, conversion)| conversion.as_ref().map(|made| made.text.len() as u64))
        };
        converters::list(
            own.mime_type.as_deref(),
            own.size,
            &mut own.meta,
            &offers,
            made_of,
        );
        let made = made.iter().filter_map(|(offer, conversion)| {
            Some(in_format(&own, &offer.gives, conversion.as_ref()?))
        });
        let others: Vec<_> = made.collect();
        own.body = Arc::unwrap_or_clone(body);
        let mut contents = vec![own];
        contents.extend(others);
        contents
    }

    /// The conversion of a resource with this body; `None` if it fails.
    async fn convert(
        &self,
        own: &ResourceContents,
        body: &Arc<Body>,
        offer: &Offer,
        pages: Option<PageRange>,
    ) -> Option<Arc<Conversion>> {
        let tag = own.meta.as_ref().and_then(tag_in);
        let key = tag.map(|tag| ConversionKey::new(&own.uri, tag, &offer.gives, pages));
        let task = Task {
            converter: Arc::clone(&offer.converter),
            uri: own.uri.clone(),
            mime_type: own.mime_type.clone()?,
            body: Arc::clone(body),
            pages,
            max_bytes: self.max_bytes,
            is_title: false,
        };
        self.conversions.run(key, task).await
    }

    /// Sets the title that the content of a resource contains. The title is looked for once until
    /// the resource's tag changes, and not in resources without a tag.
    async fn entitle(&self, resource: &mut Resource) {
        let mime_type = resource.mime_type.clone().unwrap_or_default();
        let (Some(converter), None, false) = (
            self.converters.of_titles(&mime_type),
            &resource.title,
            self.conversions.are_none(),
        ) else {
            return;
        };
        let Some(tag) = resource.own_tag() else {
            return;
        };
        let key = ConversionKey::of_title(&resource.uri, tag);
        let found = match self.conversions.stored(&key) {
            Some(found) => found,
            None => {
                let contents = self.store.read(&resource.uri).await.ok();
                let Some(own) = contents.and_then(|contents| contents.into_iter().next()) else {
                    return;
                };
                let task = Task {
                    converter: Arc::clone(converter),
                    uri: resource.uri.clone(),
                    mime_type,
                    body: Arc::new(own.body),
                    pages: None,
                    max_bytes: self.max_bytes,
                    is_title: true,
                };
                self.conversions.run(Some(key), task).await
            }
        };
        resource.title = found.map(|found| found.text.clone());
    }

    /// The resource in these formats, if all are cached and its own is not requested. The resource
    /// need not be read then.
    async fn known(
        &self,
        uri: &str,
        formats: &Formats,
    ) -> Result<Option<Vec<ResourceContents>>, StoreError> {
        if self.converters.are_none() || self.conversions.are_none() {
            return Ok(None);
        }
        let mut resource = self.store.metadata(uri).await?;
        let own = resource.mime_type.clone().unwrap_or_default();
        if resource.is_collection == Some(true) || formats.include(&own) {
            return Ok(None);
        }
        let Some(tag) = resource.own_tag().map(str::to_owned) else {
            return Ok(None);
        };
        self.converters.announce_resource(&mut resource);
        let mut contents = Vec::new();
        for offer in self.converters.of(Some(&own), resource.size) {
            if !formats.include(&offer.gives) {
                continue;
            }
            let key = ConversionKey::new(&resource.uri, &tag, &offer.gives, None);
            match self.conversions.stored(&key) {
                Some(Some(conversion)) => {
                    let content = ResourceContents::new(resource.clone(), String::new());
                    contents.push(in_format(&content, &offer.gives, &conversion));
                }
                Some(None) => {}
                None => return Ok(None),
            }
        }
        Ok((!contents.is_empty()).then_some(contents))
    }

    /// Reads the text of some pages.
    async fn read_pages(
        &self,
        uri: &str,
        wanted: &Wanted,
        pages: PageRange,
    ) -> Result<Vec<ResourceContents>, StoreError> {
        let resource = self.store.metadata(uri).await?;
        let offers = self
            .converters
            .of(resource.mime_type.as_deref(), resource.size);
        let mut offers = offers.into_iter().filter(|offer| offer.has_pages);
        let Some(offer) = offers.next() else {
            return self.store.read_as(uri, wanted).await;
        };
        let tag = resource.own_tag();
        let key = tag.map(|tag| ConversionKey::new(&resource.uri, tag, &offer.gives, Some(pages)));
        let stored = key.and_then(|key| self.conversions.stored(&key)).flatten();
        let mut own = ResourceContents::new(resource, String::new());
        let conversion = match stored {
            Some(conversion) => conversion,
            None => {
                let contents = self.store.read(uri).await?;
                own = contents.into_iter().next().ok_or(StoreError::NotFound)?;
                let body = mem::replace(&mut own.body, Body::Text(String::new()));
                let body = Arc::new(body);
                let conversion = self.convert(&own, &body, &offer, Some(pages)).await;
                conversion.ok_or_else(unreadable)?
            }
        };
        let total = conversion.total_pages.ok_or_else(unreadable)?;
        if pages.first() > total {
            return Err(StoreError::NoSuchPart { size: total.into() });
        }
        let mut content = in_format(&own, &offer.gives, &conversion);
        let (first, last) = (pages.first(), pages.last().min(total));
        let position = PartPosition::new(PartUnit::Page, first.into(), last.into());
        let position = position.total(total.into());
        position.state(content.meta.get_or_insert_default());
        Ok(vec![content])
    }
}

/// The error for pages of a resource if its converter fails.
fn unreadable() -> StoreError {
    let why = "the pages of this resource can't be read: read it as a whole".into();
    StoreError::InvalidUri { why }
}

/// A content with the text of a conversion.
fn in_format(own: &ResourceContents, mime_type: &str, made: &Conversion) -> ResourceContents {
    let mut content = own.clone();
    content.mime_type = Some(mime_type.to_owned());
    content.size = Some(made.text.len() as u64);
    content.body = Body::Text(made.text.clone());
    let meta = content.meta.get_or_insert_default();
    meta.remove(TEXT_ENCODING);
    made.page_lines.state(meta);
    content.meta.take_if(|meta| meta.is_empty());
    content
}

// Without this lint, a method that is not forwarded would silently use the trait's default.
#[deny(clippy::missing_trait_methods)]
impl<S: Store> Store for Converting<S> {
    fn serves(&self, uri: &str) -> bool {
        self.store.serves(uri)
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let mut page = self.store.list(query).await?;
        for resource in &mut page.resources {
            self.converters.announce_resource(resource);
        }
        Ok(page)
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let mut resource = self.store.metadata(uri).await?;
        self.converters.announce_resource(&mut resource);
        self.entitle(&mut resource).await;
        Ok(resource)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        self.read_as(uri, &Wanted::default()).await
    }

    async fn read_as(
        &self,
        uri: &str,
        wanted: &Wanted,
    ) -> Result<Vec<ResourceContents>, StoreError> {
        if let Some(pages) = wanted.pages {
            return self.read_pages(uri, wanted, pages).await;
        }
        if let Formats::These(_) = wanted.formats
            && let Some(known) = self.known(uri, &wanted.formats).await?
        {
            return Ok(known);
        }
        let mut contents = self.store.read_as(uri, wanted).await?;
        let listed = self.store.spelling(uri).unwrap_or(Cow::Borrowed(uri));
        let is_one = |one: &ResourceContents| one.uri == listed && one.is_collection != Some(true);
        if contents.len() == 1
            && let Some(own) = contents.pop_if(|one| is_one(one))
        {
            return Ok(self.converted(own, &wanted.formats).await);
        }
        for content in &mut contents {
            self.converters.announce_content(content);
        }
        Ok(contents)
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        self.store.read_range(query).await
    }

    fn roots(&self) -> Vec<String> {
        self.store.roots()
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        self.store.templates()
    }

    async fn complete(&self, typed: Typed<'_>) -> Result<Vec<String>, StoreError> {
        self.store.complete(typed).await
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        self.store.spelling(uri)
    }

    fn view(&self, viewer: &Viewer) -> Option<Self> {
        Some(Self {
            store: self.store.view(viewer)?,
            converters: self.converters.clone(),
            conversions: self.conversions.unstored(),
            max_bytes: self.max_bytes,
        })
    }

    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        self.store.watch(subscribed)
    }

    fn can_suggest(&self) -> bool {
        self.store.can_suggest()
    }

    fn budget(&self) -> Budget {
        self.store.budget()
    }

    fn cache_hint(&self) -> CacheHint {
        self.store.cache_hint()
    }
}
