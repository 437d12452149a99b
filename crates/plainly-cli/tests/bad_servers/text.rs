//! Replaces placeholders in texts of the table.

/// Replaces names by their values, and `«3×ab»` by `ababab`.
pub(crate) fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = text.to_owned();
    for (name, value) in values {
        filled = filled.replace(name, value);
    }
    while let Some((before, rest)) = filled.split_once('«') {
        let (repeated, after) = rest.split_once('»').unwrap();
        let (times, text) = repeated.split_once('×').unwrap();
        let many = text.repeat(times.parse().unwrap());
        filled = format!("{before}{many}{after}");
    }
    filled
}

/// The bytes of a text with the escapes `
/// `, `\r`, `\t`, `\\`, `\x1b` and `\u{9b}`.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let escaped = (character == '\\').then(|| rest.next().unwrap());
        let character = match escaped {
            None => character,
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('x') => {
                let digits: String = rest.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
                continue;
            }
            Some('u') => {
                let digits: String = rest.by_ref().skip(1).take_while(|it| *it != '}').collect();
                char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap()
            }
            Some(other) => other,
        };
        bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    bytes
}
