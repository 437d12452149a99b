"""The bill of materials in CycloneDX: each crate that is in the program, with its license and the sum of its source."""

import json
import subprocess
import tomllib
import uuid
from functools import cache

from . import facts
from .facts import ROOT


def pack(binary, _pages, out):
    path = out / f"plainly-{facts.VERSION}-{binary.name}.cdx.json"
    path.write_bytes(bill(binary.target.rust))
    return [path]


@cache
def bill(target):
    """The bill for the program on this target, as JSON."""
    command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={target}"]
    metadata = json.loads(subprocess.check_output([*command, "--manifest-path", ROOT / "crates/plainly-cli/Cargo.toml"]))
    crates = {crate["id"]: crate for crate in metadata["packages"]}
    compiled = names(target)
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = metadata["resolve"]["root"]
    needs, left = {}, [root]
    while left:
        crate = left.pop()
        if crate not in needs:
            needs[crate] = sorted(dependency for dependency in linked(nodes[crate]) if name(crates[dependency]) in compiled)
            left += needs[crate]
    sums = checksums()
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{facts.HOMEPAGE}#{facts.VERSION}-{target}-{facts.TIME}')}",
        "version": 1,
        "metadata": {"timestamp": facts.DATE.isoformat(), "component": component(crates[root], "application", sums)},
        "components": [component(crates[crate], "library", sums) for crate in sorted(needs) if crate != root],
        "dependencies": [{"ref": purl(crates[crate]), "dependsOn": [purl(crates[it]) for it in needs[crate]]} for crate in sorted(needs)],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def linked(node):
    """The crates that end up in the program with this one."""
    kinds = {dependency["pkg"]: {kind["kind"] for kind in dependency["dep_kinds"]} for dependency in node["deps"]}
    return [crate for crate, kind in kinds.items() if None in kind]


def names(target):
    """The names of all crates that are in the program: the metadata also have those of features of other programs here."""
    command = ["cargo", "tree", "--locked", "--package=plainly-cli", "--edges=normal,no-proc-macro", f"--target={target}"]
    lines = subprocess.check_output([*command, "--prefix=none", "--format={p}"], cwd=ROOT, text=True).splitlines()
    return {" ".join(line.split()[:2]) for line in lines}


def name(crate):
    """The name of a crate as `cargo tree` writes it."""
    return f"{crate['name']} v{crate['version']}"


def checksums():
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(crate["name"], crate["version"]): crate["checksum"] for crate in lock["package"] if "checksum" in crate}


def purl(crate):
    return f"pkg:cargo/{crate['name']}@{crate['version']}"


def component(crate, kind, sums):
    found = {"type": kind, "bom-ref": purl(crate), "name": crate["name"], "version": crate["version"], "purl": purl(crate)}
    if crate["license"]:
        # Old crates write a slash.
        found["licenses"] = [{"expression": crate["license"].replace("/", " OR ")}]
    if digest := sums.get((crate["name"], crate["version"])):
        found["hashes"] = [{"alg": "SHA-256", "content": digest}]
    if crate["repository"]:
        found["externalReferences"] = [{"type": "vcs", "url": crate["repository"]}]
    return found
