//! Every limit, with its default and the result of exceeding it.

/// The limits of a client. Start from [`ClientLimits::default`] and change what you need. Timeouts
/// are set where the client is [built](crate::Builder).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientLimits {
    /// Bytes of one message: a line, a response, an event. 32 MiB. Beyond: the request fails; a
    /// stream is ended, and so is the process at its other end.
    pub message_bytes: usize,
    /// Pages of one listing. 1,000. Beyond: a local error, never an incomplete listing.
    pub pages: usize,
    /// Bytes of one listing: the results of all its pages. 128 MiB. Beyond: a local error, too.
    pub listing_bytes: u64,
    /// Rounds of questions in one call, from 2026-07-28 on. 16. Beyond: a local error.
    pub rounds: usize,
    /// Questions that are answered at the same time, in one round or from a legacy server. 64.
    /// Beyond: a local error; a legacy server gets the error "unavailable".
    pub questions: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            message_bytes: 32 << 20,
            pages: 1_000,
            listing_bytes: 128 << 20,
            rounds: 16,
            questions: 64,
        }
    }
}
