"""The apk package, unpacked into a root that has nothing else: no loader, no library, no shell."""

from .support import MACHINE, OUT, VERSION, folder, run, serves


def test(home):
    packages = list(OUT.glob(f"plainly_*_{MACHINE}.apk"))
    if not packages:
        return "the program is not static, and Alpine has another libc"
    root = home / "root"
    root.mkdir()
    run("tar", "--extract", "--gzip", "--file", packages[0], "--directory", root)
    facts = dict(line.split(" = ", 1) for line in (root / ".PKGINFO").read_text().splitlines() if " = " in line)
    assert (facts["pkgname"], facts["arch"]) == ("plainly", MACHINE) and facts["pkgver"].startswith(VERSION.partition("-")[0]), facts
    assert "depend" not in facts, facts
    alone = ["bwrap", "--die-with-parent", "--bind", root, "/", "--proc", "/proc", "--dev", "/dev"]
    assert VERSION in run(*alone, "/usr/bin/plainly", "--version")
    served = folder(root / "usr")
    serves(*alone, "/usr/bin/plainly", "serve", "--stdio", "/usr/blank é", directory=served)
    return None
