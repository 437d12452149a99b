//! PNG images, for terminals that can show them between lines of text.

use std::env;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The first bytes of a PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The most characters in a sequence of the kitty graphics protocol.
const CHUNK: usize = 4096;
/// The largest file that is shown, because larger ones would block the terminal.
const LARGEST: usize = 16 << 20;

/// A terminal's protocol for images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Graphics {
    /// Several sequences: kitty and Ghostty.
    Kitty,
    /// One sequence: iTerm2 and WezTerm.
    Iterm,
}

/// The sequence that makes the terminal show the image; `None` if the terminal can't, or the file
/// is no PNG.
pub(crate) fn sequence(file: &[u8]) -> Option<String> {
    let graphics = graphics(|name| env::var(name).ok())?;
    let is_shown = file.starts_with(PNG) && file.len() <= LARGEST;
    is_shown.then(|| written(graphics, file))
}

/// The terminal's protocol, according to the environment.
fn graphics(variable: impl Fn(&str) -> Option<String>) -> Option<Graphics> {
    let terminal = variable("TERM").unwrap_or_default();
    // These programs don't pass images on.
    if variable("TMUX").is_some() || terminal.starts_with("screen") {
        return None;
    }
    if variable("KITTY_WINDOW_ID").is_some()
        || ["xterm-kitty", "xterm-ghostty"].contains(&&*terminal)
    {
        return Some(Graphics::Kitty);
    }
    match variable("TERM_PROGRAM")?.as_str() {
        "iTerm.app" | "WezTerm" => Some(Graphics::Iterm),
        "ghostty" => Some(Graphics::Kitty),
        _ => None,
    }
}

fn written(graphics: Graphics, file: &[u8]) -> String {
    let text = STANDARD.encode(file);
    match graphics {
        Graphics::Iterm => format!("\x1b]1337;File=inline=1;size={}:{text}\x07\n", file.len()),
        Graphics::Kitty => {
            let chunks = text.as_bytes().chunks(CHUNK).map(String::from_utf8_lossy);
            let last = text.len().div_ceil(CHUNK).saturating_sub(1);
            let sequences = chunks.enumerate().map(|(at, chunk)| {
                let first = if at == 0 { "a=T,f=100," } else { "" };
                let more = u8::from(at < last);
                format!("\x1b_G{first}m={more};{chunk}\x1b\\")
            });
            sequences.collect::<String>() + "\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_what_a_terminal_can() {
        for (set, expected) in [
            (&[("TERM", "xterm-256color")][..], None),
            (&[("KITTY_WINDOW_ID", "1")], Some(Graphics::Kitty)),
            (&[("TERM", "xterm-ghostty")], Some(Graphics::Kitty)),
            (&[("TERM_PROGRAM", "iTerm.app")], Some(Graphics::Iterm)),
            (&[("TERM_PROGRAM", "WezTerm")], Some(Graphics::Iterm)),
            (&[("TERM_PROGRAM", "vscode")], None),
            (&[("KITTY_WINDOW_ID", "1"), ("TMUX", "/tmp/t")], None),
        ] {
            let variable = |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(graphics(variable), expected, "{set:?}");
        }
    }

    #[test]
    fn an_image_is_written_in_the_way_of_the_terminal() {
        let short = written(Graphics::Iterm, b"abc");
        assert_eq!(short, "\x1b]1337;File=inline=1;size=3:YWJj\x07\n");
        let short = written(Graphics::Kitty, b"abc");
        assert_eq!(short, "\x1b_Ga=T,f=100,m=0;YWJj\x1b\\\n");
        let long = written(Graphics::Kitty, &[0; 3 * CHUNK]);
        let sequences: Vec<_> = long.trim_end().split_inclusive("\x1b\\").collect();
        assert_eq!(sequences.len(), 4);
        assert!(sequences[0].starts_with("\x1b_Ga=T,f=100,m=1;AAAA"));
        assert!(sequences[1].starts_with("\x1b_Gm=1;AAAA"));
        assert!(sequences[3].starts_with("\x1b_Gm=0;AAAA"));
    }
}
