"""Finds the packages, runs commands, and calls the servers that are installed."""

import json
import os
import re
import subprocess
import sys
import urllib.parse
import venv
from contextlib import contextmanager
from pathlib import Path

OUT, CALLER = (Path(word).resolve() for word in sys.argv[1:3])
VERSION = json.loads((OUT / "server.json").read_text())["version"]
HOST = {"x86_64": "x86_64-linux", "aarch64": "aarch64-linux"}[os.uname().machine]


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
        assert server.wait(30) == 0, name
        run(CALLER, "ls", url, status=3)


def tools(home, *packages):
    """The directory with the programs of these Python packages, installed below `home`."""
    venv.create(home / "venv", with_pip=True)
    programs = home / "venv/bin"
    run(programs / "pip", "install", "--quiet", *packages)
    return programs
