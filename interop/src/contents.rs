//! The contents of all servers: the same texts, bytes and tools. Independent of SDKs.

/// The argument of `echo`.
pub const ECHO_TEXT: &str = "hello from the benchmark";

/// The resource that no server has.
pub const MISSING_URI: &str = "file:///bench/missing.txt";

/// The number of tools in `tools/list`.
pub const TOOLS: usize = 100;

/// The time for which clients may cache the tools, in milliseconds.
pub const TOOLS_TTL: u64 = 300_000;

/// The description of each tool.
pub const TOOL_DESCRIPTION: &str = "Searches one of many collections and returns what fits best";

/// The input schema of each tool, as sent: without spaces between its tokens.
pub const TOOL_SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""query":{"type":"string","description":"What to look for"},"#,
    r#""limit":{"type":"integer","minimum":1,"maximum":100,"description":"How many results to return at most"},"#,
    r#""order":{"type":"string","enum":["relevance","newest","oldest"]}"#,
    r#"},"required":["query"]}"#,
);

const MIB: usize = 1 << 20;

/// A resource: its URI and its content.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "nobody outside this unpublished crate makes one"
)]
pub struct Held {
    /// The URI.
    pub uri: &'static str,
    /// Its content.
    pub content: Content,
}

/// The content of a resource.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "nobody outside this unpublished crate matches on it"
)]
pub enum Content {
    /// `text/plain`.
    Text(String),
    /// `application/octet-stream`.
    Binary(Vec<u8>),
}

impl Held {
    /// A text of 200 bytes.
    #[must_use]
    pub fn small() -> Self {
        Self {
            uri: "file:///bench/small.txt",
            content: Content::Text("0123456789".repeat(20)),
        }
    }

    /// A typical text of 1 MiB: lines of plain ASCII, some with quotes, tabs, or non-ASCII letters.
    #[must_use]
    pub fn text() -> Self {
        const LINES: [&str; 8] = [
            "A server holds resources, and a client reads them by their URIs whenever it needs them.\n",
            "Most lines of most files are like this one: plain letters, digits 0 to 9, and spaces.\n",
            "Nothing in them has to be written in another way, and so they should cost next to nothing.\n",
            "\tSome are indented, as source code is, and end with a bracket or a semicolon (like this);\n",
            "Others quote what somebody said: \"It is as fast as it can be\", and go on after that.\n",
            "A path may look like C:\\Program Files\\Example on some machines, and /usr/share on others.\n",
            "Names have other letters too: Zoë, Łukasz and José met in Malmö – 東京 was too far away.\n",
            "\n",
        ];
        // Three of four lines are of the first three kinds.
        const ORDER: [usize; 16] = [0, 1, 2, 0, 3, 1, 2, 0, 4, 1, 2, 0, 6, 1, 5, 7];
        let mut text = String::with_capacity(MIB);
        for line in ORDER.iter().cycle().map(|&kind| LINES[kind]) {
            if text.len() + line.len() > MIB {
                break;
            }
            text.push_str(line);
        }
        text.extend(std::iter::repeat_n('.', MIB - text.len()));
        Self {
            uri: "file:///bench/large.txt",
            content: Content::Text(text),
        }
    }

    /// 1 MiB of pseudorandom bytes.
    #[must_use]
    pub fn binary() -> Self {
        // A linear congruential generator (Knuth's MMIX). Uses its highest byte.
        let next = |state: &u64| {
            let next = state.wrapping_mul(6_364_136_223_846_793_005);
            Some(next.wrapping_add(1_442_695_040_888_963_407))
        };
        let bytes = std::iter::successors(Some(1), next).map(|state| state.to_be_bytes()[0]);
        Self {
            uri: "file:///bench/large.bin",
            content: Content::Binary(bytes.take(MIB).collect()),
        }
    }
}

/// The names of the tools in `tools/list`, in the order of a listing.
pub fn tool_names() -> impl Iterator<Item = String> {
    (0..TOOLS).map(|number| format!("search-{number:03}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_said() {
        let size = |held: Held| match held.content {
            Content::Text(text) => text.len(),
            Content::Binary(bytes) => bytes.len(),
        };
        assert_eq!(size(Held::small()), 200);
        assert_eq!(size(Held::text()), MIB);
        assert_eq!(size(Held::binary()), MIB);
    }
}
