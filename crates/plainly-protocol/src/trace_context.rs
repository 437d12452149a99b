//! The trace that a message is part of (W3C Trace Context and Baggage), as `_meta` carries it
//! (SEP-414). Malformed parts count as absent.

use serde::Serialize;

/// The ids of a `traceparent`: the trace, the parent span, and the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceParent {
    /// The id of the trace, in the order of its digits; never zero.
    pub trace_id: [u8; 16],
    /// The id of the parent; never zero.
    pub parent_id: [u8; 8],
    /// The flags: the lowest bit is set if the trace is recorded.
    pub flags: u8,
}

/// The trace that a message is part of, as W3C Trace Context writes it.
pub const TRACE_PARENT: &str = "traceparent";
/// The state of tracing systems, as W3C Trace Context writes it.
pub const TRACE_STATE: &str = "tracestate";
/// The properties that go along with a trace, as W3C Baggage writes them.
pub const BAGGAGE: &str = "baggage";
/// The maximum length of `traceparent` and of `tracestate`, in bytes.
const HEADER_BYTES: usize = 512;
/// The maximum length of `baggage` in bytes (W3C Baggage, "Limits").
const BAGGAGE_BYTES: usize = 8_192;
/// The whitespace allowed around a member; line breaks are not.
const BLANKS: [char; 2] = [' ', '\t'];
/// The maximum number of members of `tracestate` (W3C Trace Context, "tracestate").
const STATE_MEMBERS: usize = 32;

/// The trace that a message is part of.
///
/// ```
/// use plainly_protocol::trace_context::TraceContext;
///
/// let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
/// let trace = TraceContext::new(parent).ok_or("not a traceparent")?;
/// assert_eq!(trace.get("traceparent"), Some(parent));
/// assert_eq!(trace.trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// assert_eq!(TraceContext::new("0af7651916cd43dd"), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceContext {
    #[serde(rename = "traceparent")]
    parent: String,
    #[serde(rename = "tracestate", skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baggage: Option<String>,
}

impl TraceContext {
    /// A trace with this `traceparent`; `None` if it is not one.
    #[must_use]
    pub fn new(parent: impl Into<String>) -> Option<Self> {
        let parent = parent.into();
        TraceParent::parse(&parent)?;
        Some(Self {
            parent,
            state: None,
            baggage: None,
        })
    }

    /// Adds a `tracestate`, unless it is malformed or has more than 512 bytes.
    #[must_use]
    pub fn state(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into()).filter(|state| is_state(state));
        self
    }

    /// Adds `baggage`, unless it is malformed or has more than 8,192 bytes. Every server on the way
    /// can read it, so add only data that all of them may see.
    #[must_use]
    pub fn baggage(mut self, baggage: impl Into<String>) -> Self {
        self.baggage = Some(baggage.into()).filter(|baggage| is_baggage(baggage));
        self
    }

    /// The member with this name: `traceparent`, `tracestate` or `baggage`.
    #[must_use]
    pub fn get(&self, member: &str) -> Option<&str> {
        match member {
            TRACE_PARENT => Some(&self.parent),
            TRACE_STATE => self.state.as_deref(),
            BAGGAGE => self.baggage.as_deref(),
            _ => None,
        }
    }

    /// The id of the trace: 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        self.parent.split('-').nth(1).unwrap_or_default()
    }

    /// The ids of the `traceparent`.
    #[must_use]
    pub fn parent(&self) -> Option<TraceParent> {
        TraceParent::parse(&self.parent)
    }
}

impl TraceParent {
    /// Parses `version-trace-parent-flags` in lower case, with ids that are not zero. Later
    /// versions may continue after that. `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > HEADER_BYTES {
            return None;
        }
        let mut parts = text.splitn(5, '-');
        let [version] = bytes(parts.next()?)?;
        let (trace_id, parent_id) = (bytes(parts.next()?)?, bytes(parts.next()?)?);
        let [flags] = bytes(parts.next()?)?;
        let ends = parts.next().is_none();
        let is_version = version != 0xff && (ends || version != 0);
        let is_named = trace_id != [0; 16] && parent_id != [0; 8];
        (is_version && is_named).then_some(Self {
            trace_id,
            parent_id,
            flags,
        })
    }
}

