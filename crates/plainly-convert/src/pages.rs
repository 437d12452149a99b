//! Pages of a file.

use std::ops::RangeInclusive;

/// Pages of a document, slides of a presentation, or sheets of a workbook, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageRange {
    first: u32,
    last: u32,
}

impl PageRange {
    /// Both of these pages and those between them; `None` if there are no such pages.
    #[must_use]
    pub fn new(first: u32, last: u32) -> Option<Self> {
        (1 <= first && first <= last).then_some(Self { first, last })
    }

    /// The first page.
    #[must_use]
    pub fn first(self) -> u32 {
        self.first
    }

    /// The last page.
    #[must_use]
    pub fn last(self) -> u32 {
        self.last
    }

    /// The numbers of these pages, as far as a file of `total` pages has them.
    pub(crate) fn within(self, total: u32) -> RangeInclusive<u32> {
        self.first..=self.last.min(total)
    }
}
