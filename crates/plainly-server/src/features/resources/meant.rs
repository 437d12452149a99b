//! The resource that was probably meant by an unknown URI. Only public listings are searched.

use std::iter;

use plainly_errors::ProtocolError;
use plainly_schema::closest;

/// The maximum number of resources that are compared, because any client can request unknown ones.
pub(super) const LOOKED_AT: usize = 250;

/// The error for `uri`, which no resource has, with the URI that was probably `meant`.
pub(super) fn not_found(uri: &str, meant: Option<String>) -> ProtocolError {
    let error = ProtocolError::resource_not_found(uri);
    match meant {
        Some(meant) => {
            let message = format!("{} (did you mean {meant:?}?)", error.message());
            error.with_message(message)
        }
        None => error,
    }
}

/// The first URI in `known` that `uri` is a slip of.
pub(super) fn among<'a>(uri: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let uri = uri.trim_end_matches('/');
    let mut slips = known.filter(|known| is_slip(uri, known));
    slips.next().map(str::to_owned)
}

/// Whether `uri` is a slip of `known`: part by part, or because its beginning is missing.
fn is_slip(uri: &str, known: &str) -> bool {
    let start = known.strip_suffix(uri).unwrap_or_default();
    if start.ends_with('/') && !uri.is_empty() {
        return true;
    }
    // Compared from the end, because most URIs differ in their last part.
    let (mut parts, mut others) = (uri.rsplit('/'), known.rsplit('/'));
    loop {
        match (parts.next(), others.next()) {
            (None, None) => return true,
            (Some(part), Some(other)) if part == other => {}
            (Some(part), Some(other)) if closest(part, iter::once(other)).is_some() => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_any_part_is_one_of_the_whole() {
        let known = ["note://home/welcome.md", "note://home/garden"];
        for (uri, meant) in [
            ("note://home/welcom.md", Some(known[0])),
            ("note://home/welcome", Some(known[0])),
            ("notes://hom/Welcome.md", Some(known[0])),
            ("NOTE://home/garden/", Some(known[1])),
            ("welcome.md", Some(known[0])),
            ("home/garden", Some(known[1])),
            ("note://home", None),
            ("note://home/garden/roses", None),
            ("note://home/kitchen", None),
            ("", None),
        ] {
            assert_eq!(among(uri, known.into_iter()).as_deref(), meant, "{uri}");
        }
    }
}
