//! The crates as the compiler sees them without their tests: a tree of modules.

use std::path::{Path, PathBuf};

use syn::Item;

use crate::facts::Facts;
use crate::shipped;

/// One crate of the workspace, or one that a test makes up.
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) modules: Vec<Module>,
}

/// A module, without those below it.
pub(crate) struct Module {
    /// The names that lead to it from the root, which has none.
    pub(crate) path: Vec<String>,
    pub(crate) file: String,
    pub(crate) facts: Facts,
}

/// Where files come from; there is none where it returns nothing.
type Files<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// What the declarations in a file or an inline module go by.
struct Place<'a> {
    path: Vec<String>,
    file: &'a Path,
    /// In which folder the files of its modules are, and in which those that `#[path]` names.
    below: PathBuf,
    beside: PathBuf,
}

impl Crate {
    /// Reads what the file `root` declares, and what that declares.
    pub(crate) fn read(name: &str, root: &Path, files: Files<'_>) -> Self {
        let mut modules = Vec::new();
        let folder = root.parent().unwrap().to_owned();
        read_file(Vec::new(), root, folder, files, &mut modules);
        let name = name.to_owned();
        Self { name, modules }
    }

    /// A crate of these files, the first of which is its root.
    pub(crate) fn made_up(files: &[(&str, &str)]) -> Self {
        let find = |path: &Path| {
            let mut files = files.iter();
            let file = files.find(|(name, _)| Path::new("src").join(name) == path)?;
            Some(file.1.to_owned())
        };
        Self::read("made-up", &Path::new("src").join(files[0].0), &find)
    }

    pub(crate) fn module(&self, path: &[String]) -> Option<&Module> {
        self.modules.iter().find(|module| module.path == path)
    }

    /// The module of what `path`, which begins with `crate`, leads to. What a module passes on with `use` is of the module
    /// that it comes from.
    pub(crate) fn resolve(&self, path: &[String]) -> Vec<String> {
        let mut path = path[1..].to_vec();
        for _ in 0..8 {
            let is_module = |length: &usize| self.module(&path[..*length]).is_some();
            let length = (0..=path.len()).rev().find(is_module).unwrap_or_default();
            let Some(name) = path.get(length) else {
                return path;
            };
            let at = &path[..length];
            let mut passed_on = self.module(at).and_then(|at| at.import(name));
            if let Some(from) = &mut passed_on {
                let inner = [at, &from[..1]].concat();
                if self.module(&inner).is_some() {
                    from.splice(..1, [&["crate".to_owned()], &inner[..]].concat());
                }
            }
            match passed_on {
                Some(from) if from[0] == "crate" && from[1..] != path[..=length] => {
                    path = [&from[1..], &path[length + 1..]].concat();
                }
                _ => {
                    path.truncate(length);
                    return path;
                }
            }
        }
        panic!("{} goes round in a circle", path.join("::"))
    }
}

fn read_file(
    path: Vec<String>,
    file: &Path,
    below: PathBuf,
    files: Files<'_>,
    modules: &mut Vec<Module>,
) {
    let text = files(file).unwrap_or_else(|| panic!("there is no {}", file.display()));
    let parsed = shipped::parse(&text);
    let parsed = parsed.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let beside = file.parent().unwrap().to_owned();
    let place = Place {
        path,
        file,
        below,
        beside,
    };
    read_items(place, parsed.items, files, modules);
}

fn read_items(place: Place<'_>, items: Vec<Item>, files: Files<'_>, modules: &mut Vec<Module>) {
    let (inner, own): (Vec<_>, Vec<_>) = items
        .into_iter()
        .partition(|item| matches!(item, Item::Mod(_)));
    modules.push(Module {
        path: place.path.clone(),
        file: place.file.to_str().unwrap().replace('\\', "/"),
        facts: Facts::of(&own),
    });
    for item in inner {
        let Item::Mod(module) = item else {
            continue;
        };
        let name = module.ident.to_string();
        let path = [&place.path[..], std::slice::from_ref(&name)].concat();
        let named = shipped::path_of(&module.attrs);
        if let Some((_, items)) = module.content {
            let below = place.below.join(named.unwrap_or(name));
            let place = Place {
                path,
                file: place.file,
                beside: below.clone(),
                below,
            };
            read_items(place, items, files, modules);
        } else if let Some(named) = named {
            let file = place.beside.join(named);
            let below = file.parent().unwrap().to_owned();
            read_file(path, &file, below, files, modules);
        } else {
            let below = place.below.join(&name);
            let file = place.below.join(format!("{name}.rs"));
            match files(&file) {
                Some(_) => read_file(path, &file, below, files, modules),
                None => read_file(path, &below.join("mod.rs"), below.clone(), files, modules),
            }
        }
    }
}

impl Module {
    /// All that it names, from the root of its crate, which is `crate`, or from another crate.
    pub(crate) fn references(&self) -> impl Iterator<Item = (Vec<String>, usize)> {
        let references = self.facts.references.iter();
        references.map(|found| (self.absolute(&found.path), found.line))
    }

    /// Where `name` comes from, if it is imported.
    fn import(&self, name: &str) -> Option<Vec<String>> {
        let mut references = self.facts.references.iter();
        let found = references.find(|found| found.imported_as.as_deref() == Some(name))?;
        Some(self.absolute(&found.path))
    }

    fn absolute(&self, path: &[String]) -> Vec<String> {
        if path[0] != "self" && path[0] != "super" {
            return path.to_vec();
        }
        let mut from = [&["crate".to_owned()], &self.path[..]].concat();
        let mut rest = path;
        while let [first, after @ ..] = rest {
            match first.as_str() {
                "self" => {}
                "super" => drop(from.pop()),
                _ => break,
            }
            rest = after;
        }
        [&from, rest].concat()
    }
}
