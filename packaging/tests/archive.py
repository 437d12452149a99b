"""The archive, unpacked."""

from .support import HOST, VERSION, folder, one, run, serves


def test(home):
    run("tar", "--extract", "--file", one(f"plainly-*-{HOST}.tar.xz"), "--directory", home)
    root = home / f"plainly-{VERSION}-{HOST}"
    assert VERSION in run(root / "plainly", "--version")
    assert (root / "man/plainly-serve.1").is_file() and (root / "completions/_plainly").is_file()
    serves(root / "plainly", "serve", "--stdio", folder(home), directory=home / "blank é")
