"""Finds the packages, runs commands, and calls the servers that are installed."""

import json
import os
import re
import select
import subprocess
import sys
import urllib.parse
import venv
from contextlib import contextmanager
from pathlib import Path

OUT, CALLER = (Path(word).resolve() for word in sys.argv[1:3])
VERSION = json.loads((OUT / "server.json").read_text())["version"]
MACHINE = os.uname().machine
# How the packages for this machine are named: archives, Debian's, and npm's.
HOST, DEBIAN, NPM = {"x86_64": ("x86_64-linux", "amd64", "x64"), "aarch64": ("aarch64-linux", "arm64", "arm64")}[MACHINE]


def run(*command, status=0, **options):
    """Runs a command, and returns its output. Fails unless it ends with `status`."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)
    if done.returncode != status:
        raise AssertionError(f"{command} ended with {done.returncode}, not {status}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def one(pattern):
    """The package whose name matches."""
    found = list(OUT.glob(pattern))
    assert len(found) == 1, (pattern, found)
    return found[0]


def serves(*command, directory, **options):
    """Checks that a host that starts the command as a server reads a file of `directory`."""
    uri = "file:///" + urllib.parse.quote(f"{directory.name}/a file é.txt")
    text = run(CALLER, "read", uri, "--", *command, **options)
    assert text == "plainly\n", text


def folder(home):
    directory = home / "blank é"
    directory.mkdir()
    (directory / "a file é.txt").write_text("plainly\n")
    return directory


@contextmanager
def serving(*command):
    """A server over HTTP with its URL. It is killed if the test fails before the server has ended."""
    words = [str(word) for word in command]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        line = next((line for line in server.stderr if "serving" in line), "")
        assert line, f"{words} ended with {server.wait(30)} before it served"
        yield server, re.search(r"http://\S+", line)[0]
    finally:
        server.kill()
        server.wait(30)


def ends_at(name, command, files):
    """Checks that the server of the command ends with exit code 0 at a signal to the command."""
    with serving(*command, "serve", files, "--http", "127.0.0.1:0") as (server, url):
        run(CALLER, "ls", url)
        server.send_signal(name)
        try:
            assert server.wait(40) == 0, name
        except subprocess.TimeoutExpired:
            server.kill()
            raise AssertionError(f"{name}: the server still ran, and its log is: {server.stderr.read()}") from None
        run(CALLER, "ls", url, status=3)


def ends_with_input(name, command, files, **options):
    """Checks that a signal to the first process of the command ends no other: the server answers until its input ends, then it is gone."""
    with started(command, files, **options) as server:
        server.send_signal(name)
        server.wait(30)
        server.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
        assert json.loads(line_of(server))["id"] == 2, name
        server.stdin.close()
        assert line_of(server) == b"", name


def ends_when_killed(command, files, **options):
    """Checks that nothing of the command is left when its first process is killed."""
    with started(command, files, **options) as server:
        server.kill()
        assert line_of(server) == b""


@contextmanager
def started(command, files, **options):
    """A server over stdio that has answered once. Its output ends when the last of its processes has ended."""
    words = [str(word) for word in [*command, "serve", "--stdio", files]]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "bufsize": 0}
    server = subprocess.Popen(words, **pipes, **options)
    try:
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
        server.stdin.write(json.dumps(request).encode() + b"\n")
        assert json.loads(line_of(server))["id"] == 1
        yield server
    finally:
        server.kill()
        server.wait(30)
        # What a signal to the first process did not end has no input any more.
        server.stdin.close()
        server.stdout.close()


def line_of(server):
    """The next line of the output of a server, or nothing if the output has ended."""
    ready, _, _ = select.select([server.stdout], [], [], 60)
    assert ready, "no line, and no end, within a minute"
    return server.stdout.readline()


def tools(home, *packages):
    """The directory with the programs of these Python packages, installed below `home`."""
    venv.create(home / "venv", with_pip=True)
    programs = home / "venv/bin"
    run(programs / "pip", "install", "--quiet", *packages)
    return programs


def is_audited(tool, wheel):
    """Checks the platforms in the name of a wheel: all of them, if its program needs no library."""
    audit, tags = run(tool / "auditwheel", "show", wheel), wheel.stem.rsplit("-", 1)[1]
    if "requires no external shared libraries" in audit:
        assert "manylinux" in tags and "musllinux" in tags, (tags, audit)
    else:
        constraint = re.search(r'platform tag to\s+"(\w+)"', audit)[1]
        assert constraint in tags, (tags, audit)
