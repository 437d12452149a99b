//! Authorization in servers, and logins of clients.

mod authorized;
mod oauth;
mod token_store;
