//! The causes of failure that this client can remove before it makes an exchange again, and how often it does so in one
//! call. Credentials and connections are renewed where a request is sent, everything else where a call is made.

use std::sync::atomic::{AtomicU32, Ordering};

/// A cause of failure that can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The connection ended before anything was sent: another one is opened.
    #[cfg(feature = "http")]
    Unsent,
    /// The server refuses the credentials: the authorizer gets others.
    #[cfg(feature = "http")]
    Credentials,
    /// The server has forgotten the session: a new one is opened.
    Session,
    /// The server refuses the revision, and offers others: one of these is spoken.
    Revision,
    /// The server expects other headers: the tools are listed again.
    Headers,
    /// The user must visit pages first: the client sends the user there.
    Visit,
    /// The failure passes with time: the client waits.
    Passing,
}

/// The number of causes.
const CAUSES: usize = Cause::Passing as usize + 1;

/// The exchanges that one call may cost, shared by all that make some of them.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The most times that each cause is removed.
    most: [u32; CAUSES],
    spent: [AtomicU32; CAUSES],
}

impl Budget {
    /// The budget of a call that may wait so often, and may send the user to so many pages.
    pub(crate) fn new(pauses: u32, visits: u32) -> Self {
        let rows = [
            #[cfg(feature = "http")]
            (Cause::Unsent, 3),
            #[cfg(feature = "http")]
            (Cause::Credentials, 5),
            // A server that refuses every new session would be called for ever.
            (Cause::Session, 1),
            (Cause::Revision, 1),
            // Another listing would teach the same.
            (Cause::Headers, 1),
            (Cause::Visit, visits),
            (Cause::Passing, pauses),
        ];
        let mut most = [0; CAUSES];
        for (cause, times) in rows {
            most[cause as usize] = times;
        }
        Self {
            most,
            spent: Default::default(),
        }
    }

    /// The budget of an exchange that belongs to no call, such as a notification.
    #[cfg(feature = "http")]
    pub(crate) fn of_exchange() -> Self {
        Self::new(0, 0)
    }

    /// Spends one exchange on this cause; `false` if none is left.
    pub(crate) fn spend(&self, cause: Cause) -> bool {
        let most = self.most[cause as usize];
        let one_more = |spent: u32| (spent < most).then_some(spent + 1);
        self.spent[cause as usize]
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            .is_ok()
    }

    /// The number of exchanges for this cause.
    pub(crate) fn spent_on(&self, cause: Cause) -> u32 {
        self.spent[cause as usize].load(Ordering::Relaxed)
    }

    /// The number of all exchanges.
    pub(crate) fn spent(&self) -> u32 {
        let spent = self.spent.iter();
        spent.map(|spent| spent.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_removed_so_often_and_all_are_counted() {
        let budget = Budget::new(2, 0);
        for (cause, most) in [
            (Cause::Session, 1),
            (Cause::Headers, 1),
            (Cause::Visit, 0),
            (Cause::Passing, 2),
        ] {
            let spent = budget.spent();
            let times = (0..9).filter(|_| budget.spend(cause)).count();
            assert_eq!(times, most as usize, "{cause:?}");
            assert_eq!(budget.spent() - spent, most, "{cause:?}");
        }
    }
}
