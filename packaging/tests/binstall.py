"""What `cargo binstall` downloads: the templates of the manifest lead to the archives, and to the program in them."""

import re
import tomllib

from packages import archive
from packages.binary import TARGETS
from packages.facts import HOMEPAGE, ROOT

from .support import HOST, OUT, VERSION, run

# How binstall names the systems.
FAMILIES = {"linux": "linux", "windows": "windows", "macos": "darwin"}
# The triples of its users, where programs for other triples run too.
TRIPLES = {
    "x86_64-linux": ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"],
    "aarch64-linux": ["aarch64-unknown-linux-gnu", "aarch64-unknown-linux-musl"],
    "x86_64-windows": ["x86_64-pc-windows-msvc"],
}


def test(_home):
    manifest = tomllib.loads((ROOT / "crates/plainly-cli/Cargo.toml").read_text())["package"]["metadata"]["binstall"]
    for target in TARGETS:
        for triple in TRIPLES.get(target, [TARGETS[target].rust]):
            templates = manifest | manifest["overrides"].get(triple, {})
            processor, system = target.split("-")
            suffix = TARGETS[target].suffix
            values = {"repo": HOMEPAGE, "version": VERSION, "bin": "plainly", "binary-ext": suffix}
            values |= {"target-arch": processor, "target-family": FAMILIES[system]}
            url, place = (expanded(templates[key], values) for key in ("pkg-url", "bin-dir"))
            assert url == f"{HOMEPAGE}/releases/download/v{VERSION}/{archive.name_of(target)}", url
            assert place == f"{archive.folder_of(target)}/plainly{suffix}", place
            assert templates["pkg-fmt"] == ("zip" if suffix else "txz")
            if target == HOST:
                assert place in run("tar", "--list", "--file", OUT / url.rsplit("/", 1)[1]).splitlines()


def expanded(template, values):
    return re.sub(r"\{ ([a-z-]+) \}", lambda found: values[found[1]], template)
