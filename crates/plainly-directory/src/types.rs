//! The MIME types of common names in software projects that `mime_guess` doesn't know or maps to
//! another type. Types are registered with IANA if possible, otherwise the most common `text/x-…`.

use std::ffi::OsStr;
use std::path::Path;

/// The types of whole names, in lower case, sorted.
const NAMES: &[(&str, &str)] = &[
    (".dockerignore", "text/plain"),
    (".editorconfig", "text/plain"),
    (".env", "text/plain"),
    (".gitattributes", "text/plain"),
    (".gitignore", "text/plain"),
    (".gitmodules", "text/plain"),
    (".npmrc", "text/plain"),
    ("authors", "text/plain"),
    ("changelog", "text/plain"),
    ("cmakelists.txt", "text/x-cmake"),
    ("containerfile", "text/x-dockerfile"),
    ("copying", "text/plain"),
    ("dockerfile", "text/x-dockerfile"),
    ("gemfile", "text/x-ruby"),
    ("gnumakefile", "text/x-makefile"),
    ("go.mod", "text/x-go-mod"),
    ("go.sum", "text/plain"),
    ("go.work", "text/x-go-mod"),
    ("jenkinsfile", "text/x-groovy"),
    ("justfile", "text/plain"),
    ("license", "text/plain"),
    ("makefile", "text/x-makefile"),
    ("notice", "text/plain"),
    ("procfile", "text/plain"),
    ("rakefile", "text/x-ruby"),
    ("readme", "text/plain"),
    ("vagrantfile", "text/x-ruby"),
];

/// The types of extensions, in lower case, sorted.
const ENDINGS: &[(&str, &str)] = &[
    ("adoc", "text/x-asciidoc"),
    ("asm", "text/x-asm"),
    ("astro", "text/x-astro"),
    ("bash", "text/x-shellscript"),
    ("bat", "text/x-msdos-batch"),
    ("bib", "text/x-bibtex"),
    ("c", "text/x-c"),
    ("cc", "text/x-c++"),
    ("cjs", "text/javascript"),
    ("clj", "text/x-clojure"),
    ("cljs", "text/x-clojure"),
    ("cmake", "text/x-cmake"),
    ("cmd", "text/x-msdos-batch"),
    ("cpp", "text/x-c++"),
    ("cs", "text/x-csharp"),
    ("cts", "text/typescript"),
    ("cxx", "text/x-c++"),
    ("diff", "text/x-diff"),
    ("edn", "application/edn"),
    ("el", "text/x-emacs-lisp"),
    ("elm", "text/x-elm"),
    ("env", "text/plain"),
    ("erl", "text/x-erlang"),
    ("ex", "text/x-elixir"),
    ("exs", "text/x-elixir"),
    ("fish", "text/x-shellscript"),
    ("fs", "text/x-fsharp"),
    ("fsx", "text/x-fsharp"),
    ("go", "text/x-go"),
    ("gql", "application/graphql"),
    ("gradle", "text/x-groovy"),
    ("graphql", "application/graphql"),
    ("groovy", "text/x-groovy"),
    ("h", "text/x-c"),
    ("hcl", "text/x-hcl"),
    ("hpp", "text/x-c++"),
    ("hs", "text/x-haskell"),
    ("ipynb", "application/x-ipynb+json"),
    ("java", "text/x-java"),
    ("jl", "text/x-julia"),
    ("jsonc", "application/jsonc"),
    ("jsonl", "application/jsonl"),
    ("jsx", "text/jsx"),
    ("kt", "text/x-kotlin"),
    ("kts", "text/x-kotlin"),
    ("less", "text/x-less"),
    ("lock", "text/plain"),
    ("m", "text/x-objective-c"),
    ("mdx", "text/mdx"),
    ("mjs", "text/javascript"),
    ("mk", "text/x-makefile"),
    ("ml", "text/x-ocaml"),
    ("mli", "text/x-ocaml"),
    ("mm", "text/x-objective-c++"),
    ("ndjson", "application/x-ndjson"),
    ("nim", "text/x-nim"),
    ("nix", "text/x-nix"),
    ("org", "text/org"),
    ("patch", "text/x-diff"),
    ("php", "text/x-php"),
    ("pl", "text/x-perl"),
    ("pm", "text/x-perl"),
    ("po", "text/x-gettext-translation"),
    ("properties", "text/x-java-properties"),
    ("proto", "text/x-protobuf"),
    ("ps1", "text/x-powershell"),
    ("psm1", "text/x-powershell"),
    ("py", "text/x-python"),
    ("pyi", "text/x-python"),
    ("qmd", "text/markdown"),
    ("r", "text/x-r"),
    ("rb", "text/x-ruby"),
    ("rmd", "text/markdown"),
    ("rst", "text/x-rst"),
    ("s", "text/x-asm"),
    ("scala", "text/x-scala"),
    ("scm", "text/x-scheme"),
    ("sh", "text/x-shellscript"),
    ("sol", "text/x-solidity"),
    ("sql", "application/sql"),
    ("sv", "text/x-systemverilog"),
    ("svelte", "text/x-svelte"),
    ("swift", "text/x-swift"),
    ("tcl", "text/x-tcl"),
    ("tex", "text/x-tex"),
    ("tf", "text/x-hcl"),
    ("tfvars", "text/x-hcl"),
    ("toml", "application/toml"),
    ("tsx", "text/tsx"),
    ("v", "text/x-verilog"),
    ("vb", "text/x-vb"),
    ("vcf", "text/vcard"),
    ("vhdl", "text/x-vhdl"),
    ("vue", "text/x-vue"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zig", "text/x-zig"),
    ("zsh", "text/x-shellscript"),
];

/// Extensions with two meanings: the type if the content is text, and the type otherwise. Sorted.
const AMBIGUOUS: &[(&str, (&str, &str))] = &[
    ("dot", ("text/vnd.graphviz", "application/msword")),
    ("mts", ("text/typescript", "video/mp2t")),
    (
        "pot",
        (
            "text/x-gettext-translation-template",
            "application/vnd.ms-powerpoint",
        ),
    ),
    ("ts", ("text/typescript", "video/mp2t")),
    ("vhd", ("text/x-vhdl", "application/x-virtualbox-vhd")),
];

/// Text types that neither begin with `text/` nor have the suffix of a text syntax. Sorted.
const TEXT: &[&str] = &[
    "application/ecmascript",
    "application/edn",
    "application/graphql",
    "application/hjson",
    "application/javascript",
    "application/json",
    "application/json5",
    "application/jsonc",
    "application/jsonl",
    "application/n-triples",
    "application/sparql-query",
    "application/sql",
    "application/toml",
    "application/vnd.dart",
    "application/x-ndjson",
    "application/x-subrip",
    "application/xml",
    "application/xml-dtd",
    "application/yaml",
];

/// The type of a file by its name; `None` if the content decides or the name is unknown.
pub(super) fn of_name(name: &OsStr) -> Option<&'static str> {
    if let Some(known) = find(NAMES, name) {
        return Some(known);
    }
    let ending = Path::new(name).extension()?;
    match find(AMBIGUOUS, ending) {
        Some(_) => None,
        None => {
            find(ENDINGS, ending).or_else(|| mime_guess::from_path(Path::new(name)).first_raw())
        }
    }
}

