//! The role of a server.

use redis::{FromRedisValue, ParsingError, Value};

/// The reply to ROLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The server accepts writes, and has this many copies.
    Primary { copies: usize },
    /// The server is a copy.
    Copy,
}

impl FromRedisValue for Role {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let mut parts = Vec::<Value>::from_redis_value(value)?.into_iter();
        let role = String::from_redis_value(parts.next().unwrap_or(Value::Nil))?;
        if role != "master" {
            return Ok(Self::Copy);
        }
        let copies = Vec::<Value>::from_redis_value(parts.nth(1).unwrap_or(Value::Nil))?;
        Ok(Self::Primary {
            copies: copies.len(),
        })
    }
}
