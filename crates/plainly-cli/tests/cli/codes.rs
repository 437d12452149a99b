//! `plainly codes`: error codes explained, without a server.
