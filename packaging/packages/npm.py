"""npm: `plainly` is a launcher of a kilobyte, and a package for each platform has the program. npm installs the one that fits."""

import json

from . import facts
from .archive import File, gzipped, tar
from .facts import ROOT

SCOPE = "@plainly-mcp"


def name_of(binary):
    return f"{SCOPE}/cli-{'-'.join(binary.target.npm)}"


def pack(binary, _pages, out):
    system, processor = binary.target.npm
    package = {
        **common(name_of(binary)),
        "description": f"The program plainly for {system} {processor}",
        "os": [system],
        "cpu": [processor],
        "preferUnplugged": True,
    }
    return [write(package, {binary.file_name: File(binary.content, is_program=True)}, out)]


def pack_launcher(binaries, out):
    package = {
        **common("plainly"),
        "description": facts.SUMMARY,
        "mcpName": facts.REGISTRY_NAME,
        "bin": {"plainly": "plainly.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {name_of(binary): facts.VERSION for binary in binaries},
    }
    # The launcher of `plainly package`, which says how the program was installed.
    launcher = (ROOT / "crates/plainly-commands/src/command/package/launcher.js").read_text()
    start = '"use strict";\n'
    launcher = launcher.replace(start, start + 'process.env.PLAINLY_INSTALLED ??= "npm";\n', 1)
    launcher = File(launcher.encode(), is_program=True)
    return [write(package, {"plainly.js": launcher}, out)]


def common(name):
    return {
        "name": name,
        "version": facts.VERSION,
        "license": facts.LICENSE,
        "author": facts.AUTHOR,
        "homepage": facts.HOMEPAGE,
        "repository": {"type": "git", "url": f"git+{facts.HOMEPAGE}.git"},
    }


def write(package, files, out):
    files["package.json"] = File((json.dumps(package, indent=2) + "\n").encode())
    for path in [facts.README, *facts.LICENSES]:
        files[path.name] = File(path.read_bytes())
    name = package["name"].removeprefix("@").replace("/", "-")
    path = out / f"{name}-{facts.VERSION}.tgz"
    path.write_bytes(gzipped(tar({f"package/{name}": file for name, file in files.items()})))
    return path
