"""The wheel, by pip, uv and pipx."""

import os
import shutil
import signal

from .support import MACHINE, VERSION, ends_at, ends_when_killed, ends_with_input, folder, is_audited, one, run, serves, tools


def test(home):
    tool = tools(home, "twine", "check-wheel-contents", "auditwheel", "uv", "pipx")
    package = one(f"plainly-*linux*_{MACHINE}.whl")
    for again in ([], ["--force-reinstall"]):
        run(tool / "pip", "install", "--no-index", *again, package)
    assert VERSION in run(tool / "plainly", "--version")
    files = folder(home)
    serves(tool / "plainly", "serve", "--stdio", files, directory=files)
    ends_when_killed([tool / "plainly"], files)
    run(tool / "pip", "uninstall", "--yes", "plainly")
    assert not (tool / "plainly").exists()
    assert "PASSED" in run(tool / "twine", "--no-color", "check", "--strict", package)
    # W007 is about the name of a module, and there is none in it.
    run(tool / "check-wheel-contents", "--ignore", "W007", package)
    is_audited(tool, package)
    uvx = [tool / "uvx", "--no-index", "--from", package, "plainly"]
    assert VERSION in run(*uvx, "--version")
    ends_at(signal.SIGTERM, uvx, files)
    ends_with_input(signal.SIGKILL, uvx, files)
    foreign = shutil.copy(package, home / (package.name.rpartition("-")[0] + "-win_arm64.whl"))
    assert "not a supported wheel on this platform" in run(tool / "pip", "install", "--no-index", foreign, status=1)
    pipx = {**os.environ, "PIPX_HOME": str(home / "pipx"), "PIPX_BIN_DIR": str(home / "bin"), "PIP_NO_INDEX": "1"}
    for again in ([], ["--force"]):
        run(tool / "pipx", "install", "--skip-maintenance", *again, package, env=pipx)
    assert VERSION in run(home / "bin/plainly", "--version")
    run(tool / "pipx", "uninstall", "plainly", env=pipx)
    assert not (home / "bin/plainly").exists()
