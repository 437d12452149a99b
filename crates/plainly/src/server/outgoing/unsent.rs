//! A limit on the bytes of large replies that are not sent yet, or kept for resumption. A reply gives its room back
//! when its last copy is dropped, wherever that is: no transport needs to know of it.

use bytes::Bytes;

use crate::quota::{Holder, Quota, QuotaPart};

/// Replies up to this length don't count: a request costs several times as much anyway.
const SMALL: usize = 16 << 10;

/// The room for large replies.
#[derive(Debug)]
pub(in crate::server) struct Unsent(Quota);

/// A reply with its room.
struct Held {
    reply: Bytes,
    _room: QuotaPart,
}

impl Unsent {
    /// Room for `most` bytes, or for one reply alone.
    pub(in crate::server) fn new(most: usize) -> Self {
        Self(Quota::new(most))
    }

    /// The reply to `caller` together with its room; the reply alone as the error, if there is none.
    pub(in crate::server) fn hold(
        &self,
        caller: Option<Holder>,
        reply: Bytes,
    ) -> Result<Bytes, Bytes> {
        if reply.len() <= SMALL {
            return Ok(reply);
        }
        match self.0.take_or_alone(caller, reply.len()) {
            Ok(_room) => Ok(Bytes::from_owner(Held { reply, _room })),
            Err(_) => Err(reply),
        }
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(bytes: usize) -> Bytes {
        vec![b'x'; bytes].into()
    }

    #[test]
    fn large_replies_to_one_caller_leave_room_for_others() {
        let unsent = Unsent::new(8 * 100_000);
        let caller = |last| Holder::of(None, Some([127, 0, 0, last].into()));
        let first = unsent.hold(caller(1), reply(60_000)).unwrap();
        assert!(unsent.hold(caller(1), reply(60_000)).is_err());
        let second = unsent.hold(caller(1), reply(40_000)).unwrap();
        assert!(unsent.hold(caller(2), reply(500_000)).is_ok());
        drop((first, second));
        assert!(unsent.hold(caller(1), reply(600_000)).is_ok(), "alone");
    }

    #[test]
    fn large_replies_fill_the_room_until_their_last_copies_are_gone() {
        let unsent = Unsent::new(100_000);
        let first = unsent.hold(None, reply(60_000)).unwrap();
        assert_eq!(first, reply(60_000));
        let second = unsent.hold(None, reply(40_000)).unwrap();
        assert_eq!(unsent.hold(None, reply(SMALL + 1)), Err(reply(SMALL + 1)));
        let small: Vec<_> = (0..100).map(|_| unsent.hold(None, reply(SMALL))).collect();
        assert!(small.iter().all(Result::is_ok));
        let mut copy = second.clone();
        drop(second);
        let part = copy.split_to(1);
        drop(copy);
        assert_eq!(unsent.0.taken(), 100_000);
        drop(part);
        assert!(unsent.hold(None, reply(40_001)).is_err());
        drop(first);
        assert_eq!(unsent.0.taken(), 0);
        assert!(unsent.hold(None, reply(100_001)).is_ok(), "alone");
    }
}
