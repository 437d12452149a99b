//! The nonce that a server requires in the next proof (`DPoP-Nonce`, RFC 9449, 8).

use http::HeaderMap;

/// The longest nonce that is accepted.
const LONGEST: usize = 1 << 10;

/// The nonce of a response; `None` if there are several, or it is invalid (RFC 9449, 8.1).
pub fn dpop_nonce(headers: &HeaderMap) -> Option<String> {
    let mut values = headers.get_all("dpop-nonce").iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let nonce = value.to_str().ok()?;
    let is_allowed = |byte| matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~');
    let is_nonce = (1..=LONGEST).contains(&nonce.len()) && nonce.bytes().all(is_allowed);
    is_nonce.then(|| nonce.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_passed_on_if_there_is_one_that_can_be_sent_back() {
        let long = "n".repeat(LONGEST + 1);
        let cases: [(&[&str], Option<&str>); 6] = [
            (&["a-Z~!"], Some("a-Z~!")),
            (&[&long[1..]], Some(&long[1..])),
            (&[&long], None),
            (&["a", "a"], None),
            (&["a\"b"], None),
            (&[""], None),
        ];
        for (values, expected) in cases {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("DPoP-Nonce", value.parse().unwrap());
            }
            assert_eq!(dpop_nonce(&headers).as_deref(), expected, "{values:.9?}");
        }
    }
}
