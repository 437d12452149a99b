//! A row of the table, and what many of them say.

use self::Endless::Never;

/// A limit, and what holds it.
pub(super) struct Row {
    /// The first cell of its row in docs/limits.md, up to what it says after its name.
    pub(super) name: &'static str,
    /// What holds it at the limit and one above.
    pub(super) tests: &'static [&'static str],
    pub(super) endless: Endless,
}

/// What holds it where what comes has no end.
pub(super) enum Endless {
    ByTest(&'static [&'static str]),
    /// Why that can't be.
    Never(&'static str),
}

pub(super) const fn row(
    name: &'static str,
    tests: &'static [&'static str],
    endless: Endless,
) -> Row {
    Row {
        name,
        tests,
        endless,
    }
}

/// What has no end is a message, which has one.
pub(super) const IN_A_MESSAGE: Endless = Never("it is part of a message, which is limited");
pub(super) const A_TIME: Endless = Never("it is a time, and begins when something does not come");
pub(super) const OUR_OWN: Endless = Never("nobody but the author of the server has a say in it");
