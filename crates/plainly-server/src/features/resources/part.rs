//! Parts of stored resources, which the fragment of a URI names.

use std::future::ready;
use std::sync::Arc;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::part::Part;
use plainly_protocol::types::{
    Body, CompleteResult, Completion, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use crate::answer::{AnswerFuture, MethodResult};
use crate::store::{
    ByteRange, DynStore, PartContent, PartQuery, PartUnit, RangeQuery, Store as _, StoreError,
    Stores, Viewer, read_part,
};

/// The member of `_meta` with the positions of a part, and the URI of what follows.
const PART: &str = "dev.plainly/part";

/// The lines and bytes of the parts that are named where a resource is too large.
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

/// The templates of the stores; if there are parts, each with the variable for one.
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

/// The examples that begin with this text.
pub(super) fn complete(text: &str) -> AnswerFuture {
    let examples = EXAMPLES.map(|part| part.to_string());
    let matching = examples.into_iter().filter(|part| part.starts_with(text));
    let completion = Completion::new(matching.collect::<Vec<_>>());
    let result = MethodResult::new(CompleteResult::new(completion), None);
    Box::pin(ready(Ok(result.into())))
}

/// The URI of the resource, and the part that `uri` names; an error if that is none.
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

/// The metadata of a part: that of its resource, but for its size and its tag.
pub(super) fn described(mut resource: Resource, uri: &str) -> Result<Resource, ProtocolError> {
    if resource.is_collection == Some(true) {
        let why = "a collection has no parts".into();
        return Err(StoreError::InvalidUri { why }.into_protocol_error(uri));
    }
    uri.clone_into(&mut resource.uri);
    resource.size = None;
    resource.remove_tag();
    Ok(resource)
}

/// Reads a part of a resource, which the viewer asked for as `asked`.
pub(super) async fn read(
    store: &Arc<dyn DynStore>,
    resource: Resource,
    part: Part,
    asked: &str,
    viewer: &Viewer,
) -> Result<Vec<ResourceContents>, ProtocolError> {
    let uri = resource.uri.clone();
    let uri = &*uri;
    let resource = described(resource, asked)?;
    let one = Stores::of_one(store);
    let query = PartQuery::new(uri, part).lines(store.lines());
    let content = read_part(&one, query.viewer(viewer)).await;
    let content = content.map_err(|error| error.into_protocol_error(asked))?;
    let about = about(&content, uri);
    let mut contents = ResourceContents::new(resource, Body::of_bytes(content.bytes));
    let meta = contents.meta.get_or_insert_default();
    meta.insert(PART.to_owned(), about);
    let mut contents = vec![contents];
    super::contents::complete(asked, &mut contents);
    Ok(contents)
}

/// The unit and the positions of a part, and the URI of what follows.
fn about(content: &PartContent, uri: &str) -> Value {
    let unit = match content.unit {
        PartUnit::Byte => "byte",
        PartUnit::Line => "line",
    };
    let mut about = json!({ "unit": unit, "first": content.first, "last": content.last });
    if let Some(total) = content.total {
        about["total"] = total.into();
    }
    if let Some(next) = content.next {
        about["next"] = next.uri(uri).into();
    }
    about
}

/// The error for a resource that is too large to be read at once, with parts of it if these can be read.
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
