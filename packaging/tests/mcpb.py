"""The MCP bundle, unpacked and started as a host does."""

import json

from .support import HOST, folder, one, run, serves


def test(home):
    tool = ["npx", "--yes", "@anthropic-ai/mcpb@2.1.2"]
    run(*tool, "unpack", one(f"plainly-*-{HOST}.mcpb"), home / "bundle")
    run(*tool, "validate", home / "bundle/manifest.json")
    server = json.loads((home / "bundle/manifest.json").read_text())["server"]
    program = server["mcp_config"]["command"].replace("${__dirname}", str(home / "bundle"))
    args = server["mcp_config"]["args"]
    files = folder(home)
    serves(program, *args[: args.index("${user_config.folders}")], files, directory=files)
