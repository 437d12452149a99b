//! Authorization in servers, and logins of the client.

mod authorized;
mod oauth;
mod token_store;
