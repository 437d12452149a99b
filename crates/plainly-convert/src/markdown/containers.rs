//! The quotations, lists and items around a line, and the prefixes that they add. The number of
//! stored containers is limited, however deep a page is nested. Independent of the content of the
//! lines.

/// The maximum number of nested containers. Even ten levels are hard to read.
const DEPTH: usize = 32;

/// A block that contains lines, such as a list or a quotation.
enum Container {
    /// A quotation, and whether a line of it was written.
    Quote(bool),
    /// A list, with the number of the next item if it is ordered.
    List(Option<u32>),
    /// An item, with its marker until that is written, and the marker's width.
    Item(Option<String>, usize),
}

/// The containers of the next line, outermost first.
pub(super) struct Containers(Vec<Container>);

impl Containers {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn open_quote(&mut self) {
        self.push(Container::Quote(false));
    }

    pub(super) fn close_quote(&mut self) {
        self.leave(|container| matches!(container, Container::Quote(_)));
    }

    /// Opens a list. An ordered list has the number of its first item.
    pub(super) fn open_list(&mut self, number: Option<u32>) {
        self.push(Container::List(number));
    }

    pub(super) fn close_list(&mut self) {
        self.leave(|container| matches!(container, Container::List(_)));
    }

    /// Opens an item of the innermost list, or one without a list.
    pub(super) fn open_item(&mut self) {
        let marker = match self.0.last_mut() {
            Some(Container::List(Some(number))) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            Some(_) | None => "- ".to_owned(),
        };
        let width = marker.len();
        self.push(Container::Item(Some(marker), width));
    }

    /// Opens the text of a footnote, whose lines are indented like those of an item.
    pub(super) fn open_note(&mut self, number: usize) {
        self.push(Container::Item(Some(format!("[^{number}]: ")), 4));
    }

    /// Closes the item of the innermost list, or one without a list.
    pub(super) fn close_item(&mut self) {
        let mut inside_out = self.0.iter().rev();
        let innermost = inside_out.find(|container| !matches!(container, Container::Quote(_)));
        if matches!(innermost, Some(Container::Item(..))) {
            self.leave(|container| matches!(container, Container::Item(..)));
        }
    }

    /// Whether the next line continues an item.
    pub(super) fn is_in_item(&self) -> bool {
        matches!(self.0.last(), Some(Container::Item(..)))
    }

    /// The prefix of a new line. Afterwards, the markers in it count as written.
    pub(super) fn begin(&mut self) -> String {
        let line = self.0.iter().map(before).collect();
        for container in &mut self.0 {
            match container {
                Container::Item(marker, _) => *marker = None,
                Container::Quote(is_written) => *is_written = true,
                Container::List(_) => {}
            }
        }
        line
    }

    /// The prefix of a line that continues a block.
    pub(super) fn prefix(&self) -> String {
        self.0.iter().map(before).collect()
    }

    /// The prefix of the empty line after the previous block.
    pub(super) fn between(&self) -> String {
        self.0
            .iter()
            .take_while(|container| {
                !matches!(
                    container,
                    Container::Item(Some(_), _) | Container::Quote(false)
                )
            })
            .map(before)
            .collect()
    }

    fn push(&mut self, container: Container) {
        // A container that is nested deeper is ignored, so its lines are prefixed like those around
        // it.
        if self.0.len() < DEPTH {
            self.0.push(container);
        }
    }

    /// Closes the innermost container of a kind, and the containers in it.
    fn leave(&mut self, is_meant: impl Fn(&Container) -> bool) {
        if let Some(at) = self.0.iter().rposition(is_meant) {
            self.0.truncate(at);
        }
    }
}

/// The prefix that a container adds to a line.
fn before(container: &Container) -> String {
    match container {
        Container::Quote(_) => "> ".to_owned(),
        Container::List(_) => String::new(),
        Container::Item(Some(marker), _) => marker.clone(),
        Container::Item(None, width) => " ".repeat(*width),
    }
}
