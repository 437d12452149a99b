//! Parts of stored resources, which the fragment of a URI names.

use std::sync::Arc;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::part::{PageRange, Part};
use plainly_protocol::types::{
    Body, CompleteResult, Completion, Representation, Resource, ResourceContents, ResourceTemplate,
    TEXT_ENCODING,
};
use plainly_protocol::uri_template::{UriTemplate, Values};

use super::decoded;
use crate::answer::{AnswerFuture, MethodResult};
use crate::extract::CompletionCall;
use crate::store::{
    ByteRange, DynStore, Formats, PartQuery, RangeQuery, Store as _, StoreError, Stores, Viewer,
    no_pages, read_part,
};

/// The parts in lines and bytes that an error suggests for a resource that is too large.
const EXAMPLES: [Part; 3] = [
    Part::Tail(200),
    Part::Lines {
        first: 0,
        last: Some(200),
    },
    Part::Bytes {
        first: 0,
        end: Some(65_536),
    },
];

/// The variable for a part, at the end of each template of a store.
pub(super) const VARIABLE: &str = "{#part}";
pub(super) const NAME: &str = "part";

/// The templates of the stores. If parts are supported, each has the variable for one.
pub(super) fn templates(
    stores: &Stores,
    has_parts: bool,
) -> impl Iterator<Item = ResourceTemplate> + use<> {
    let templates = stores.templates().into_iter();
    templates.map(move |mut template| {
        if has_parts {
            template.uri_template.push_str(VARIABLE);
        }
        template
    })
}

/// The examples of parts that begin with this text. They include a page if the resource that the
/// other variables name has pages.
pub(super) fn complete(
    store: &Arc<dyn DynStore>,
    template: &str,
    call: &CompletionCall<'_>,
) -> AnswerFuture {
    let mut parts = EXAMPLES.map(|part| part.to_string()).to_vec();
    let page = PageRange::new(1, 1).map(Part::Pages);
    let page = page.map(|page| page.to_string()).unwrap_or_default();
    parts.push(page.clone());
    parts.retain(|part| part.starts_with(call.text));
    let known = call.others.iter();
    let known: Values = known
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let template = UriTemplate::parse(template).ok();
    let named = template.and_then(|template| template.expand(&known).ok());
    let store = Arc::clone(store);
    Box::pin(async move {
        if parts.contains(&page) {
            let resource = match named {
                Some(uri) => store.metadata(&uri).await.ok(),
                None => None,
            };
            if resource.as_ref().and_then(paged_format).is_none() {
                parts.retain(|part| *part != page);
            }
        }
        let result = MethodResult::new(CompleteResult::new(Completion::new(parts)), None);
        Ok(result.into())
    })
}

/// The URI of the resource and the part that `uri` names; an error if the part is invalid.
pub(super) fn of(uri: &str) -> Result<Option<(&str, Part)>, ProtocolError> {
    let Some((resource, part)) = Part::of(uri) else {
        return Ok(None);
    };
    match part {
        Ok(part) => Ok(Some((resource, part))),
        Err(invalid) => {
            let why = invalid.to_string().into();
            Err(StoreError::InvalidUri { why }.into_protocol_error(uri))
        }
    }
}

/// The metadata of a part: that of its resource, except for the size, the tag, and for pages the
/// MIME type.
pub(super) fn described(
    mut resource: Resource,
    part: Part,
    uri: &str,
) -> Result<Resource, ProtocolError> {
    if resource.is_collection == Some(true) {
        let why = "a collection has no parts".into();
        return Err(StoreError::InvalidUri { why }.into_protocol_error(uri));
    }
    if let Part::Pages(_) = part {
        let format = paged_format(&resource);
        let format = format.ok_or_else(|| no_pages().into_protocol_error(uri))?;
        resource.mime_type = Some(format.mime_type);
    }
    uri.clone_into(&mut resource.uri);
    resource.size = None;
    resource.remove_tag();
    Ok(resource)
}

/// Reads a part of a resource, which the viewer requested as `asked`.
pub(super) async fn read(
    store: &Arc<dyn DynStore>,
    resource: Resource,
    part: Part,
    asked: &str,
    viewer: &Viewer,
) -> Result<Vec<ResourceContents>, ProtocolError> {
    let uri = resource.uri.clone();
    let uri = &*uri;
    let resource = described(resource, part, asked)?;
    let one = Stores::of_one(store);
    let query = PartQuery::new(uri, part).lines(store.lines());
    let content = read_part(&one, query.viewer(viewer)).await;
    let mut content = content.map_err(|error| error.into_protocol_error(asked))?;
    let mut body = Body::of_bytes(std::mem::take(&mut content.bytes));
    let mut encoding = None;
    if let (Body::Blob(_), Part::Lines { .. } | Part::Tail(_)) = (&body, part)
        && let Some((lines, decoded_from)) = decoded::lines(&one, uri, part).await
    {
        (content, encoding) = (lines, Some(decoded_from));
        body = Body::of_bytes(std::mem::take(&mut content.bytes));
    }
    let position = content.position(uri);
    let mut contents = ResourceContents::new(resource, body);
    let stated = contents.meta.get_or_insert_default();
    if let Some(encoding) = encoding {
        stated.insert(TEXT_ENCODING.to_owned(), encoding);
    }
    position.state(stated);
    let mut contents = vec![contents];
    super::contents::complete(asked, &mut contents, &Formats::Own);
    Ok(contents)
}

/// The format in which single pages of the resource can be read.
fn paged_format(resource: &Resource) -> Option<Representation> {
    let formats = resource.meta.as_ref().map(Representation::listed);
    let mut formats = formats.unwrap_or_default().into_iter();
    formats.find(|format| format.has_pages == Some(true))
}

/// The error for a resource that is too large to be read at once. It suggests parts if these can be
/// read.
pub(super) async fn too_large(
    store: &dyn DynStore,
    uri: &str,
    (size, limit): (u64, u64),
) -> ProtocolError {
    let range = ByteRange::From { first: 0, most: 1 };
    let can_be_read = store.read_range(RangeQuery::new(uri, range)).await.is_ok();
    let parts = EXAMPLES.iter().filter(|_| can_be_read);
    InvalidParams::ResourceTooLarge {
        uri: uri.to_owned(),
        size,
        limit,
        parts: parts.map(|part| part.uri(uri)).collect(),
    }
    .into()
}
