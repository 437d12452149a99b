//! Finds the titles of documents in their first bytes: the first heading of Markdown, or the title
//! of HTML.

/// The number of bytes of a file that are searched for its title.
pub(super) const HEAD_BYTES: usize = 8 << 10;

/// A function that finds the title in the beginning of a file.
type Find = fn(&str) -> Option<String>;

/// The types of files that have titles, with their functions.
const TITLED: [(&str, Find); 3] = [
    ("text/markdown", markdown),
    ("text/html", html),
    ("application/xhtml+xml", html),
];

/// Whether files of this type have titles.
pub(super) fn is_titled(mime_type: &str) -> bool {
    finder(mime_type).is_some()
}

/// The title of a file of this type that begins with `head`.
pub(super) fn title(mime_type: &str, head: &[u8]) -> Option<String> {
    let find = finder(mime_type)?;
    let head = head.get(..HEAD_BYTES).unwrap_or(head);
    let text = match str::from_utf8(head) {
        Ok(text) => text,
        // The beginning may be cut within a character. It is too short to guess other encodings
        // from.
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(head.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    find(text.trim_start_matches('\u{feff}')).filter(|title| !title.is_empty())
}

fn finder(mime_type: &str) -> Option<Find> {
    let found = TITLED.iter().find(|(titled, _)| *titled == mime_type);
    found.map(|(_, find)| *find)
}

/// The text of the first heading, after front matter and outside of code blocks.
fn markdown(text: &str) -> Option<String> {
    let mut lines = text.split_inclusive('\n').peekable();
    if lines.next_if(|line| line.trim_end() == "---").is_some() {
        lines.find(|line| ["---", "..."].contains(&line.trim_end()))?;
    }
    let (mut fence, mut paragraph): (Option<&str>, &str) = (None, "");
    for line in lines {
        let (line, is_indented) = (line.trim(), line.starts_with("    "));
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        if fence.is_some() || mark.is_some() {
            fence = match fence {
                Some(open) if mark == Some(open) => None,
                Some(open) => Some(open),
                None => mark,
            };
            paragraph = "";
            continue;
        }
        let after = line.trim_start_matches('#');
        let level = line.len() - after.len();
        if (1..=6).contains(&level) && !is_indented && after.starts_with([' ', '\t']) {
            let title = after.trim();
            let open = title.trim_end_matches('#');
            return Some(match open.ends_with([' ', '\t']) || open.is_empty() {
                true => open.trim_end().to_owned(),
                false => title.to_owned(),
            });
        }
        let is_line_under = |mark| !line.is_empty() && line.chars().all(|one| one == mark);
        if !paragraph.is_empty() && (is_line_under('=') || is_line_under('-')) {
            return Some(paragraph.to_owned());
        }
        // A list, a quotation or a table is not a heading, whatever follows it.
        let is_plain = !is_indented && !line.starts_with(['-', '*', '+', '>', '|', '<']);
        paragraph = if is_plain { line } else { "" };
    }
    None
}

/// The text of the first `<title>`.
fn html(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let begin = lower.match_indices("<title").find_map(|(at, tag)| {
        let rest = lower.get(at + tag.len()..)?;
        let is_tag = rest.starts_with(|next: char| next == '>' || next.is_ascii_whitespace());
        is_tag.then_some(at + tag.len() + rest.find('>')? + 1)
    })?;
    let length = lower.get(begin..)?.find("</title")?;
    let words = text.get(begin..begin + length)?.split_whitespace();
    Some(unescaped(&words.collect::<Vec<_>>().join(" ")))
}

/// Replaces the most common character references in a text.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let reference = after.split_once(';');
        let found = reference.and_then(|(name, after)| Some((character(name)?, after)));
        if let Some((character, after)) = found {
            out.push(character);
            rest = after;
        } else {
            out.push('&');
            rest = after;
        }
    }
    out + rest
}

fn character(name: &str) -> Option<char> {
    let code = match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        "nbsp" => return Some(' '),
        "ndash" => return Some('–'),
        "mdash" => return Some('—'),
        "middot" => return Some('·'),
        _ => name.strip_prefix('#')?,
    };
    let code = match code.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => code.parse(),
    };
    char::from_u32(code.ok()?).filter(|one| !one.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_has_its_first_heading() {
        for (text, expected) in [
            ("# One\n# Two", Some("One")),
            ("\u{feff}\n\n## A `b` #\n", Some("A `b`")),
            ("# C#\n", Some("C#")),
            ("Title\n=====\n", Some("Title")),
            ("Two\n---", Some("Two")),
            ("- a\n---\n# One", Some("One")),
            ("---\nname: x\n# no\n---\n# One", Some("One")),
            ("---\nwithout an end\n# no", None),
            ("```sh\n# no\n~~~\n# no\n```\n# One", Some("One")),
            ("#no\n\n    # no\n####### no\n", None),
            ("#\n#   #\n", None),
            ("text", None),
            ("", None),
        ] {
            assert_eq!(
                title("text/markdown", text.as_bytes()).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn html_has_its_title() {
        for (text, expected) in [
            (
                "<html><TITLE lang=en>\n A &amp; B&#x21;\n C &x; & d</Title>",
                Some("A & B! C &x; & d"),
            ),
            ("<titles>no</titles><title>One</title>", Some("One")),
            ("<title></title>", None),
            ("<title>without an end", None),
            ("<title", None),
            ("<h1>One</h1>", None),
        ] {
            assert_eq!(
                title("text/html", text.as_bytes()).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn only_a_beginning_in_unicode_is_looked_at() {
        let cut = "é".repeat(HEAD_BYTES);
        let text = format!("# One\n{cut}");
        assert_eq!(
            title("text/markdown", text.as_bytes()).as_deref(),
            Some("One")
        );
        let late = format!("{cut}\n# One");
        for text in [late.as_bytes(), b"# caf\xe9\n"] {
            assert_eq!(title("text/markdown", text), None);
        }
        assert_eq!(title("text/plain", b"# One"), None);
    }
}
