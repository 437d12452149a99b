"""A Debian package, which dpkg-deb writes."""

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from . import facts, tree
from .archive import File

# lintian takes a static program that can be placed anywhere for a library.
OVERRIDES = b"plainly: shared-library-lacks-prerequisites [usr/bin/plainly]\n"


def pack(binary, pages, out):
    if binary.target.linux is None:
        return []
    files = tree.files("deb", binary, pages)
    if binary.glibc is None:
        files["usr/share/lintian/overrides/plainly"] = File(OVERRIDES)
    path = out / f"plainly_{facts.DEBIAN_VERSION}_{binary.target.linux}.deb"
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


def control(binary, files):
    size = sum(-(-len(file.content) // 1024) for file in files.values())
    needs = []
    if binary.glibc is not None:
        needs.append("libc6 (>= {}.{})".format(*binary.glibc))
    if binary.needs_libgcc:
        needs.append("libgcc-s1")
    lines = [
        "Package: plainly",
        f"Version: {facts.DEBIAN_VERSION}",
        f"Architecture: {binary.target.linux}",
        f"Maintainer: {facts.MAINTAINER}",
        f"Installed-Size: {size}",
        *([f"Depends: {', '.join(needs)}"] if needs else []),
        "Recommends: ca-certificates",
        "Section: net",
        "Priority: optional",
        f"Homepage: {facts.HOMEPAGE}",
        f"Description: {tree.SUMMARY}",
        *[f" {line}" for line in tree.DESCRIPTION],
    ]
    sums = [f"{hashlib.md5(file.content).hexdigest()}  {path}\n" for path, file in sorted(files.items())]
    return {"DEBIAN/control": File(("\n".join(lines) + "\n").encode()), "DEBIAN/md5sums": File("".join(sums).encode())}
