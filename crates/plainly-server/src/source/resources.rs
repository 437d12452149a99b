//! The rules of the protocol for every server with resources (SEP-2093, SEP-2164), applied to
//! sources that don't follow them: metadata, and no empty contents for resources that may not
//! exist.

use std::sync::Arc;

use plainly_errors::{ErrorKind, ProtocolError};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    Cursor, ListResourcesParams, RESOURCES_EXTENSION, RawJson, ReadResourceParams,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::raw::{self, Members};
use super::{ErasedSource, SourceRequest};
use crate::failure::{Failure, Meaning};
use crate::features::ACCEPT;
use crate::store::{ContentFacts, Formats};

/// The members of a resource that are read. The others are passed on unparsed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceMembers {
    uri: String,
    is_collection: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourcePage {
    resources: Vec<RawJson>,
    next_cursor: Option<Cursor>,
}

#[derive(Deserialize)]
struct Contents {
    contents: Vec<Map<String, Value>>,
}

#[derive(Deserialize)]
struct NoContents {
    #[expect(dead_code, reason = "that it is empty is all there is to know")]
    contents: [(); 0],
}

#[derive(Deserialize, Serialize)]
struct DescribedResource<T> {
    resource: T,
}

/// The answer of `source` to any request.
pub(super) async fn answered(
    source: Arc<dyn ErasedSource>,
    request: SourceRequest,
) -> Result<RawJson, Failure> {
    if request.method == Method::ReadResource {
        read(source, request).await
    } else if request.method == Method::ResourceMetadata {
        metadata(source, request).await
    } else {
        asked(&source, request).await
    }
}

/// The answer of the source itself.
async fn asked(source: &Arc<dyn ErasedSource>, request: SourceRequest) -> Result<RawJson, Failure> {
    let answer = Arc::clone(source).answer(request).await;
    answer.map_err(Failure::of_source)
}

#[derive(Deserialize)]
struct RawContents {
    contents: Vec<RawJson>,
}

/// The members of a content that are read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentMembers {
    uri: String,
    mime_type: Option<String>,
    is_collection: Option<bool>,
}

/// The formats that the client of a request to read gets.
fn formats(request: &SourceRequest) -> Formats {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "_meta", default)]
        meta: Map<String, Value>,
    }
    let params = request.params.decode::<Params>().ok();
    let asked = params.and_then(|mut params| params.meta.remove(ACCEPT));
    let asked = asked.and_then(|asked| serde_json::from_value(asked).ok());
    let knows_formats = || {
        request
            .context
            .client_extension(RESOURCES_EXTENSION)
            .is_some()
    };
    match asked {
        Some(types) => Formats::These(types),
        None if knows_formats() => Formats::All,
        None => Formats::Own,
    }
}

/// The answer, without the formats of the resource at `uri` that the client does not get.
fn fitted(answer: RawJson, uri: &str, formats: &Formats) -> Result<RawJson, Failure> {
    let Ok(RawContents { contents }) = answer.decode() else {
        return Ok(answer);
    };
    let members = contents.iter().map(RawJson::decode::<ContentMembers>);
    let Ok(members) = members.collect::<Result<Vec<_>, _>>() else {
        return Ok(answer);
    };
    let facts = members.iter().map(|one| ContentFacts {
        uri: &one.uri,
        mime_type: one.mime_type.as_deref(),
        is_collection: one.is_collection,
    });
    let kept = formats.kept(uri, facts.collect());
    if kept.iter().all(|is_kept| *is_kept) {
        return Ok(answer);
    }
    let contents = contents.into_iter().zip(kept);
    let contents = contents.filter_map(|(content, is_kept)| is_kept.then_some(content));
    let contents = RawJson::encode(&contents.collect::<Vec<_>>())?;
    let result = Members::of(&raw::parse(answer.get())?, &["contents"])?;
    Ok(result.with("contents", contents).to_json())
}

