"""The packages that `plainly package` makes of a server: checked by the tools of each registry, installed, and called."""

import json

from .support import CALLER, folder, is_audited, run, serves, tools

REPOSITORY = "https://github.com/me/folder-server"


def test(home):
    files = folder(home)
    serve = ["serve", "--stdio", files]
    options = ["--name", "io.github.me/folder-server", "--npm", "@me/folder-server", "--pypi", "folder-server"]
    more = ["--repository", REPOSITORY, "--license", "MIT", "--description", "A folder", "--env", "SOME_TOKEN=of-mine", "--json"]
    # Any program that is a server will do. Its symbols would take the longest to compress.
    program = home / "program"
    run("strip", "-o", program, CALLER)
    made = json.loads(run(CALLER, "package", program, *options, *more, "--", *serve, cwd=home))
    packages = {(it["kind"], bool(it["platform"])): home / it["path"] for it in made["packages"]}
    launcher, program, wheel, bundle = (packages[key] for key in [("npm", False), ("npm", True), ("pypi", True), ("mcpb", True)])
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=home / "dist")

    project = home / "project"
    project.mkdir()
    run("npm", "install", "--offline", launcher, program, cwd=project)
    command = project / "node_modules/.bin/folder-server"
    serves("npx", "--offline", "@me/folder-server", *serve, directory=files, cwd=project)
    run(command, "no-such-command", status=2)
    program_of_launcher = next((project / "node_modules/@me").glob("folder-server-*/folder-server"))
    program_of_launcher.chmod(0o644)
    words = run(command, status=126)
    assert f"cannot start {program_of_launcher}: " in words and "EACCES" in words, words
    program_of_launcher.unlink()
    assert "npm has not installed @me/folder-server-" in run(command, status=127)

    tool = tools(home, "twine", "check-wheel-contents", "auditwheel", "skillsaw")
    run(tool / "pip", "install", "--no-index", wheel)
    serves(tool / "folder-server", *serve, directory=files)
    assert "PASSED" in run(tool / "twine", "--no-color", "check", "--strict", wheel)
    # W007 is about the name of a module, and there is none in it.
    run(tool / "check-wheel-contents", "--ignore", "W007", wheel)
    is_audited(tool, wheel)

    mcpb = ["npx", "--yes", "@anthropic-ai/mcpb@2.1.2"]
    run(*mcpb, "unpack", bundle, home / "bundle")
    run(*mcpb, "validate", home / "bundle/manifest.json")
    server = json.loads((home / "bundle/manifest.json").read_text())["server"]["mcp_config"]
    serves(server["command"].replace("${__dirname}", str(home / "bundle")), *server["args"], directory=files)
    assert server["env"] == {"SOME_TOKEN": "${user_config.SOME_TOKEN}"}, server

    # Alone, as the tool takes other files beside it for parts of a repository.
    entry = home / "entry/server.json"
    entry.parent.mkdir()
    entry.write_bytes((home / "dist/server.json").read_bytes())
    run(tool / "skillsaw", "lint", "--strict", entry)
