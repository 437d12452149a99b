//! The metadata of servers: of a resource server (RFC 9728), of an authorization server (RFC 8414,
//! OpenID Connect Discovery), and the URLs of both.

mod resource;
mod server;
mod well_known;

pub use self::resource::ResourceMetadata;
pub use self::server::ServerMetadata;
pub use self::well_known::{Origin, resource_metadata_urls, server_address, server_metadata_urls};
