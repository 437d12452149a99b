"""The rpm package, in a root of its own."""

from .support import MACHINE, VERSION, folder, one, run, serves


def test(home):
    package = one(f"plainly-*.{MACHINE}.rpm")
    root = ["rpm", "--root", home / "root"]
    (home / "root").mkdir()
    run(*root, "--initdb")
    # There is no other package in the root that it could need.
    run(*root, "--install", "--nodeps", package)
    # The second installs over the first.
    run(*root, "--upgrade", "--replacepkgs", "--nodeps", package)
    run(*root, "--verify", "--nodeps", "plainly")
    program = home / "root/usr/bin/plainly"
    assert VERSION in run(program, "--version")
    serves(program, "serve", "--stdio", folder(home), directory=home / "blank é")
    run(*root, "--erase", "plainly")
    assert not program.exists()
