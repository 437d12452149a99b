"""The wheel, by pip, uv and pipx."""

import os
import re

from .support import VERSION, folder, one, run, serves, tools


def test(home):
    tool = tools(home, "twine", "check-wheel-contents", "auditwheel", "uv", "pipx")
    package = one("plainly-*.whl")
    run(tool / "pip", "install", "--no-index", package)
    assert VERSION in run(tool / "plainly", "--version")
    serves(tool / "plainly", "serve", "--stdio", folder(home), directory=home / "blank é")
    run(tool / "pip", "uninstall", "--yes", "plainly")
    assert not (tool / "plainly").exists()
    assert "PASSED" in run(tool / "twine", "--no-color", "check", "--strict", package)
    # W007 is about the name of a module, and there is none in it.
    run(tool / "check-wheel-contents", "--ignore", "W007", package)
    constraint = re.search(r'platform tag to\s+"(\w+)"', run(tool / "auditwheel", "show", package))[1]
    assert constraint in package.name, (constraint, package)
    assert VERSION in run(tool / "uvx", "--no-index", "--from", package, "plainly", "--version")
    pipx = {**os.environ, "PIPX_HOME": str(home / "pipx"), "PIPX_BIN_DIR": str(home / "bin"), "PIP_NO_INDEX": "1"}
    run(tool / "pipx", "install", "--skip-maintenance", package, env=pipx)
    assert VERSION in run(home / "bin/plainly", "--version")
    run(tool / "pipx", "uninstall", "plainly", env=pipx)
    assert not (home / "bin/plainly").exists()
