//! The JSON form of bytes: base64 with the standard alphabet, padded and canonical (RFC 4648,
//! section 4). For `#[serde(with)]`.

use std::fmt;
use std::sync::LazyLock;

use ::base64::Engine;
use ::base64::display::Base64Display;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use ::base64::engine::Simd;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use ::base64::engine::general_purpose::GeneralPurpose;
use ::base64::engine::general_purpose::PAD;
use plainly_errors::mistake::quoted;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::writer::PLAIN_TEXT;

/// Uses vector instructions; without them each byte takes 6 instructions more.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) static STANDARD: LazyLock<Simd> = LazyLock::new(|| Simd::standard(PAD));
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) static STANDARD: LazyLock<GeneralPurpose> =
    LazyLock::new(|| GeneralPurpose::new(&::base64::alphabet::STANDARD, PAD));

/// Encodes directly into the serializer's output, without a temporary string.
pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(PLAIN_TEXT, &Base64Bytes(bytes))
}

struct Base64Bytes<'a>(&'a [u8]);

impl Serialize for Base64Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(self.0, &*STANDARD))
    }
}

/// Decodes, and rejects missing padding, whitespace, the URL-safe alphabet and stray trailing bits.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    deserializer.deserialize_str(Base64Text)
}

/// Bytes as a separate field type, for places where `#[serde(with)]` can't be used, such as inside
/// an `Option`.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Bytes(#[serde(deserialize_with = "deserialize")] pub(super) Vec<u8>);

struct Base64Text;

impl Visitor<'_> for Base64Text {
    type Value = Vec<u8>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a base64 string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<u8>, E> {
        STANDARD
            .decode(text)
            .map_err(|_cause| E::custom(format_args!("{:?} is not base64", quoted(text))))
    }
}
