//! The smallest image and the shortest recording, as the bytes of their files.

/// One red dot.
pub(crate) const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\
    \0\0\0\x0cIDATx\xdac\xb8\xa0\xa0\0\0\x02\xd4\x01\x11\xf2\xa2\x0c\xfa\0\0\0\0IEND\xaeB`\x82";

/// A millisecond of silence.
pub(crate) const WAV: &[u8] =
    b"RIFF,\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\x08\0\
    data\x08\0\0\0\x80\x80\x80\x80\x80\x80\x80\x80";
