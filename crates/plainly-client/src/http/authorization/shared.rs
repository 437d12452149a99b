//! One authorizer for several who have it: a client, and a program that goes on with it.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{Again, AuthError, Authorizer, Credentials, Head, Refusal, UnsentRequest};

// A method that is not passed on would silently be the default of the trait.
#[deny(clippy::missing_trait_methods)]
impl<A: Authorizer + ?Sized> Authorizer for Arc<A> {
    fn extensions(&self) -> Vec<&'static str> {
        (**self).extensions()
    }

    fn credentials<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        (**self).credentials(request)
    }

    fn refused<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
        refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        (**self).refused(request, refusal)
    }

    fn answered(&self, request: &UnsentRequest<'_>, head: &Head<'_>) {
        (**self).answered(request, head);
    }
}
