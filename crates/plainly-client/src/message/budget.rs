//! The causes of failure that this client can remove before it repeats an exchange, and how often
//! it does so in one call. Credentials and connections are renewed where a request is sent,
//! everything else where a call is made.

use plainly_transport::lock::Lock;

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
    /// The server refuses the revision, and offers others: one of these is used.
    Revision,
    /// The server expects other headers: the tools are listed again.
    Headers,
    /// The user must visit pages first: the client sends the user there.
    Visit,
    /// The failure passes with time: the client waits.
    Passing,
}

/// The exchanges that one call may cost, shared by all parts of the client that make them.
#[derive(Debug)]
pub(crate) struct Budget {
    pauses: u32,
    visits: u32,
    /// Whether the user may be asked to log in.
    #[cfg(feature = "http")]
    pub(crate) may_ask_user: bool,
    spent: Lock<Vec<Cause>>,
}

impl Budget {
    /// The budget of a call with at most `pauses` waits and `visits` visits of the user.
    pub(crate) fn new(pauses: u32, visits: u32) -> Self {
        Self {
            pauses,
            visits,
            #[cfg(feature = "http")]
            may_ask_user: true,
            spent: Lock::default(),
        }
    }

    /// The budget of an exchange that belongs to no call, such as a notification.
    #[cfg(feature = "http")]
    pub(crate) fn of_exchange() -> Self {
        Self::new(0, 0)
    }

    /// The budget of a message that no caller waits for, such as the end of a session.
    #[cfg(feature = "http")]
    pub(crate) fn unattended() -> Self {
        Self {
            may_ask_user: false,
            ..Self::of_exchange()
        }
    }

    /// The most times that a cause is removed.
    fn most(&self, cause: Cause) -> u32 {
        match cause {
            #[cfg(feature = "http")]
            Cause::Unsent => 3,
            #[cfg(feature = "http")]
            Cause::Credentials => 5,
            // A server that refuses every new session would be called forever, and another listing
            // would have the same content.
            Cause::Session | Cause::Revision | Cause::Headers => 1,
            Cause::Visit => self.visits,
            Cause::Passing => self.pauses,
        }
    }

    /// Spends one exchange on this cause; `false` if none is left.
    pub(crate) fn spend(&self, cause: Cause) -> bool {
        let mut spent = self.spent.lock();
        let is_left = count(&spent, cause) < self.most(cause);
        if is_left {
            spent.push(cause);
        }
        is_left
    }

    /// The number of exchanges for this cause.
    pub(crate) fn spent_on(&self, cause: Cause) -> u32 {
        count(&self.spent.lock(), cause)
    }

    /// The number of all exchanges.
    pub(crate) fn spent(&self) -> u32 {
        self.spent.lock().len() as u32
    }
}

fn count(spent: &[Cause], cause: Cause) -> u32 {
    spent.iter().filter(|it| **it == cause).count() as u32
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
