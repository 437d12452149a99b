//! Test cases in a file next to their test: one on each line, below the name of their table.

use serde_json::Value;

/// The cases of the table below `## name`, without blank lines and comments, which begin with `# `.
///
/// # Panics
///
/// Panics if there are none.
pub fn lines<'a>(file: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let heading = format!("## {name}");
    let mut lines = file.lines().skip_while(move |line| *line != heading);
    assert!(lines.next().is_some(), "no table {name}");
    let table = lines.take_while(|line| !line.starts_with("## "));
    table.filter(|line| !line.is_empty() && !line.starts_with("# "))
}

/// The cases of [`lines`], split into cells at ` =>`. The last cell may be empty.
///
/// # Panics
///
/// Panics if a case has another number of cells.
pub fn rows<'a, const CELLS: usize>(
    file: &'a str,
    name: &str,
) -> impl Iterator<Item = [&'a str; CELLS]> {
    lines(file, name).map(|line| {
        let cells: Vec<_> = line.split(" =>").map(str::trim).collect();
        cells.try_into().unwrap_or_else(|_| panic!("cells: {line}"))
    })
}

/// The value of a cell: a text, quoted if it needs escapes; a number; a boolean; JSON; a list of
/// texts; or `-` for none.
pub trait Cell: Sized {
    /// Parses the cell.
    fn read(cell: &'static str) -> Self;
}

impl Cell for &'static str {
    fn read(cell: &'static str) -> Self {
        match cell.starts_with('"').then(|| Value::read(cell)) {
            Some(Value::String(text)) => text.leak(),
            Some(other) => panic!("no text: {other}"),
            None => cell,
        }
    }
}

impl Cell for Value {
    fn read(cell: &'static str) -> Self {
        serde_json::from_str(cell).unwrap_or_else(|error| panic!("{error}: {cell}"))
    }
}

impl Cell for Vec<&'static str> {
    fn read(cell: &'static str) -> Self {
        let Value::Array(texts) = Value::read(cell) else {
            panic!("no list: {cell}");
        };
        let texts = texts.into_iter().map(|text| text.to_string().leak());
        texts.map(|text| <&str>::read(text)).collect()
    }
}

impl<C: Cell> Cell for Option<C> {
    fn read(cell: &'static str) -> Self {
        (cell != "-").then(|| C::read(cell))
    }
}

macro_rules! parsed {
    ($($type:ty)*) => {$(
        impl Cell for $type {
            fn read(cell: &'static str) -> Self {
                cell.parse().unwrap_or_else(|error| panic!("{error}: {cell}"))
            }
        }
    )*};
}

parsed!(bool u16 u32 u64 usize i32 i64);

/// A line of a table: one cell, or several.
pub trait Row: Sized {
    /// Parses the line.
    fn parse(line: &'static str) -> Self;
}

impl<C: Cell> Row for C {
    fn parse(line: &'static str) -> Self {
        C::read(line)
    }
}

macro_rules! of_cells {
    ($($cell:ident)+) => {
        impl<$($cell: Cell),+> Row for ($($cell,)+) {
            fn parse(line: &'static str) -> Self {
                let mut cells = line.split(" =>").map(str::trim);
                let row = ($($cell::read(cells.next().unwrap_or_else(|| panic!("too short: {line}"))),)+);
                assert!(cells.next().is_none(), "too long: {line}");
                row
            }
        }
    };
}

of_cells!(A B);
of_cells!(A B C);
of_cells!(A B C D);
of_cells!(A B C D E);

/// The cases of the table below `## name`, parsed to the type that the test expects.
#[must_use]
pub fn cases<R: Row>(file: &'static str, name: &str) -> Vec<R> {
    lines(file, name).map(R::parse).collect()
}
