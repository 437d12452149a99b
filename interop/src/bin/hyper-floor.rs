//! The minimum cost: hyper reads the whole request and responds with prepared bytes. No server on
//! hyper can be faster.

use std::convert::Infallible;
use std::error::Error;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use plainly_interop::http::{Body, serve};
use plainly_interop::{Case, REQUEST_ID};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let answer = Bytes::from(Case::of_arguments()?.answer(REQUEST_ID));
    serve(service_fn(move |request| respond(request, answer.clone()))).await
}

async fn respond(
    request: Request<Incoming>,
    answer: Bytes,
) -> Result<Response<Body>, hyper::Error> {
    request.into_body().collect().await?;
    let mut response = Response::new(
        Full::new(answer)
            .map_err(|never: Infallible| match never {})
            .boxed(),
    );
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    Ok(response)
}
