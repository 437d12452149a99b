"""The entry for the MCP registry: the packages above, as a host finds and starts them."""

import json

from . import facts

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
FOLDER = {
    "type": "positional",
    "valueHint": "folder",
    "description": "A folder to serve",
    "isRequired": True,
    "isRepeated": True,
    "format": "filepath",
}


def write(binaries, sums, out):
    stdio = {
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "serve"}, {"type": "named", "name": "--stdio"}, FOLDER],
    }
    packages = [
        {"registryType": kind, "registryBaseUrl": base, "identifier": "plainly", "version": version, **stdio}
        for kind, base, version in [
            ("npm", "https://registry.npmjs.org", facts.VERSION),
            ("pypi", "https://pypi.org", facts.PYTHON_VERSION),
        ]
    ]
    for binary in binaries:
        name = f"plainly-{facts.VERSION}-{binary.name}.mcpb"
        bundle = {
            "registryType": "mcpb",
            "identifier": f"{facts.HOMEPAGE}/releases/download/v{facts.VERSION}/{name}",
            "fileSha256": sums[name],
            "transport": {"type": "stdio"},
        }
        packages.append(bundle)
    entry = {
        "$schema": SCHEMA,
        "name": facts.REGISTRY_NAME,
        "title": "plainly",
        "description": facts.SUMMARY,
        "version": facts.VERSION,
        "repository": {"url": facts.HOMEPAGE, "source": "github"},
        "packages": packages,
    }
    (out / "server.json").write_text(json.dumps(entry, indent=2) + "\n")
