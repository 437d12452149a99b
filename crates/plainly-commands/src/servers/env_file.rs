//! Files with variables for a process, like `.env` files: one `NAME=VALUE` per line.

use std::path::Path;

use super::file::read;
use super::syntax::FileFault;

/// The variables in the file.
pub(super) fn variables(path: &Path) -> Result<Vec<(String, String)>, FileFault> {
    let broken = |place, why: &str| FileFault {
        path: path.to_owned(),
        place,
        why: why.to_owned(),
    };
    let text = read(path)?.ok_or_else(|| broken(None, "there is no such file"))?;
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let variables = lines.map(|(at, line)| {
        let variable = variable(line);
        variable.ok_or_else(|| broken(Some((at + 1, 1)), "expected NAME=VALUE"))
    });
    variables.collect()
}

fn variable(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let quoted = ['"', '\''].iter().find_map(|quote| {
        let inner = value.strip_prefix(*quote)?;
        inner.strip_suffix(*quote)
    });
    // A comment may follow a value without quotation marks.
    let bare = value
        .split_once(" #")
        .map_or(value, |(value, _)| value.trim_end());
    let value = quoted.unwrap_or(bare);
    let is_whole = !name.is_empty() && !name.contains(char::is_whitespace);
    is_whole.then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_variable() {
        for (line, name, value) in [
            ("A=1", "A", "1"),
            ("export A = 1 # one", "A", "1"),
            ("A=", "A", ""),
            ("A=\"b # c\"", "A", "b # c"),
            ("A='b'", "A", "b"),
            ("A=b=c#d", "A", "b=c#d"),
        ] {
            let expected = Some((name.to_owned(), value.to_owned()));
            assert_eq!(variable(line), expected, "{line}");
        }
        for line in ["A", "=b", "A B=c"] {
            assert_eq!(variable(line), None, "{line}");
        }
    }
}
