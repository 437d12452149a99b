"""The npm packages, from a registry on this machine."""

import hashlib
import http.server
import json
import os
import shutil
import signal
import subprocess
import threading
import urllib.parse
from pathlib import Path

from .support import NPM, OUT, VERSION, ends_at, ends_when_killed, ends_with_input, folder, one, run, serves

# The first runs the program as a child, and the others become it.
NODES = (20, 22, 24)


def test(home):
    registry = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    registry.is_corrupt = False
    threading.Thread(target=registry.serve_forever, daemon=True).start()
    environment = {
        **os.environ,
        "npm_config_registry": f"http://127.0.0.1:{registry.server_port}/",
        "npm_config_cache": str(home / "cache"),
        "npm_config_update_notifier": "false",
    }
    files = folder(home)
    npx = ["npx", "--yes", f"plainly@{VERSION}"]
    assert VERSION in run(*npx, "--version", env=environment, cwd=home)
    assert VERSION in run(*npx[:1], "--offline", *npx[1:], "--version", env=environment, cwd=home)
    serves(*npx, "serve", "--stdio", files, directory=files, env=environment, cwd=home)
    # npm passes on no signal, so the end of the input must reach the program.
    for name in (signal.SIGTERM, signal.SIGKILL):
        ends_with_input(name, npx, files, env=environment, cwd=home)
    # What npx downloads does not last, so a host starts npx.
    configuration = run(*npx, "serve", files, "--print-config", "vscode", env=environment, cwd=home)
    assert '"npx"' in configuration and f"plainly@{VERSION}" in configuration, configuration
    project = home / "project"
    project.mkdir()
    run("npm", "install", "plainly", env=environment, cwd=project)
    launcher = project / "node_modules/.bin/plainly"
    for version in NODES:
        becomes_the_program(version, launcher, files, home, environment)
    no_home = {"PATH": os.environ["PATH"]}
    assert VERSION in run(launcher, "--version", env=no_home)
    for_other_systems(launcher, home, environment)
    # A second installation mends the first.
    shutil.rmtree(project / "node_modules/@plainly-mcp")
    assert f"npm has not installed @plainly-mcp/cli-linux-{NPM}" in run(launcher, "--version", status=127)
    for _ in range(2):
        run("npm", "install", "plainly", env=environment, cwd=project)
        assert VERSION in run(launcher, "--version")
    run("npm", "uninstall", "plainly", env=environment, cwd=project)
    assert not launcher.exists()
    registry.is_corrupt = True
    elsewhere = {**environment, "npm_config_cache": str(home / "elsewhere"), "npm_config_fetch_retries": "0"}
    assert "EINTEGRITY" in run(*npx, "--version", env=elsewhere, cwd=home, status=1)
    registry.shutdown()


def becomes_the_program(version, launcher, files, home, environment):
    """Checks that the exit code of the program, signals and the end of its input pass the launcher on this Node."""
    place = home / f"node{version}"
    place.mkdir()
    public = {name: value for name, value in environment.items() if name != "npm_config_registry"}
    run("npm", "install", f"node@{version}", env=public, cwd=place)
    node = place / "node_modules/node/bin/node"
    command = [node, launcher.resolve()]
    assert run(node, "--version").startswith(f"v{version}."), version
    run(*command, "no-such-command", status=2)
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        ends_at(name, command, files)
    run(*command, "serve", "--stdio", files, stdin=subprocess.DEVNULL)
    serves(*command, "serve", "--stdio", files, directory=files)
    if version < 22:
        ends_with_input(signal.SIGKILL, command, files)
    else:
        ends_when_killed(command, files)


def for_other_systems(launcher, home, environment):
    """Checks what the launcher says where npm installed for another system, and on a system that no package is for."""
    project = home / "another"
    project.mkdir()
    run("npm", "install", "--os=darwin", "--cpu=arm64", "plainly", env=environment, cwd=project)
    words = run(project / "node_modules/.bin/plainly", "--version", status=127)
    assert f"npm has not installed @plainly-mcp/cli-linux-{NPM}" in words and "lock file of another system" in words, words
    pretended = home / "pretended.js"
    pretended.write_text("Object.defineProperty(process, 'platform', { value: 'sunos' })")
    words = run("node", "--require", pretended, launcher.resolve(), "--version", status=127)
    assert f"no plainly for sunos {NPM}: there are only @plainly-mcp/cli-linux-{NPM}" in words, words


class Registry(http.server.BaseHTTPRequestHandler):
    """A registry of npm with the packages of OUT."""

    def do_GET(self):
        path = urllib.parse.unquote(self.path).lstrip("/")
        files = {self.package(file): file for file in OUT.glob("*.tgz")}
        if path.endswith(".tgz"):
            content = (OUT / Path(path).name).read_bytes()
            # The time in the header of gzip: every file still unpacks, so that only the sum tells.
            return self.answer(content[:4] + b"\1" + content[5:] if self.server.is_corrupt else content)
        if path not in files:
            return self.send_error(404)
        file = files[path]
        manifest = json.loads(run("tar", "--extract", "--to-stdout", "--file", file, "package/package.json"))
        manifest["dist"] = {
            "tarball": f"http://{self.headers['Host']}/{file.name}",
            "shasum": hashlib.sha1(file.read_bytes()).hexdigest(),
        }
        packument = {"name": path, "dist-tags": {"latest": VERSION}, "versions": {VERSION: manifest}}
        return self.answer(json.dumps(packument).encode())

    @staticmethod
    def package(file):
        name = file.name.removesuffix(f"-{VERSION}.tgz")
        return name.replace("plainly-mcp-", "@plainly-mcp/", 1)

    def answer(self, content):
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass
