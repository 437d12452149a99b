"""An MCP bundle: a host installs it by a click, and asks the user for the folders to serve."""

import json

from . import facts
from .archive import File, zipped


def pack(binary, _pages, out):
    program = f"server/{binary.file_name}"
    manifest = {
        "manifest_version": "0.4",
        "name": "plainly",
        "display_name": "plainly: your folders",
        "version": facts.VERSION,
        "description": "Serves the folders that you choose, read-only",
        "author": {"name": facts.AUTHOR, "url": facts.HOMEPAGE},
        "homepage": facts.HOMEPAGE,
        "repository": {"type": "git", "url": f"{facts.HOMEPAGE}.git"},
        "license": facts.LICENSE,
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": f"${{__dirname}}/{program}",
                "args": ["serve", "--stdio", "${user_config.folders}"],
                "env": {"PLAINLY_INSTALLED": "mcpb"},
            },
        },
        "tools_generated": True,
        "user_config": {
            "folders": {
                "type": "directory",
                "title": "Folders",
                "description": "The folders whose files the host may read",
                "multiple": True,
                "required": True,
            }
        },
        "compatibility": {"platforms": [binary.target.npm[0]]},
    }
    files = {
        "manifest.json": File((json.dumps(manifest, indent=2) + "\n").encode()),
        program: File(binary.content, is_program=True),
    }
    for path in facts.LICENSES:
        files[path.name] = File(path.read_bytes())
    path = out / f"plainly-{facts.VERSION}-{binary.name}.mcpb"
    path.write_bytes(zipped(files))
    return [path]
