"""A Debian package: the program, its man pages and completions, and a unit to serve a directory with systemd."""

import hashlib
import os
import subprocess
import tempfile
from email.utils import format_datetime
from pathlib import Path

from . import facts
from .archive import File, gzipped
from .facts import ROOT

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
CHANGELOG = f"""plainly ({facts.VERSION}) unstable; urgency=medium

  * See {facts.HOMEPAGE}/blob/main/CHANGELOG.md

 -- {facts.MAINTAINER}  {format_datetime(facts.DATE)}
"""


def pack(binary, pages, out):
    if binary.target.debian is None:
        return []
    files = tree(binary, pages)
    path = out / f"plainly_{facts.VERSION}_{binary.target.debian}.deb"
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        root.chmod(0o755)
        for name, file in {**files, **control(binary, files)}.items():
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
            place.chmod(file.mode)
        for place in root.rglob("*"):
            if place.is_dir():
                place.chmod(0o755)
            os.utime(place, (facts.TIME, facts.TIME))
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(path)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(facts.TIME)}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return [path]


def tree(binary, pages):
    share = "usr/share"
    files = {
        "usr/bin/plainly": File(binary.content, is_program=True),
        "usr/lib/systemd/system/plainly@.service": File((ROOT / "packaging/plainly@.service").read_bytes()),
        f"{share}/bash-completion/completions/plainly": File(pages.completions["plainly.bash"]),
        f"{share}/zsh/vendor-completions/_plainly": File(pages.completions["_plainly"]),
        f"{share}/fish/vendor_completions.d/plainly.fish": File(pages.completions["plainly.fish"]),
        f"{share}/doc/plainly/changelog.gz": File(gzipped(CHANGELOG.encode())),
        f"{share}/doc/plainly/copyright": File((COPYRIGHT + mit()).encode()),
    }
    for page, content in pages.man.items():
        files[f"{share}/man/man1/{page}.gz"] = File(gzipped(content))
    return files


def mit():
    """The text of the license as a paragraph of the copyright file."""
    lines = facts.LICENSES[0].read_text().splitlines()
    return "".join(f" {line or '.'}\n" for line in lines)


def control(binary, files):
    size = sum(-(-len(file.content) // 1024) for file in files.values())
    needs = []
    if binary.glibc is not None:
        needs.append("libc6 (>= {}.{})".format(*binary.glibc))
    if binary.needs_libgcc:
        needs.append("libgcc-s1")
    lines = [
        "Package: plainly",
        f"Version: {facts.VERSION}",
        f"Architecture: {binary.target.debian}",
        f"Maintainer: {facts.MAINTAINER}",
        f"Installed-Size: {size}",
        *([f"Depends: {', '.join(needs)}"] if needs else []),
        "Recommends: ca-certificates",
        "Section: net",
        "Priority: optional",
        f"Homepage: {facts.HOMEPAGE}",
        "Description: serve files to MCP hosts, and call MCP servers",
        " One program for the Model Context Protocol: it serves directories to hosts",
        " such as editors and assistants, read-only, and calls, tests and scripts",
        " other servers from the command line.",
    ]
    sums = [f"{hashlib.md5(file.content).hexdigest()}  {path}\n" for path, file in sorted(files.items())]
    return {"DEBIAN/control": File(("\n".join(lines) + "\n").encode()), "DEBIAN/md5sums": File("".join(sums).encode())}
