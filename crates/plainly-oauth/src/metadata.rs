//! What servers say about themselves: a resource server about who lets clients in (RFC 9728), an authorization server about its
//! endpoints (RFC 8414, OpenID Connect Discovery), and where both are asked for.

mod resource;
mod server;
mod well_known;

pub use self::resource::ResourceMetadata;
pub use self::server::ServerMetadata;
pub use self::well_known::{Origin, resource_metadata_urls, server_address, server_metadata_urls};