/// The bytes of a hexadecimal number with lower-case digits.
fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let mut bytes = [0; N];
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

/// Whether the text is a list of members `key=value`, separated by commas. Some members may be
/// empty, because several headers may have been joined (W3C Trace Context, "list").
fn is_state(text: &str) -> bool {
    let is_member = |member: &str| {
        let is_key =
            |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/' | b'@');
        member.split_once('=').is_some_and(|(key, value)| {
            let is_value = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'=';
            !key.is_empty()
                && key.bytes().all(is_key)
                && !value.is_empty()
                && value.bytes().all(is_value)
        })
    };
    let count = text.split(',').count();
    let members = text.split(',').map(|one| one.trim_matches(BLANKS));
    let mut members = members.filter(|one| !one.is_empty()).peekable();
    text.len() <= HEADER_BYTES
        && count <= STATE_MEMBERS
        && members.peek().is_some()
        && members.all(is_member)
}

/// Whether the text is a list of members `key=value`, separated by commas, each with optional
/// properties after `;`.
fn is_baggage(text: &str) -> bool {
    let is_visible = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    let is_member = |member: &str| {
        let (pair, properties) = member.split_once(';').unwrap_or((member, ""));
        let pair = pair.split_once('=');
        let properties = properties.split(';').map(|one| one.trim_matches(BLANKS));
        pair.is_some_and(|(key, value)| {
            let (key, value) = (key.trim_matches(BLANKS), value.trim_matches(BLANKS));
            !key.is_empty() && key.bytes().chain(value.bytes()).all(is_visible)
        }) && properties
            .flat_map(str::bytes)
            .all(|byte| is_visible(byte) || byte == b' ')
    };
    text.len() <= BAGGAGE_BYTES && text.split(',').all(is_member)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    #[test]
    fn ids_are_read_in_the_order_of_their_digits() {
        let ids = TraceParent::parse(PARENT).unwrap();
        let trace = u128::from_be_bytes(ids.trace_id) >> 64;
        assert_eq!(trace, 0x0af7_6519_16cd_43dd);
        assert_eq!(u64::from_be_bytes(ids.parent_id), 0x00f0_67aa_0ba9_02b7);
        assert_eq!(ids.flags, 1);
    }

    #[test]
    fn only_what_is_well_formed_is_taken() {
        let later = format!("01{}-more", &PARENT[2..]);
        for (parent, is_taken) in [
            (PARENT, true),
            (&*later, true),
            (&*format!("{PARENT}-more"), false),
            (&*format!("ff{}", &PARENT[2..]), false),
            (&*PARENT.to_uppercase(), false),
            (&PARENT[..54], false),
            (
                &*PARENT.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
                false,
            ),
            (&*PARENT.replace("00f067aa0ba902b7", &"0".repeat(16)), false),
            (&*format!("01{}-{}", &PARENT[2..], "x".repeat(500)), false),
            ("", false),
        ] {
            assert_eq!(TraceContext::new(parent).is_some(), is_taken, "{parent}");
        }
        let trace = || TraceContext::new(PARENT).unwrap();
        for (state, is_taken) in [
            ("rojo=00f067aa0ba902b7,congo@x=t61rc", true),
            ("a=b, c=d", true),
            ("a", false),
            ("A=b", false),
            ("a=b,", true),
            (" ,a=b,\t,c=d", true),
            (",", false),
            ("", false),
            ("a=b,c", false),
            ("a=b,\n", false),
            ("a=b\nc", false),
            ("a=é", false),
            (&*format!("a={}", "b".repeat(511)), false),
            (&*vec!["a=b"; 33].join(","), false),
        ] {
            assert_eq!(trace().state(state).state.is_some(), is_taken, "{state}");
        }
        for (baggage, is_taken) in [
            ("user=ada;ttl=3;x,plan = free%20", true),
            ("a=", true),
            ("a", false),
            ("a=b c", false),
            ("a=\"b\"", false),
            ("a=b\r\n", false),
            ("a=b;x\r\n", false),
            ("a=b;x\n;y", false),
            ("a=b; x\t;\ty", true),
            (&*format!("a={}", "b".repeat(8_191)), false),
        ] {
            assert_eq!(
                trace().baggage(baggage).baggage.is_some(),
                is_taken,
                "{baggage}"
            );
        }
    }
}
