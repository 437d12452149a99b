//! The quotations, lists and items that lines stand in, and what each sets before them. Few are kept, however deep a page is
//! nested. Knows nothing of what is in the lines.

/// The most nested containers that are distinguished. Ten levels are hard to read already.
const DEPTH: usize = 32;

/// Something that lines stand in, such as a list or a quotation.
enum Container {
    /// And whether a line of it is written.
    Quote(bool),
    /// With the number of the next item, if they have numbers.
    List(Option<u32>),
    /// With its marker, until that is written, and the width of it.
    Item(Option<String>, usize),
}

/// All that the next line stands in, from the outermost.
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

    /// A list, and the number of its first item if they have numbers.
    pub(super) fn open_list(&mut self, number: Option<u32>) {
        self.push(Container::List(number));
    }

    pub(super) fn close_list(&mut self) {
        self.leave(|container| matches!(container, Container::List(_)));
    }

    /// An item of the innermost list, or of none.
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

    /// The text of a footnote. Its lines stand where those of an item would.
    pub(super) fn open_note(&mut self, number: usize) {
        self.push(Container::Item(Some(format!("[^{number}]: ")), 4));
    }

    /// Ends the item of the innermost list, or that of none.
    pub(super) fn close_item(&mut self) {
        let mut inside_out = self.0.iter().rev();
        let innermost = inside_out.find(|container| !matches!(container, Container::Quote(_)));
        if matches!(innermost, Some(Container::Item(..))) {
            self.leave(|container| matches!(container, Container::Item(..)));
        }
    }

    /// Whether what comes next continues an item.
    pub(super) fn is_in_item(&self) -> bool {
        matches!(self.0.last(), Some(Container::Item(..)))
    }

    /// The beginning of a new line. Markers stand before one only.
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

    /// The beginning of a line that continues.
    pub(super) fn prefix(&self) -> String {
        self.0.iter().map(before).collect()
    }

    /// The beginning of the empty line that ends what was written.
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
        // What is deeper stands where its surroundings do.
        if self.0.len() < DEPTH {
            self.0.push(container);
        }
    }

    /// Leaves the innermost container of a kind, and its contents.
    fn leave(&mut self, is_meant: impl Fn(&Container) -> bool) {
        if let Some(at) = self.0.iter().rposition(is_meant) {
            self.0.truncate(at);
        }
    }
}

/// The characters that a container sets before a line.
fn before(container: &Container) -> String {
    match container {
        Container::Quote(_) => "> ".to_owned(),
        Container::List(_) => String::new(),
        Container::Item(Some(marker), _) => marker.clone(),
        Container::Item(None, width) => " ".repeat(*width),
    }
}
