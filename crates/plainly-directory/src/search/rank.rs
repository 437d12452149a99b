//! Ranking: which sections of texts are about some words. Text goes in, and numbers come out: a [`RankedText`] has the terms of
//! each section, and [`rank`](score::rank) holds the terms of a question against any number of them. Knows nothing of files, and
//! stores no text.

mod html;
mod markup;
mod score;
mod terms;
mod text;

pub(super) use self::markup::{Syntax, ranked_text};
pub(super) use self::score::{Ranked, rank};
pub(super) use self::terms::{Question, Terms};
pub(super) use self::text::{RankedText, TextSection};
