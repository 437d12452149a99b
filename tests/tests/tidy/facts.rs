//! What the rules want to know of a module: its words, what it names, its types, functions, comparisons and documentation.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Item, UseTree};

use crate::shipped;

/// Of one module.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) words: Vec<Word>,
    pub(crate) references: Vec<Reference>,
    /// The names of its types and traits.
    pub(crate) types: Vec<Word>,
    /// Each function's name and its length in lines.
    pub(crate) functions: Vec<(Word, usize)>,
    /// Each expression that asks what is less or more, as text.
    pub(crate) comparisons: Vec<Word>,
    /// The first line of each comment for the documentation.
    pub(crate) docs: Vec<Word>,
}

/// A word or a sign of the source. Comments are none; `->` and `::` are one.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// A path that a module imports, or that begins with `crate`, `self` or `super`, or has more than one name.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
    pub(crate) imported_as: Option<String>,
}

impl Facts {
    pub(crate) fn of(items: &[Item]) -> Self {
        let mut facts = Self::default();
        for item in items {
            let begins = facts.words.len();
            flatten(item.to_token_stream(), &mut facts.words, &mut facts.docs);
            if let Item::Use(import) = item {
                leaves(&import.tree, &mut Vec::new(), &mut facts.references);
            } else {
                let paths = paths(&facts.words[begins..]);
                facts.references.extend(paths);
            }
            facts.visit_item(item);
        }
        facts
    }

    fn function(&mut self, name: &syn::Ident, body: &syn::Block) {
        let ends = body.brace_token.span.close().end().line;
        let name = word(name, name.span());
        let lines = ends + 1 - name.line;
        self.functions.push((name, lines));
    }
}

fn word(text: &impl ToString, span: Span) -> Word {
    let text = text.to_string();
    let line = span.start().line;
    Word { text, line }
}

impl<'ast> Visit<'ast> for Facts {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.types.push(word(&item.ident, item.ident.span()));
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.types.push(word(&item.ident, item.ident.span()));
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.types.push(word(&item.ident, item.ident.span()));
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.types.push(word(&item.ident, item.ident.span()));
        visit::visit_item_type(self, item);
    }

    /// The types that `record!` writes stand in it as they would outside of it.
    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if item.mac.path.is_ident("record") {
            let written = item.mac.parse_body::<syn::File>();
            let written = written.unwrap_or_else(|error| panic!("record!: {error}"));
            for item in &written.items {
                if let Item::Struct(item) = item {
                    self.types.push(word(&item.ident, item.ident.span()));
                }
            }
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig.ident, body);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_binary(&mut self, item: &'ast syn::ExprBinary) {
        if let BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) = item.op {
            let text = item.to_token_stream();
            let line = item.op.span().start().line;
            self.comparisons.push(Word {
                text: text.to_string(),
                line,
            });
        }
        visit::visit_expr_binary(self, item);
    }
}

/// The paths among words.
fn paths(words: &[Word]) -> Vec<Reference> {
    let is_name = |word: &Word| {
        word.text
            .starts_with(|c: char| c.is_alphabetic() || c == '_')
    };
    let mut paths = Vec::new();
    let mut rest = words;
    while let [first, left @ ..] = rest {
        rest = left;
        let mut path = vec![first.text.clone()];
        while let [sign, name, left @ ..] = rest
            && sign.text == "::"
            && is_name(name)
        {
            path.push(name.text.clone());
            rest = left;
        }
        if path.len() > 1 && is_name(first) {
            paths.push(Reference {
                path,
                line: first.line,
                imported_as: None,
            });
        }
    }
    paths
}

/// All that a `use` imports, name by name.
fn leaves(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<Reference>) {
    let (last, name) = match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            leaves(&step.tree, path, found);
            path.pop();
            return;
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, path, found);
            }
            return;
        }
        UseTree::Glob(star) => {
            found.push(Reference {
                path: path.clone(),
                line: star.star_token.spans[0].start().line,
                imported_as: None,
            });
            return;
        }
        UseTree::Name(name) => (&name.ident, name.ident.to_string()),
        UseTree::Rename(name) => (&name.ident, name.rename.to_string()),
    };
    let mut whole = path.clone();
    let is_self = last == "self" && !whole.is_empty();
    if !is_self {
        whole.push(last.to_string());
    }
    let name = if name == "self" {
        whole.last().cloned()
    } else {
        Some(name)
    };
    found.push(Reference {
        path: whole,
        line: last.span().start().line,
        imported_as: name,
    });
}

/// Takes comments for the documentation apart.
fn flatten(tokens: TokenStream, words: &mut Vec<Word>, docs: &mut Vec<Word>) {
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
                words.push(word(&opens, group.span_open()));
                flatten(group.stream(), words, docs);
                words.push(word(&closes, group.span_close()));
                continue;
            }
            TokenTree::Punct(sign) => {
                if sign.as_char() == '#'
                    && let Some(TokenTree::Group(group)) = tokens.peek()
                    && let Some(text) = documentation(group.stream())
                {
                    tokens.next();
                    if !was_in_doc {
                        docs.push(Word { text, line });
                    }
                    is_in_doc = true;
                    continue;
                }
                is_joint = sign.spacing() == Spacing::Joint && sign.as_char() != '\'';
                sign.to_string()
            }
            TokenTree::Ident(name) => name.to_string(),
            TokenTree::Literal(literal) => literal.to_string(),
        };
        match words.last_mut() {
            Some(last) if was_joint => last.text += &text,
            _ => words.push(Word { text, line }),
        }
    }
}

/// What `doc = "…"` says.
fn documentation(attribute: TokenStream) -> Option<String> {
    let meta: syn::MetaNameValue = syn::parse2(attribute).ok()?;
    if !meta.path.is_ident("doc") {
        return None;
    }
    Some(
        shipped::string(&meta.value)
            .unwrap_or_default()
            .trim()
            .to_owned(),
    )
}
