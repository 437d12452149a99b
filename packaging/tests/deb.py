"""The Debian package, in a fresh Debian without Rust."""

import re
import shutil

from .support import DEBIAN, VERSION, folder, one, run, serves

SUITE = "trixie"


def test(home):
    package = one(f"plainly_*_{DEBIAN}.deb")
    complaints = run("lintian", "--allow-root", "--fail-on", "error,warning", package)
    assert not re.search(r"^[EW]: ", complaints, re.MULTILINE), complaints
    root = home / "root"
    run("debootstrap", "--variant=minbase", SUITE, root, "http://deb.debian.org/debian")
    before = files(root)
    shutil.copy(package, root)
    here = ["bwrap", "--die-with-parent", "--bind", root, "/", "--proc", "/proc", "--dev", "/dev"]
    # Twice: the second installs over the first.
    for _ in range(2):
        run(*here, "dpkg", "--install", f"/{package.name}")
    assert VERSION in run(*here, "plainly", "--version")
    unit = (root / "usr/lib/systemd/system/plainly@.service").read_text()
    assert "DynamicUser=yes" in unit
    served = folder(root / "srv")
    serves(*here, "plainly", "serve", "--stdio", "/srv/blank é", directory=served)
    run(*here, "dpkg", "--purge", "plainly")
    left = files(root) - before
    assert not left, left


def files(root):
    """The files of the packages of `root`."""
    return {path for folder in ("usr", "etc", "lib") for path in (root / folder).rglob("*plainly*")}
