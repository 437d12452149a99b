"""The files that packages of Linux distributions install: the program, its man pages and completions, and a unit to serve a directory
with systemd."""

from email.utils import format_datetime

from . import facts
from .archive import File, gzipped
from .facts import ROOT

SUMMARY = "serve files to MCP hosts, and call MCP servers"
DESCRIPTION = [
    "One program for the Model Context Protocol: it serves directories to hosts",
    "such as editors and assistants, read-only, and calls, tests and scripts",
    "other servers from the command line.",
]
COPYRIGHT = f"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: plainly
Source: {facts.HOMEPAGE}

Files: *
Copyright: {facts.AUTHOR}
License: MIT or Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0. The text of the MIT license:
 .
"""
CHANGELOG = f"""plainly ({facts.DEBIAN_VERSION}) unstable; urgency=medium

  * See {facts.HOMEPAGE}/blob/main/CHANGELOG.md

 -- {facts.MAINTAINER}  {format_datetime(facts.DATE)}
"""


def files(kind, binary, pages):
    """The files of a package of this kind (deb, rpm, apk), by their paths."""
    share = "usr/share"
    zsh = "vendor-completions" if kind == "deb" else "site-functions"
    found = {
        "usr/bin/plainly": File(binary.content, is_program=True),
        f"{share}/bash-completion/completions/plainly": File(pages.completions["plainly.bash"]),
        f"{share}/zsh/{zsh}/_plainly": File(pages.completions["_plainly"]),
        f"{share}/fish/vendor_completions.d/plainly.fish": File(pages.completions["plainly.fish"]),
    }
    for page, content in pages.man.items():
        found[f"{share}/man/man1/{page}.gz"] = File(gzipped(content))
    if kind != "apk":
        unit = (ROOT / "packaging/plainly@.service").read_bytes()
        found["usr/lib/systemd/system/plainly@.service"] = File(unit)
    if kind == "deb":
        found[f"{share}/doc/plainly/changelog.gz"] = File(gzipped(CHANGELOG.encode()))
        found[f"{share}/doc/plainly/copyright"] = File((COPYRIGHT + mit()).encode())
    else:
        found |= {f"{share}/licenses/plainly/{path.name}": File(path.read_bytes()) for path in facts.LICENSES}
    return found


def mit():
    """The text of the license as a paragraph of Debian's copyright file."""
    lines = facts.LICENSES[0].read_text().splitlines()
    return "".join(f" {line or '.'}\n" for line in lines)
