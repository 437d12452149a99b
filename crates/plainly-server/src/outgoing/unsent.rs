//! A limit on the bytes of large replies that are not yet sent, or stored for resumption. A reply
//! releases its room when its last copy is dropped, so that transports don't have to do it.

use bytes::Bytes;

use plainly_transport::quota::{Holder, Quota, QuotaExhausted, QuotaPart};

/// Replies up to this length don't count, because a request costs several times as much anyway.
const SMALL: usize = 16 << 10;

/// The quota for large replies.
#[derive(Debug)]
pub(crate) struct UnsentReplies(Quota);

/// The room for one reply, from before it is encoded until it is sent.
#[derive(Debug)]
pub(crate) struct ReplyRoom(QuotaPart);

/// A reply with its room.
struct UnsentReply {
    reply: Bytes,
    _room: ReplyRoom,
}

impl UnsentReplies {
    /// A quota of `most` bytes. A single reply may exceed it.
    pub(crate) fn new(most: usize) -> Self {
        Self(Quota::new(most))
    }

    pub(crate) fn quota(&self) -> &Quota {
        &self.0
    }

    /// Initially empty room for a reply to `caller`.
    pub(crate) fn room(&self, caller: Option<Holder>) -> ReplyRoom {
        ReplyRoom(self.0.part(caller))
    }
}

impl ReplyRoom {
    /// Reserves room for about `about` bytes, before the content exists in memory a second time as
    /// the bytes to send.
    pub(crate) fn reserve(&mut self, about: usize) -> Result<(), QuotaExhausted> {
        match about > SMALL {
            true => self.0.resize_or_alone(about),
            false => Ok(()),
        }
    }

    /// The reply together with its room. Returns the reply itself as the error if there is no room.
    pub(crate) fn hold(mut self, reply: Bytes) -> Result<Bytes, Bytes> {
        if reply.len() <= SMALL {
            return Ok(reply);
        }
        match self.0.resize_or_alone(reply.len()) {
            Ok(()) => Ok(Bytes::from_owner(UnsentReply { reply, _room: self })),
            Err(_) => Err(reply),
        }
    }
}

impl AsRef<[u8]> for UnsentReply {
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
        let unsent = UnsentReplies::new(8 * 100_000);
        let caller = |last| Holder::of(None, Some([127, 0, 0, last].into()));
        let first = unsent.room(caller(1)).hold(reply(60_000)).unwrap();
        assert!(unsent.room(caller(1)).hold(reply(60_000)).is_err());
        let second = unsent.room(caller(1)).hold(reply(40_000)).unwrap();
        assert!(unsent.room(caller(2)).hold(reply(500_000)).is_ok());
        drop((first, second));
        assert!(unsent.room(caller(1)).hold(reply(600_000)).is_ok(), "alone");
    }

    #[test]
    fn large_replies_fill_the_room_until_their_last_copies_are_gone() {
        let unsent = UnsentReplies::new(100_000);
        let first = unsent.room(None).hold(reply(60_000)).unwrap();
        assert_eq!(first, reply(60_000));
        let second = unsent.room(None).hold(reply(40_000)).unwrap();
        assert_eq!(
            unsent.room(None).hold(reply(SMALL + 1)),
            Err(reply(SMALL + 1))
        );
        let small: Vec<_> = (0..100)
            .map(|_| unsent.room(None).hold(reply(SMALL)))
            .collect();
        assert!(small.iter().all(Result::is_ok));
        let mut copy = second.clone();
        drop(second);
        let part = copy.split_to(1);
        drop(copy);
        assert_eq!(unsent.0.taken(), 100_000);
        drop(part);
        assert!(unsent.room(None).hold(reply(40_001)).is_err());
        drop(first);
        assert_eq!(unsent.0.taken(), 0);
        assert!(unsent.room(None).hold(reply(100_001)).is_ok(), "alone");
    }
}
