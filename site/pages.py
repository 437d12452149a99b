"""The pages of docs/ as mdBook reads them. docs/README.md is the list of all pages, and the first page of the book."""

import re
import shutil
from pathlib import Path

import plot

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
REPOSITORY = "https://github.com/plainly-mcp/plainly"

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
PICTURE = re.compile(r"^!\[[^]]*\]\((\S+\.svg)\)$", re.MULTILINE)
ITEM = re.compile(r"( *)- \[([^]]+)\]\(([^)#]+\.md)\)")


def stage(folder, version, more):
    """Writes the pages, their files and SUMMARY.md into `folder`, and adds the lines `more` to the first page."""
    for path in sorted(DOCS.rglob("*")):
        target = folder / path.relative_to(DOCS)
        if path.suffix == ".md":
            target.parent.mkdir(parents=True, exist_ok=True)
            _staged(target).write_text(_page(path, version))
        elif path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    first = folder / "index.md"
    (folder / "SUMMARY.md").write_text(_summary(first.read_text()))
    with first.open("a") as file:
        file.write(f"\n{more}\n")


def _staged(path):
    """The book has `index.html` where GitHub shows README.md."""
    return path.with_name("index.md") if path.name == "README.md" else path


def _page(path, version):
    def link(found):
        target = (path.parent / found[1]).resolve()
        if target.is_relative_to(DOCS):
            return str(_staged(Path(found[1])))
        kind = "tree" if target.is_dir() else "blob"
        return f"{REPOSITORY}/{kind}/{version}/{target.relative_to(ROOT)}"

    # Odd parts are code.
    parts = path.read_text().split("\n```")
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "\n```".join(parts)


def draw(folder):
    """Puts each picture into its page, where it has the colours that the reader has chosen."""
    for path in folder.rglob("*.md"):
        text = plot.add(path.read_text())
        path.write_text(PICTURE.sub(lambda found: (path.parent / found[1]).read_text().strip(), text))


def _summary(first):
    """The list as mdBook wants it: its headings are parts, and the first link of each item is a page."""
    lines = ["# Summary", "", "[All pages](index.md)", ""]
    for line in first.splitlines():
        if line.startswith("## "):
            lines += ["", f"#{line[2:]}", ""]
        elif item := ITEM.match(line):
            indent, title, path = item.groups()
            lines.append(f"{indent}- [{title}]({path})")
    return "\n".join(lines) + "\n"
