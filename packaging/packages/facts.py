"""The facts about the project that packages repeat. The version stands in the Cargo.toml of the workspace alone."""

import os
import re
import subprocess
import tomllib
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
# A version before a release, such as 0.2.0-beta.1, as Python and Debian order it: 0.2.0b1 and 0.2.0~beta.1.
PYTHON_VERSION = re.sub(r"-(a|b|rc)[a-z]*\.", r"\1", VERSION)
DEBIAN_VERSION = VERSION.replace("-", "~")
# The time of every file in every package, so that one commit gives the same packages twice.
TIME = int(os.environ.get("SOURCE_DATE_EPOCH") or subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT))
DATE = datetime.fromtimestamp(TIME, UTC)
HOMEPAGE = "https://github.com/plainly-mcp/plainly"
AUTHOR = "The plainly authors"
MAINTAINER = "The plainly authors <plainly@users.noreply.github.com>"
LICENSE = "MIT OR Apache-2.0"
# At most 100 characters: the registry accepts no more.
SUMMARY = "Serve files to MCP hosts, and call, test and script MCP servers"
REGISTRY_NAME = "io.github.plainly-mcp/plainly"
LICENSES = [ROOT / "LICENSE-MIT", ROOT / "LICENSE-APACHE"]
README = ROOT / "README.md"
