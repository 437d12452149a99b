#!/usr/bin/env python3
"""Holds what the published crates need against deny.toml, without the minutes that cargo-deny takes to build: licences, banned
crates, versions, sources. What a crate needs on any platform counts, what only its tests need does not.

cargo metadata --locked --all-features --format-version 1 | .ci/dependencies.py deny.toml
"""

import json
import re
import sys
import tomllib

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def permissive(expression, allowed):
    """Whether an SPDX expression can be satisfied; an exception only adds rights."""
    expression = re.sub(r" WITH [\w.-]+", "", expression).replace("/", " OR ")
    words = re.findall(r"[\w.+-]+|[()]", expression)
    python = [word.lower() if word in ("AND", "OR") else word if word in "()" else str(word in allowed) for word in words]
    return bool(python) and eval(" ".join(python))


def shipped(metadata):
    """The packages in builds of the published crates, and of each who needs it."""
    packages = {package["id"]: package for package in metadata["packages"]}
    needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    waiting = [member for member in metadata["workspace_members"] if packages[member]["publish"] != []]
    needed_by = {member: set() for member in waiting}
    while waiting:
        needing = waiting.pop()
        for need in needs[needing]:
            if any(kind["kind"] != "dev" for kind in need["dep_kinds"]):
                if need["pkg"] not in needed_by:
                    needed_by[need["pkg"]] = set()
                    waiting.append(need["pkg"])
                needed_by[need["pkg"]].add(packages[needing]["name"])
    return {package: packages[package] for package in needed_by}, needed_by


def matches(package, spec):
    """Whether a package is what `name` or `name@version` says."""
    name, _, version = spec.partition("@")
    return package["name"] == name and (package["version"] + ".").startswith(version + "." if version else "")


def wrong(package, needed_by, rules):
    """What is wrong with one package."""
    if not permissive(package["license"] or "", rules["licenses"]["allow"]):
        yield f"licence {package['license']}"
    if package["source"] not in (None, CRATES_IO):
        yield f"from {package['source']}"
    for ban in rules["bans"]["deny"]:
        if matches(package, ban["crate"]) and not needed_by <= set(ban.get("wrappers", [])):
            yield f"banned: {ban['reason']}"


def twice(packages, needs, rules):
    """What is there in several versions without a reason, and the reasons that nothing needs any more."""
    skips = rules["bans"]["skip"]
    trees = rules["bans"]["skip-tree"]
    versions = {}
    for package in packages.values():
        versions.setdefault(package["name"], []).append(package)
    for package in packages.values():
        by = {need for need in needs[package["id"]]}
        skipped = any(matches(package, skip["crate"]) for skip in skips + trees) or by & {
            tree["crate"].partition("@")[0] for tree in trees
        }
        versions[package["name"]] = [one for one in versions[package["name"]] if one is not package or not skipped]
    for name, several in versions.items():
        if len(several) > 1:
            yield f"{name} is there as " + " and ".join(sorted(one["version"] for one in several))
    for skip in skips + trees:
        if not any(matches(package, skip["crate"]) for package in packages.values()):
            yield f"{skip['crate']} is skipped and not there"


def main():
    with open(sys.argv[1], "rb") as file:
        rules = tomllib.load(file)
    packages, needed_by = shipped(json.load(sys.stdin))
    found = [
        f"{package['name']} {package['version']}: {why}"
        for package in packages.values()
        for why in wrong(package, needed_by[package["id"]], rules)
    ]
    found += twice(packages, needed_by, rules)
    print(*sorted(found), f"{len(packages)} crates, {len(found)} wrong", sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