/// Reads contents. They may be empty only for a collection, because otherwise they may mean that
/// the resource does not exist.
async fn read(source: Arc<dyn ErasedSource>, request: SourceRequest) -> Result<RawJson, Failure> {
    let uri = request.params.decode::<ReadResourceParams>()?.uri;
    let context = request.clone();
    let answer = asked(&source, request).await?;
    if answer.decode::<NoContents>().is_err() {
        return fitted(answer, &uri, &formats(&context));
    }
    if is_collection(&source, &context, &uri).await {
        return Ok(answer);
    }
    let why = format!(
        "Reading {uri} gave no contents, which is ambiguous: the resource may be empty or may not exist"
    );
    Err(Failure::of_server(ProtocolError::internal(why)))
}

async fn is_collection(source: &Arc<dyn ErasedSource>, request: &SourceRequest, uri: &str) -> bool {
    let params = RawJson::encode(&ReadResourceParams::new(uri));
    let Ok(params) = params else { return false };
    let direct = asked(source, request.about(Method::ResourceMetadata, params)).await;
    let resource =
        match direct.and_then(|answer| Ok(answer.decode::<DescribedResource<RawJson>>()?)) {
            Ok(answer) => Some(answer.resource),
            Err(_) => listed(source, request, uri).await.ok().flatten(),
        };
    let known = resource.and_then(|resource| resource.decode::<ResourceMembers>().ok());
    known.is_some_and(|known| known.is_collection == Some(true))
}

/// Reads metadata. For a source without the method, it is taken from the listing, and for unlisted
/// resources from the contents.
async fn metadata(
    source: Arc<dyn ErasedSource>,
    request: SourceRequest,
) -> Result<RawJson, Failure> {
    let uri = request.params.decode::<ReadResourceParams>()?.uri;
    let context = request.clone();
    match asked(&source, request).await {
        Err(failure) if is_unknown_method(&failure) => {}
        answered => return answered,
    }
    if let Some(resource) = listed(&source, &context, &uri).await? {
        return Ok(RawJson::encode(&DescribedResource { resource })?);
    }
    let params = RawJson::encode(&ReadResourceParams::new(&*uri))?;
    let answer = read(source, context.about(Method::ReadResource, params)).await?;
    let resource = described(&uri, answer.decode::<Contents>()?);
    Ok(RawJson::encode(&DescribedResource { resource })?)
}

fn is_unknown_method(failure: &Failure) -> bool {
    matches!(
        failure.meaning(),
        Meaning::Server(error) if matches!(error.kind(), ErrorKind::MethodNotFound { .. })
    )
}

/// The source's entry for `uri`, as it was written. An endless listing ends with the request.
async fn listed(
    source: &Arc<dyn ErasedSource>,
    request: &SourceRequest,
    uri: &str,
) -> Result<Option<RawJson>, Failure> {
    let mut params = ListResourcesParams::new();
    loop {
        let request = request.about(Method::ListResources, RawJson::encode(&params)?);
        let page: ResourcePage = asked(source, request).await?.decode()?;
        let is_it = |resource: &RawJson| {
            resource
                .decode::<ResourceMembers>()
                .is_ok_and(|it| it.uri == uri)
        };
        let found = page.resources.into_iter().find(is_it);
        params.cursor = page.next_cursor;
        if found.is_some() || params.cursor.is_none() {
            return Ok(found);
        }
    }
}

/// The metadata in the contents of `uri`.
fn described(uri: &str, read: Contents) -> Map<String, Value> {
    let mut contents = read.contents.into_iter();
    let own = contents.find(|content| content.get("uri").is_some_and(|it| it == uri));
    let mut resource = own.unwrap_or_default();
    resource.retain(|name, _| !matches!(name.as_str(), "text" | "blob"));
    for required in ["uri", "name"] {
        let value = resource.entry(required);
        value.or_insert_with(|| Value::from(uri));
    }
    resource
}
