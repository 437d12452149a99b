"""The archive, unpacked, used by users who have no home or may not write to it, and unpacked again over itself."""

import os
import signal
import subprocess

from .support import HOST, VERSION, ends_at, ends_when_killed, folder, one, run, serves


def test(home):
    package = one(f"plainly-*-{HOST}.tar.xz")
    # The second installs over the first.
    for _ in range(2):
        run("tar", "--extract", "--file", package, "--directory", home)
    root = home / f"plainly-{VERSION}-{HOST}"
    program = root / "plainly"
    assert VERSION in run(program, "--version")
    assert (root / "man/plainly-serve.1").is_file() and (root / "completions/_plainly").is_file()
    files = folder(home)
    serve = [program, "serve", "--stdio", files]
    serves(*serve, directory=files)
    serves("env", "--unset=HOME", *serve, directory=files)
    serves(*read_only(), *serve, directory=files, env={**os.environ, "HOME": str(home)})
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        ends_at(name, [program], files)
    ends_when_killed([program], files)
    run(*serve, stdin=subprocess.DEVNULL)


def read_only():
    """A command that runs another where nothing can be written."""
    return ["bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
