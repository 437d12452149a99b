//! One of several replicas of the example `everything` that share Redis. The arguments are its
//! address, the Redis servers separated by commas, and the file with the keys.
//!
//! ```console
//! $ cargo run -p plainly-redis --example replica -- 127.0.0.1:0 redis://127.0.0.1:6379 keys
//! ```

#[path = "../../plainly/examples/everything/features.rs"]
mod features;
#[path = "../../plainly/examples/everything/replica.rs"]
mod replica;

use std::error::Error;

use plainly_redis::Redis;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [address, urls, keys] = arguments.as_slice() else {
        return Err("usage: replica ADDRESS URL[,URL] KEY-FILE".into());
    };
    let engine = Redis::connect(urls.split(',')).name("everything").await?;
    replica::serve(address, engine, keys).await
}
