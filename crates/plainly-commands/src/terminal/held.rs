//! The lines that would be written into the user's answer, stored until it is complete.

/// The most stored lines, because a server may log without end while the user does not answer.
const MOST: usize = 200;

/// The waiting lines.
#[derive(Debug, Default)]
pub(super) struct HeldLines {
    lines: Vec<String>,
    dropped: usize,
}

impl HeldLines {
    pub(super) fn push(&mut self, line: &str) {
        match self.lines.len() < MOST {
            true => self.lines.push(line.to_owned()),
            false => self.dropped += 1,
        }
    }

    /// All stored lines, and a line with the number of dropped ones.
    pub(super) fn into_lines(self) -> impl Iterator<Item = String> {
        let more = (self.dropped > 0).then(|| format!("(and {} lines more)", self.dropped));
        self.lines.into_iter().chain(more)
    }
}