/// The two types of a name with an ambiguous extension: for text, and otherwise.
pub(super) fn shared(name: &OsStr) -> Option<(&'static str, &'static str)> {
    find(AMBIGUOUS, Path::new(name).extension()?)
}

/// Whether files of this type should be text.
pub(super) fn is_text(mime_type: &str) -> bool {
    mime_type.starts_with("text/")
        || ["+json", "+xml", "+yaml"]
            .iter()
            .any(|suffix| mime_type.ends_with(suffix))
        || TEXT.binary_search(&mime_type).is_ok()
}

fn find<T: Copy>(table: &[(&str, T)], name: &OsStr) -> Option<T> {
    let name = name.to_str()?;
    let lower = || name.bytes().map(|byte| byte.to_ascii_lowercase());
    let at = table
        .binary_search_by(|(known, _)| known.bytes().cmp(lower()))
        .ok()?;
    table.get(at).map(|(_, found)| *found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_type_in_any_case() {
        let endings = ENDINGS
            .iter()
            .map(|(ending, mime_type)| (format!("a.{ending}"), mime_type));
        let names = NAMES
            .iter()
            .map(|(name, mime_type)| ((*name).to_owned(), mime_type));
        for (name, mime_type) in endings.chain(names) {
            assert_eq!(of_name(OsStr::new(&name)), Some(*mime_type), "{name}");
            let upper = name.to_ascii_uppercase();
            assert_eq!(of_name(OsStr::new(&upper)), Some(*mime_type), "{upper}");
            assert!(is_text(mime_type), "{name}: {mime_type}");
            let guess = mime_guess::from_path(&name).first_raw();
            assert_ne!(guess, Some(*mime_type), "{name}: the row is not needed");
        }
        for (ending, (text, rest)) in AMBIGUOUS {
            let name = format!("a.{}", ending.to_ascii_uppercase());
            assert_eq!(shared(OsStr::new(&name)), Some((*text, *rest)));
            assert_eq!(of_name(OsStr::new(&name)), None);
            assert!(is_text(text) && !is_text(rest));
        }
    }

    #[test]
    fn what_only_looks_like_a_known_name_is_none() {
        for name in ["", "java", "a.javac", "makefile~", "a.makefile", "env"] {
            assert_eq!(of_name(OsStr::new(name)), None, "{name}");
        }
    }
}
