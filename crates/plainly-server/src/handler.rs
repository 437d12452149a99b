//! Handlers: plain async functions. The trait for the form of the function has no bounds on its
//! parameters or result, so that a compiler error names the wrong type instead of the whole
//! function.

use std::future::Future;

/// An async function with up to eight parameters.
///
/// The place where the handler is used determines the allowed parameters and results: see
/// [`extract`](super::extract) and [`reply`](super::reply).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler",
    label = "not an async function of up to eight arguments",
    note = "a function must be `async`, or a closure return a future, and take at most eight arguments",
    note = "a closure that captures is `move |…| {{ let s = s.clone(); async move {{ … }} }}`"
)]
pub trait Handler<A>: Send + Sync + 'static {
    /// The result of the handler.
    type Output;
    /// The future that the handler returns.
    type Future: Future<Output = Self::Output>;

    /// Calls the handler.
    fn call(&self, arguments: A) -> Self::Future;
}

macro_rules! handler {
    ($($part:ident),*) => {
        impl<F, Fut, $($part),*> Handler<($($part,)*)> for F
        where
            F: Fn($($part),*) -> Fut + Send + Sync + 'static,
            Fut: Future,
        {
            type Output = Fut::Output;
            type Future = Fut;

            #[expect(clippy::allow_attributes, reason = "the names of the parts are the names of their types")]
            #[allow(non_snake_case, reason = "the names of the parts are the names of their types")]
            fn call(&self, ($($part,)*): ($($part,)*)) -> Fut {
                self($($part),*)
            }
        }
    };
}

handler!();
handler!(A1);
handler!(A1, A2);
handler!(A1, A2, A3);
handler!(A1, A2, A3, A4);
handler!(A1, A2, A3, A4, A5);
handler!(A1, A2, A3, A4, A5, A6);
handler!(A1, A2, A3, A4, A5, A6, A7);
handler!(A1, A2, A3, A4, A5, A6, A7, A8);
