//! The part of DER that RSA keys need (RFC 8017, A.1; RFC 5958).

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const SEQUENCE: u8 = 0x30;

/// The RSA private key in a PKCS #8 document, in the form of PKCS #1.
pub(super) fn rsa_in_pkcs8(document: &[u8]) -> Option<&[u8]> {
    let (inside, _) = value(document, SEQUENCE)?;
    let (_version, rest) = value(inside, INTEGER)?;
    let (_algorithm, rest) = value(rest, SEQUENCE)?;
    Some(value(rest, OCTETS)?.0)
}

/// Modulus and exponent of an RSA public key in the form of PKCS #1.
pub(super) fn rsa_public(document: &[u8]) -> Option<(&[u8], &[u8])> {
    let (inside, after) = value(document, SEQUENCE)?;
    let (modulus, rest) = value(inside, INTEGER)?;
    let (exponent, rest) = value(rest, INTEGER)?;
    let is_whole = after.is_empty() && rest.is_empty();
    is_whole.then(|| (without_zeros(modulus), without_zeros(exponent)))
}

/// A big-endian number without leading zeros.
pub(super) fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

/// The content of the first value, if it has this tag, and the bytes after it.
fn value(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&[found, length], rest) = bytes.split_first_chunk()?;
    if found != tag {
        return None;
    }
    // A byte below 128 is the length itself; a larger one is the number of bytes of the length.
    let (length, rest) = match length {
        0..=0x7F => (usize::from(length), rest),
        0x81 | 0x82 => {
            let (digits, rest) = rest.split_at_checked(usize::from(length - 0x80))?;
            let length = digits
                .iter()
                .fold(0, |sum, byte| sum * 256 + usize::from(*byte));
            (length, rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_key_is_a_sequence_of_two_numbers_and_nothing_else() {
        let long = |head: &[u8], number: &[u8]| [head, number, &[2, 1, 3]].concat();
        let [modulus, longer] = [[7; 0x80], [7; 0x80]];
        for (name, document, expected) in [
            ("short", vec![0x30, 6, 2, 1, 5, 2, 1, 3], Some(&[5][..])),
            (
                "zeros before it",
                vec![0x30, 7, 2, 2, 0, 5, 2, 1, 3],
                Some(&[5]),
            ),
            (
                "a length of one byte",
                long(&[0x30, 0x81, 0x86, 2, 0x81, 0x80], &modulus),
                Some(&modulus),
            ),
            (
                "a length of two bytes",
                long(&[0x30, 0x82, 0, 0x87, 2, 0x82, 0, 0x80], &longer),
                Some(&longer),
            ),
            ("more after it", vec![0x30, 6, 2, 1, 5, 2, 1, 3, 0], None),
            ("more in it", vec![0x30, 7, 2, 1, 5, 2, 1, 3, 0], None),
            ("one number", vec![0x30, 3, 2, 1, 5], None),
            ("an octet string", vec![0x30, 6, 4, 1, 5, 2, 1, 3], None),
            ("no sequence", vec![0x31, 6, 2, 1, 5, 2, 1, 3], None),
            ("no length", vec![0x30, 0x80, 2, 1, 5, 2, 1, 3], None),
            (
                "a length of three bytes",
                vec![0x30, 0x83, 0, 0, 6, 2, 1, 5],
                None,
            ),
            ("cut off", vec![0x30, 6, 2, 1, 5, 2, 1], None),
            ("nothing", vec![], None),
        ] {
            let read = rsa_public(&document);
            let expected = expected.map(|modulus| (modulus, &[3][..]));
            assert_eq!(read, expected, "{name}");
        }
    }

    #[test]
    fn the_length_of_two_bytes_is_a_number_of_256() {
        let number = [7; 0x102];
        let document = [&[2, 0x82, 1, 2][..], &number, &[9]].concat();
        let (found, rest) = value(&document, INTEGER).unwrap();
        assert_eq!((found, rest), (&number[..], &[9][..]));
    }
}
