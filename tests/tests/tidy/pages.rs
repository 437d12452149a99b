//! The documentation pages: every link has a target, and every example can be pasted.

use std::fs;
use std::path::Path;

use plainly_tests::PAGES;

use crate::workspace::{File, files, root};

/// The texts and the fenced blocks of a page. A block begins with its language.
fn parts(page: &str) -> (Vec<&str>, Vec<&str>) {
    let mut parts = page.split("\n```");
    let (mut texts, mut blocks) = (Vec::new(), Vec::new());
    while let Some(text) = parts.next() {
        texts.push(text);
        blocks.extend(parts.next());
    }
    (texts, blocks)
}

/// The anchor of a heading, as GitHub names it.
fn anchor(heading: &str) -> String {
    let title = heading.trim_start_matches('#').trim().to_lowercase();
    let named = title.replace(' ', "-");
    let is_kept = |c: &char| c.is_alphanumeric() || "-_".contains(*c);
    named.chars().filter(is_kept).collect()
}

fn has_heading(page: &str, wanted: &str) -> bool {
    let (texts, _) = parts(page);
    let lines = texts.into_iter().flat_map(str::lines);
    let mut headings = lines.filter(|line| line.starts_with('#'));
    headings.any(|heading| anchor(heading) == wanted)
}

/// Reports whether the target of a link exists.
fn leads(page: &File, link: &str) -> bool {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if path.is_empty() {
        return has_heading(&page.text, anchor);
    }
    let directory = Path::new(&page.path).parent().unwrap();
    let target = root().join(directory).join(path);
    let has_it = || has_heading(&fs::read_to_string(&target).unwrap(), anchor);
    target.exists() && (anchor.is_empty() || has_it())
}

fn broken_links(page: &File) -> Vec<String> {
    let (texts, _) = parts(&page.text);
    let links = texts.iter().flat_map(|text| text.split("](").skip(1));
    links
        .filter_map(|rest| Some(rest.split_once(')')?.0))
        .filter(|link| !link.contains("://") && !leads(page, link))
        .map(|link| format!("{}: {link}", page.path))
        .collect()
}

/// The lines of examples that rustdoc would hide, but a page shows.
fn hidden_lines(page: &File) -> Vec<String> {
    let (_, blocks) = parts(&page.text);
    let of_rust = blocks.iter().filter(|block| block.starts_with("rust"));
    of_rust
        .flat_map(|block| block.lines())
        .filter(|line| line.trim_start().starts_with("# ") || line.trim() == "#")
        .map(|line| format!("{}: {line}", page.path))
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let broken: Vec<String> = files(&[".md"]).iter().flat_map(broken_links).collect();
    assert_eq!(broken, [""; 0]);
}

/// The site has the pages of this list, each at the start of an item.
#[test]
fn every_page_is_in_the_list_of_pages_once() {
    let list = fs::read_to_string(root().join("docs/README.md")).unwrap();
    let items = list
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("- ["));
    let links = items.filter_map(|item| item.split_once("](")?.1.split_once(')'));
    let mut listed: Vec<_> = links.map(|(link, _)| format!("docs/{link}")).collect();
    listed.sort();
    let pages = files(&[".md"]).into_iter().map(|page| page.path);
    let is_page = |path: &String| path.starts_with("docs/") && path != "docs/README.md";
    assert_eq!(listed, pages.filter(is_page).collect::<Vec<_>>());
}

#[test]
fn every_example_can_be_pasted() {
    let hidden: Vec<String> = files(&[".md"]).iter().flat_map(hidden_lines).collect();
    assert_eq!(hidden, [""; 0]);
}

#[test]
fn every_example_runs() {
    let pages = files(&[".md"]);
    // A crate runs the examples of its own page.
    let left_out = pages.iter().filter(|page| {
        let runs = PAGES.contains(&&*page.path) || page.path.starts_with("crates/");
        page.text.contains("\n```rust") && !runs
    });
    let left_out: Vec<_> = left_out.map(|page| &page.path).collect();
    assert_eq!(left_out, [""; 0]);
}

/// The quotes in a page's headings, without their variable parts.
fn quotes(page: &str) -> impl Iterator<Item = &str> {
    let headings = page.lines().filter(|line| line.starts_with("### "));
    headings
        .flat_map(|heading| heading.split('`').skip(1).step_by(2))
        .flat_map(|quote| quote.split('…').map(str::trim))
}

#[test]
fn people_look_for_words_that_they_can_see() {
    let sources = files(&[".rs"]);
    let page = fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap();
    let is_said = |quote: &&str| sources.iter().any(|source| source.text.contains(*quote));
    let unsaid: Vec<_> = quotes(&page).filter(|quote| !is_said(quote)).collect();
    assert_eq!(unsaid, [""; 0]);
}
