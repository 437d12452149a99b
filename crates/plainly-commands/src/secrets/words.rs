//! Commands and URLs for display, with masked secrets: those with the name of a secret, or in the
//! place of one. Variables are not masked, because their names are not secret.

use super::{MASK, Mask, is_random, is_variable, secret_in};
use crate::shell_word::shell_word;

impl Mask {
    /// The words of a command, as a line for a shell.
    pub(crate) fn command_line(&self, words: &[String]) -> String {
        let words = self.words(words).into_iter();
        // A masked word can't be pasted into a shell anyway.
        let words = words.map(|word| match word.contains(MASK) {
            true => word,
            false => shell_word(&word).into_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// The words of a command without secrets, either inside a word or as the value of the option
    /// before it.
    pub(crate) fn words(&self, words: &[String]) -> Vec<String> {
        let before = [""].into_iter().chain(words.iter().map(String::as_str));
        let words = words.iter().zip(before);
        words
            .map(|(word, before)| self.word(before, word))
            .collect()
    }

    fn word(&self, before: &str, word: &str) -> String {
        match secret_in(before, word).and_then(|secret| word.strip_suffix(secret)) {
            Some(name) => format!("{name}{MASK}"),
            None if is_variable(word) => word.to_owned(),
            None if word.contains("://") => self.url(word),
            None => self.text(word).into_owned(),
        }
    }

    /// A URL without its password, the values in its query, and the parts of its path that look
    /// random.
    pub(crate) fn url(&self, url: &str) -> String {
        if is_variable(url) {
            return url.to_owned();
        }
        let (before, fragment) = match url.split_once('#') {
            Some((before, _)) => (before, format!("#{MASK}")),
            None => (url, String::new()),
        };
        let (before, query) = match before.split_once('?') {
            Some((before, query)) => (before, format!("?{}", without_values(query))),
            None => (before, String::new()),
        };
        let (scheme, rest) = before.split_at(before.find("://").map_or(0, |at| at + 3));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = match authority.rsplit_once('@') {
            Some((_, host)) => format!("{MASK}@{host}"),
            None => authority.to_owned(),
        };
        let parts = path.split('/').map(|part| match is_random(part) {
            true => MASK,
            false => part,
        });
        let path = parts.collect::<Vec<_>>().join("/");
        let shown = format!("{scheme}{host}{path}{query}{fragment}");
        self.text(&shown).into_owned()
    }
}

/// The pairs of a query, with only their names.
fn without_values(query: &str) -> String {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| match pair.split_once('=') {
        Some((name, value)) if !is_variable(value) => format!("{name}={MASK}"),
        Some(_) => pair.to_owned(),
        None => MASK.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_without_secrets() {
        for (line, shown) in [
            ("npx -y server --dir /tmp", "npx -y server --dir /tmp"),
            (
                "npx server --api-key S3CRET x",
                "npx server --api-key *** x",
            ),
            ("npx server --api-key=S3CRET", "npx server --api-key=***"),
            ("npx server --auth S3CRET", "npx server --auth ***"),
            (
                "npx server --token ${TOKEN}",
                "npx server --token '${TOKEN}'",
            ),
            (
                "npx server --token=${TOKEN}",
                "npx server '--token=${TOKEN}'",
            ),
            ("npx server --key=${A}:S3CRET@${B}", "npx server --key=***"),
            (
                "npx server --pat S3CRET --path x",
                "npx server --pat *** --path x",
            ),
            (
                "docker run -e GITHUB_TOKEN=S3CRET",
                "docker run -e GITHUB_TOKEN=***",
            ),
            (
                "npx mcp-remote https://me:S3CRET@h/mcp?k=S3CRET&x",
                "npx mcp-remote https://***@h/mcp?k=***&***",
            ),
            (
                "npx mcp-remote https://h/ --header X-Key:S3CRET",
                "npx mcp-remote https://h/ --header ***",
            ),
            (
                "psql postgresql://me:S3CRET@h/db",
                "psql postgresql://***@h/db",
            ),
            (
                "npx server --url=http://h?token=S3CRET -v",
                "npx server --url=http://h?token=*** -v",
            ),
        ] {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            let found = Mask::default().command_line(&words);
            assert_eq!(found, shown, "{line}");
            assert!(!found.contains("S3CRET"));
        }
        let words = ["x", "Bearer S3CRET", "X-Key: S3CRET"].map(str::to_owned);
        let shown = ["x", "Bearer ***", "X-Key:***"];
        assert_eq!(Mask::default().words(&words), shown);
    }

    #[test]
    fn a_url_is_shown_without_secrets() {
        for (url, shown) in [
            ("https://h:8/mcp", "https://h:8/mcp"),
            (
                "https://u:p@h/mcp?key=1&b#c",
                "https://***@h/mcp?key=***&***#***",
            ),
            (
                "https://h/s/aBcDeFgHiJkLmNoPqRsT0123/mcp",
                "https://h/s/***/mcp",
            ),
            (
                "https://h/a-long-name-of-a-server/mcp",
                "https://h/a-long-name-of-a-server/mcp",
            ),
            (
                "https://${HOST}/mcp?key=${KEY}",
                "https://${HOST}/mcp?key=${KEY}",
            ),
            ("https://h/?token=${KEY}", "https://h/?token=${KEY}"),
            ("https://${A}:secret@${B}", "https://***@${B}"),
            ("${A}:secret@${B}", "***@${B}"),
            ("${URL}", "${URL}"),
        ] {
            assert_eq!(Mask::default().url(url), shown, "{url}");
        }
    }
}
