//! The id of a replica.

use std::fmt;
use std::str::FromStr;

/// The id of a replica, new at each start: 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicaId(u64);

/// The error for a text that is not the id of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a replica, which has 16 hexadecimal digits")]
pub struct InvalidReplicaId(());

impl ReplicaId {
    /// Creates a random id.
    pub fn random() -> Result<Self, getrandom::Error> {
        getrandom::u64().map(Self)
    }

    /// Creates the id with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for ReplicaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for ReplicaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplicaId({self})")
    }
}

impl FromStr for ReplicaId {
    type Err = InvalidReplicaId;

    fn from_str(text: &str) -> Result<Self, InvalidReplicaId> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 16 || !text.bytes().all(is_digit) {
            return Err(InvalidReplicaId(()));
        }
        u64::from_str_radix(text, 16)
            .map(Self)
            .map_err(|_| InvalidReplicaId(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_sixteen_digits() {
        let id = ReplicaId::new(0x1f0);
        assert_eq!(id.to_string(), "00000000000001f0");
        assert_eq!("00000000000001f0".parse(), Ok(id));
        for other in ["1f0", "00000000000001F0", "+0000000000001f0", ""] {
            assert_eq!(other.parse::<ReplicaId>(), Err(InvalidReplicaId(())));
        }
    }
}
