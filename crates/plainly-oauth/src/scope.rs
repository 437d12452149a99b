//! Scopes: the words that name what a token authorizes (RFC 6749, 3.3).

/// The most scopes that are read of one list.
pub const MOST: usize = 100;

/// The scopes in a text, each once, in their order. Invalid scopes are left out.
///
/// ```
/// use plainly_oauth::scope;
///
/// assert_eq!(scope::read("files:read  mail files:read"), ["files:read", "mail"]);
/// ```
pub fn read(text: &str) -> Vec<String> {
    union(&[], text.split(' '))
}

/// The scopes of `first`, followed by those of `more` that are not in it.
pub fn union<'a>(first: &[String], more: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut all = first.to_vec();
    for scope in more {
        if is_scope(scope) && all.len() < MOST && !all.iter().any(|it| it == scope) {
            all.push(scope.to_owned());
        }
    }
    all
}

/// Whether `wanted` has a scope that `held` has not.
pub fn is_wider(wanted: &[String], held: &[String]) -> bool {
    wanted.iter().any(|scope| !held.contains(scope))
}

/// Whether a text is one scope: visible ASCII without spaces, quotes and backslashes.
pub fn is_scope(text: &str) -> bool {
    let is_letter = |it: u8| matches!(it, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    !text.is_empty() && text.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_count_and_each_once() {
        let many: Vec<_> = (0..1000).map(|it| it.to_string()).collect();
        assert_eq!(read(&many.join(" ")).len(), MOST);
        for (text, expected) in [
            ("", &[][..]),
            (" a  b a ", &["a", "b"]),
            ("a\u{7} b\" \\ ü c", &["c"]),
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_union_keeps_what_was_there_first() {
        let held = read("b a");
        assert_eq!(union(&held, ["c", "a"]), ["b", "a", "c"]);
        assert!(is_wider(&read("a c"), &held));
        assert!(!is_wider(&read("a"), &held));
    }
}
