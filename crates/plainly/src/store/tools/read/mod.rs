//! Reading: text by lines, images and recordings unchanged. [`lines`] selects the part of a text, and [`content`] turns
//! one resource into a result; the tools are [`one`] and [`several`].

mod content;
mod lines;
pub(super) mod one;
pub(super) mod several;
