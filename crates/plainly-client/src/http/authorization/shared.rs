//! One authorizer that a client shares with the program.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{Again, AuthError, Authorizer, Credentials, Head, Refusal, UnsentRequest};

// Without this lint, a method that is not forwarded would silently be the default of the trait.
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
