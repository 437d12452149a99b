//! Cases that stand in a file beside their test: one a line, below the name of their table.

/// The cases of the table below `## name`, without blank lines and comments, which begin with `# `.
///
/// # Panics
///
/// If there are none.
pub fn lines<'a>(file: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let heading = format!("## {name}");
    let mut lines = file.lines().skip_while(move |line| *line != heading);
    assert!(lines.next().is_some(), "no table {name}");
    let table = lines.take_while(|line| !line.starts_with("## "));
    table.filter(|line| !line.is_empty() && !line.starts_with("# "))
}

/// The same, each cut into its cells at ` =>`; the last one may be empty.
///
/// # Panics
///
/// If one has more or fewer.
pub fn rows<'a, const CELLS: usize>(
    file: &'a str,
    name: &str,
) -> impl Iterator<Item = [&'a str; CELLS]> {
    lines(file, name).map(|line| {
        let cells: Vec<_> = line.split(" =>").map(str::trim).collect();
        cells.try_into().unwrap_or_else(|_| panic!("cells: {line}"))
    })
}
