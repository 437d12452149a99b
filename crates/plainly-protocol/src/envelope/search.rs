//! Finds the id of a request that is too long to store, while its bytes pass by, wherever in the
//! request the id is.

use super::Limits;
use crate::escape;
use crate::id::{RawId, RequestId};

/// Finds the id of a request that arrives in pieces. It stores only the member that is being read.
///
/// The input should be JSON; for any other input the result is some id or none.
///
/// ```
/// use plainly_protocol::envelope::IdSearch;
///
/// let mut search = IdSearch::default();
/// for piece in [br#"{"method":"m","params":{"id":1},"#.as_slice(), br#""id":"a"}"#] {
///     search.push(piece);
/// }
/// assert_eq!(search.id(), Some("a".into()));
/// ```
#[derive(Debug, Clone, Default)]
pub struct IdSearch {
    /// The number of open containers.
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The current key or value of the message's own object; only its beginning, if it is long.
    token: Vec<u8>,
    /// The key of the current value, if it is one of the known keys.
    key: Option<Key>,
    /// The first two values of `id`. With two, the request counts as having none.
    ids: Vec<Option<RequestId>>,
    is_request: bool,
}

#[derive(Debug, Clone, Copy)]
enum Key {
    Id,
    Method,
}

/// The maximum length of a key or value that can be relevant. An id may need six bytes for each
/// byte if every character is escaped, plus its quotes.
const LONGEST: usize = (6 << 10) + 2;

impl IdSearch {
    /// Reads the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some((&byte, after)) = rest.split_first() {
            // Most long values are text, in which most bytes have no special meaning.
            let plain = match self.is_in_string && !self.is_escaped {
                true => escape::plain_blocks(rest),
                false => 0,
            };
            if plain == 0 {
                self.read(byte);
                rest = after;
            } else {
                let (text, after) = rest.split_at(plain);
                self.note(text);
                rest = after;
            }
        }
    }

    /// The id, once the whole message has passed; `None` if the message is not a request or has two
    /// ids.
    pub fn id(&self) -> Option<RequestId> {
        match &*self.ids {
            [id] if self.is_request && self.depth == 0 => id.clone(),
            _ => None,
        }
    }

    fn read(&mut self, byte: u8) {
        if self.is_in_string {
            self.note(&[byte]);
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return;
        }
        match byte {
            b'{' | b'[' => {
                self.note(&[byte]);
                self.depth += 1;
            }
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_member(),
            b':' if self.depth == 1 => {
                self.key = key(&std::mem::take(&mut self.token));
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                self.is_in_string = byte == b'"';
                self.note(&[byte]);
            }
        }
    }

    /// Stores the bytes of the message's own members, up to the length that can be relevant.
    fn note(&mut self, bytes: &[u8]) {
        if self.depth == 1 {
            let room = LONGEST - self.token.len().min(LONGEST);
            let kept = bytes.get(..room).unwrap_or(bytes);
            self.token.extend_from_slice(kept);
        }
    }

    fn end_member(&mut self) {
        if self.depth != 1 {
            return;
        }
        let token = std::mem::take(&mut self.token);
        match self.key.take() {
            Some(Key::Id) if self.ids.len() < 2 => self.ids.push(id(&token)),
            Some(Key::Method) => self.is_request = true,
            Some(Key::Id) | None => {}
        }
    }
}

fn key(token: &[u8]) -> Option<Key> {
    match &*escape::text(std::str::from_utf8(token).ok()?)? {
        "id" => Some(Key::Id),
        "method" => Some(Key::Method),
        _ => None,
    }
}

fn id(token: &[u8]) -> Option<RequestId> {
    let token = std::str::from_utf8(token).ok()?;
    let id = RawId::from_token(token, Limits::default().id_bytes);
    Some(id.filter(RawId::is_text)?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pieces: &[&str]) -> Option<RequestId> {
        let mut search = IdSearch::default();
        pieces
            .iter()
            .for_each(|piece| search.push(piece.as_bytes()));
        search.id()
    }

    #[test]
    fn the_id_is_found_wherever_it_stands_and_however_it_is_cut() {
        let cases: [(&str, Option<RequestId>); 18] = [
            (r#"{"id":1,"method":"m"}"#, Some(1.into())),
            (r#" { "method" : "m" , "id" : -7 } "#, Some((-7).into())),
            (
                r#"{"method":"m","params":{"id":2,"a":[{"id":3}]},"id":"x"}"#,
                Some("x".into()),
            ),
            (
                r#"{"a":"\"id\":5,","method":"m","id":"\u0061\"}"}"#,
                Some("a\"}".into()),
            ),
            (r#"{"i\u0064":4,"method":"m"}"#, Some(4.into())),
            (r#"{"id":1.0,"method":"m"}"#, Some(1.into())),
            (r#"{"method":"id","x":"id","id":6}"#, Some(6.into())),
            ("\u{feff}{\"id\":1,\"method\":\"m\"}", Some(1.into())),
            (r#"{"method":"m"}"#, None),
            (r#"{"id":1,"result":"method"}"#, None),
            (r#"{"id":1,"id":1,"method":"m"}"#, None),
            (r#"{"id":null,"method":"m"}"#, None),
            (r#"{"id":1.5,"method":"m"}"#, None),
            (r#"{"id":[1],"method":"m"}"#, None),
            (r#"{"id":"\ud800","method":"m"}"#, None),
            (r#"[{"id":1,"method":"m"}]"#, None),
            (r#"{"id":1,"method":"m""#, None),
            ("}}{\"", None),
        ];
        for (message, id) in cases {
            assert_eq!(found(&[message]), id, "{message}");
            for (cut, _) in message.char_indices() {
                let (head, tail) = message.split_at(cut);
                assert_eq!(found(&[head, tail]), id, "{message} at {cut}");
            }
        }
    }

    #[test]
    fn little_is_kept_of_what_is_long() {
        let long = format!(
            r#"{{"id":"{0}","{0}":"{0}","method":"m"}}"#,
            "x".repeat(100_000)
        );
        let mut search = IdSearch::default();
        search.push(long.as_bytes());
        assert_eq!(search.id(), None);
        assert!(search.token.capacity() <= 2 * LONGEST);
    }
}
