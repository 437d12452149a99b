//! Handlers that read fixed resources and those of templates, converted to one type.

use futures_util::future::BoxFuture;
use plainly_errors::ProtocolError;
use plainly_protocol::types::{Resource, ResourceContents};

use super::contents;
use crate::extract::{ExtractAll, ResourceCall, ResourceChannel};
use crate::failure::Failure;
use crate::handler::Handler;
use crate::reply::ResourceReply;
use crate::store::Formats;

/// A handler that reads a resource, whose metadata is passed to it.
pub(super) type ReadHandler =
    Box<dyn Fn(Resource, &ResourceCall<'_>) -> Result<ReadFuture, Failure> + Send + Sync>;

/// The contents that such a handler will return.
pub(super) type ReadFuture = BoxFuture<'static, Result<Vec<ResourceContents>, Failure>>;

/// Converts `handler` to that type, and adds the checks and completion of the contents.
pub(super) fn reader<F, A, By>(handler: F) -> ReadHandler
where
    F: Handler<A>,
    A: ExtractAll<ResourceChannel>,
    F::Output: ResourceReply<By>,
    F::Future: Send + 'static,
{
    Box::new(move |definition, call| {
        let running = handler.call(A::extract_all(call)?);
        Ok(Box::pin(async move {
            let mut contents = running
                .await
                .into_contents(&definition)
                .map_err(|failure| failure.of_resource(&definition.uri))?;
            if definition.is_collection != Some(true) {
                contents::check(&definition.uri, &contents).map_err(ProtocolError::from)?;
            }
            contents::describe(&definition.uri, &mut contents, &definition);
            contents::complete(&definition.uri, &mut contents, &Formats::All);
            Ok(contents)
        }))
    })
}
