//! Reading: text by lines, images and recordings as what they are. Which part of a text is meant is decided in
//! [`lines`], what one resource gives in [`content`]; the tools are [`one`] and [`several`].

mod content;
mod lines;
pub(super) mod one;
pub(super) mod several;
