//! The published crates as words and paths: each file below `src` is a module, without the code
//! below `#[cfg(test)]`.

use std::sync::LazyLock;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::workspace::files;

/// A file with its inline modules.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) crate_name: String,
    /// The names from the root of its crate to the module; empty for the root.
    pub(crate) path: Vec<String>,
    pub(crate) file: String,
    /// Words and punctuation; `->` and `::` are one word each.
    pub(crate) words: Vec<Word>,
    /// Paths from the root of the crate, named `crate`, or from another crate.
    pub(crate) references: Vec<Reference>,
    /// The first line of each doc comment.
    pub(crate) docs: Vec<Word>,
}

#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) line: usize,
}

#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
    /// The path's name in this module, if it is imported.
    name: Option<String>,
}

/// The modules of all crates.
pub(crate) fn modules() -> &'static [Module] {
    static MODULES: LazyLock<Vec<Module>> = LazyLock::new(|| {
        let sources = files(&[".rs"]).into_iter().filter_map(|file| {
            let inside = file.path.strip_prefix("crates/")?;
            let (name, path) = inside.split_once("/src/")?;
            let is_test = path.split(['/', '.']).any(|part| part == "tests");
            (!is_test).then(|| Module::read(name, path, &file.path, &file.text))
        });
        sources.collect()
    });
    &MODULES
}

impl Module {
    /// Reads a file. Its `path` starts below the `src` of its crate.
    pub(crate) fn read(crate_name: &str, path: &str, file: &str, text: &str) -> Self {
        let names = path.strip_suffix(".rs").unwrap().split('/');
        let mut names: Vec<_> = names.map(str::to_owned).collect();
        if ["lib", "main", "mod"].contains(&names.last().unwrap().as_str()) {
            names.pop();
        }
        let tokens: TokenStream = text
            .parse()
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut module = Self {
            crate_name: crate_name.to_owned(),
            path: names,
            file: file.to_owned(),
            ..Self::default()
        };
        module.flatten(tokens);
        module.refer();
        module
    }

    fn flatten(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        let (mut is_joint, mut is_in_doc) = (false, false);
        while let Some(token) = tokens.next() {
            let line = token.span().start().line;
            let was_joint = std::mem::take(&mut is_joint);
            let was_in_doc = std::mem::take(&mut is_in_doc);
            let text = match token {
                TokenTree::Group(group) => {
                    let (opens, closes) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    self.word(opens, line);
                    self.flatten(group.stream());
                    self.word(closes, group.span_close().start().line);
                    continue;
                }
                TokenTree::Punct(sign) if sign.as_char() == '#' => {
                    let _inner = tokens.next_if(|token| token.to_string() == "!");
                    let attribute = tokens.next().map(|token| token.to_string());
                    let attribute = attribute.unwrap_or_default();
                    if let Some(doc) = attribute.strip_prefix("[doc =") {
                        let doc = doc.trim_matches(['"', ' ', ']', 'r', '#']);
                        if !was_in_doc {
                            self.docs.push(Word {
                                text: doc.to_owned(),
                                line,
                            });
                        }
                        is_in_doc = true;
                    } else if ["[cfg(test)]", "[cfg(all(test,"]
                        .iter()
                        .any(|test| attribute.replace(' ', "").starts_with(test))
                    {
                        leave_out(&mut tokens);
                    } else {
                        self.word(&attribute, line);
                    }
                    continue;
                }
                TokenTree::Punct(sign) => {
                    is_joint = sign.spacing() == Spacing::Joint && sign.as_char() != '\'';
                    sign.to_string()
                }
                TokenTree::Ident(name) => name.to_string(),
                TokenTree::Literal(literal) => literal.to_string(),
            };
            match self.words.last_mut() {
                Some(last) if was_joint => last.text += &text,
                _ => self.word(&text, line),
            }
        }
    }

    /// The path of an imported name.
    pub(crate) fn import(&self, name: &str) -> Option<&[String]> {
        let mut references = self.references.iter();
        let found = references.find(|found| found.name.as_deref() == Some(name))?;
        Some(&found.path)
    }

    fn word(&mut self, text: &str, line: usize) {
        let text = text.to_owned();
        self.words.push(Word { text, line });
    }

    /// Finds the paths among the words.
    fn refer(&mut self) {
        let words = self.words.clone();
        let mut rest = &words[..];
        while let [first, left @ ..] = rest {
            if first.text == "use" {
                rest = self.read_use(Vec::new(), left);
                continue;
            }
            let mut path = vec![first.text.clone()];
            rest = left;
            while let [sign, name, left @ ..] = rest
                && sign.text == "::"
                && is_name(name)
            {
                path.push(name.text.clone());
                rest = left;
            }
            if path.len() > 1 && is_name(first) {
                self.reference(path, first.line, None);
            }
        }
    }

    /// Reads the rest of a `use` after `path`, and returns the words after it.
    fn read_use<'a>(&mut self, mut path: Vec<String>, mut rest: &'a [Word]) -> &'a [Word] {
        let is_first = path.is_empty();
        while let [word, left @ ..] = rest {
            rest = left;
            match word.text.as_str() {
                "{" => {
                    while rest.first().is_some_and(|word| word.text != "}") {
                        rest = self.read_use(path.clone(), rest);
                        if rest.first().is_some_and(|word| word.text == ",") {
                            rest = &rest[1..];
                        }
                    }
                    return rest.get(1..).unwrap_or_default();
                }
                "::" => {}
                "*" => {
                    self.reference(path, word.line, None);
                    return rest;
                }
                "self" if !is_first => {}
                _ => path.push(word.text.clone()),
            }
            let is_last = rest.first().is_none_or(|word| word.text != "::");
            if is_last && word.text != "::" {
                let mut name = path.last().cloned();
                if let [word, renamed, left @ ..] = rest
                    && word.text == "as"
                {
                    name = Some(renamed.text.clone());
                    rest = left;
                }
                self.reference(path, word.line, name);
                return rest;
            }
        }
        rest
    }

    fn reference(&mut self, mut path: Vec<String>, line: usize, name: Option<String>) {
        if path[0] == "self" || path[0] == "super" {
            let mut from = self.path.clone();
            while let Some(first) = path.first()
                && ["self", "super"].contains(&first.as_str())
            {
                if path.remove(0) == "super" {
                    from.pop();
                }
            }
            path = [vec!["crate".to_owned()], from, path].concat();
        }
        self.references.push(Reference { path, line, name });
    }
}

/// Skips the item of an attribute: up to its body or semicolon, or up to its comma if it has
/// neither.
fn leave_out(tokens: &mut (impl Iterator<Item = TokenTree> + Clone)) {
    let all: Vec<_> = tokens.clone().map(|token| token.to_string()).collect();
    let ends = |text: &String| text == ";" || text.starts_with('{');
    let comma = |text: &String| text == ",";
    let end = all
        .iter()
        .position(ends)
        .or_else(|| all.iter().position(comma));
    tokens
        .take(end.map_or(all.len(), |end| end + 1))
        .for_each(drop);
}

fn is_name(word: &Word) -> bool {
    word.text
        .starts_with(|c: char| c.is_alphabetic() || c == '_')
}
