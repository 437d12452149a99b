//! The part that a server has.

use redis::{FromRedisValue, ParsingError, Value};

/// The reply to ROLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It takes writes, and sends them to so many copies.
    Primary { copies: usize },
    /// It is a copy of another one.
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
