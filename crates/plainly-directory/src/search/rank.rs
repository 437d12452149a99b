//! Ranks sections of texts by their relevance to some words. A [`RankedText`] has the terms of each
//! section, and [`rank`](score::rank) compares the terms of a question with any number of texts.
//! Independent of files, and stores no text.

mod html;
mod markup;
mod score;
mod terms;
mod text;

pub(super) use self::markup::{Syntax, ranked_text};
pub(super) use self::score::{Ranked, rank};
pub(super) use self::terms::{Question, Terms};
pub(super) use self::text::{RankedText, TextSection};
