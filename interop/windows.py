#!/usr/bin/env python3
"""Runs plainly for Windows under wine: commands, and its server with its own client, over stdio and HTTP.

usage: windows.py BUILT

BUILT is the directory with `plainly.exe` and `examples/toolbox.exe`.
"""

import json
import queue
import re
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

BUILT = Path(sys.argv[1]).resolve()
PLAINLY, TOOLBOX = BUILT / "plainly.exe", BUILT / "examples/toolbox.exe"
WINE = Path(__file__).resolve().with_name("wine")


def start(*words, **options):
    """Starts a program for Windows."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    command = [WINE, *(str(word) for word in words)]
    return subprocess.Popen(command, text=True, encoding="utf-8", **pipes)


def run(*words, status=0, given=None, timeout=120):
    """Runs a program for Windows, and returns its output, with errors at its end. Fails unless it ends with `status`."""
    process = start(*words, stdin=subprocess.DEVNULL if given is None else subprocess.PIPE)
    try:
        out, err = process.communicate(given, timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"{words} did not end within {timeout} s:\n{out}{err}") from None
    assert process.returncode == status, f"{words} ended with {process.returncode}, not {status}:\n{out}{err}"
    return (out + err).replace("\r\n", "\n")


# Words of plainly, what it prints, and its exit code.
COMMANDS = [
    ("--version", "plainly ", 0),
    ("--version --json", '"target":"x86_64-windows-gnu"', 0),
    ("help read", "Usage: plainly read", 0),
    ("read", "Usage: plainly read", 2),
    ("explain -32602", "the parameters are invalid", 0),
    ("explain NOT_FOUND", "does not exist", 0),
    ("servers", "no servers are configured", 0),
    ("logins", "there are no logins", 0),
    ("completions bash", "plainly", 0),
    ("ls http://127.0.0.1:9/mcp", "error: ", 3),
    ("discover -- TOOLBOX", "The Toolbox", 0),
    ("tools -- TOOLBOX", "Divides with remainder", 0),
    ("tools divide -- TOOLBOX", "divisor", 0),
    ("call greet name=Ada -- TOOLBOX", "Hello, Ada!", 0),
    ("call divide dividend=7 divisor=2 --json -- TOOLBOX", '"remainder":1', 0),
    ("call divide dividend=7 divisor=0 -- TOOLBOX", "can't be divided", 5),
    ("call nothing -- TOOLBOX", "error: ", 6),
    ("prompts -- TOOLBOX", "Asks for a poem", 0),
    ("prompt poem about=rain -- TOOLBOX", "rain", 0),
    ("complete poem about s -- TOOLBOX", "spring", 0),
    ("templates -- TOOLBOX", "no resource templates", 0),
    ("ls -- absent.exe", 'cannot start "absent.exe": program not found', 3),
]


def test_commands():
    for words, expected, status in COMMANDS:
        words = [str(TOOLBOX) if word == "TOOLBOX" else word for word in words.split()]
        out = run(PLAINLY, *words, status=status)
        assert expected in out, (words, out)
    print(len(COMMANDS), "commands", flush=True)


LISTING = ["file:///", "file:///docs", "file:///docs/d", "file:///docs/read%20me.txt", "file:///docs/d/x.md"]

SECRET = "the-secret-beside-the-mount-5b1f"

# Spellings by which Windows would open something, and what the server answers.
SPELLINGS = [
    ("file:///docs/READ%20ME.TXT", 4),
    ("file:///docs/read%20me.txt.", 4),
    ("file:///docs/read%20me.txt::$DATA", 4),
    ("file:///docs/D/x.md", 4),
    ("file:///docs/d%5Cx.md", 4),
    ("file:///docs/..%5Csecret.txt", 4),
    ("file:///docs/NUL", 4),
    ("file:///docs/C:", 4),
]


def check_server(ask):
    """Asks a server all that its directory has, and what it must not have."""
    assert ask("ls").split() == LISTING
    assert ask("read", "file:///docs/read%20me.txt") == "Grüße\n"
    assert json.loads(ask("stat", "file:///docs/d/x.md", "--json"))["size"] == 2
    found = ask("call", "search", "pattern=Grü")
    assert "file:///docs/read%20me.txt" in found, found
    shell = ask("shell", given="read file:///docs/d/x.md\nls file:///docs/d\n")
    assert "x\n" in shell and "file:///docs/d/x.md" in shell, shell
    for uri, status in SPELLINGS:
        out = ask("read", uri, status=status)
        assert SECRET not in out, out


def check_watching(url, path):
    """Edits a served file until a client has read of the change."""
    lines = queue.SimpleQueue()
    with running(PLAINLY, "watch", url, "file:///docs/d/x.md", "--json", stderr=subprocess.DEVNULL) as watch:
        threading.Thread(target=lambda: [lines.put(line) for line in watch.stdout], daemon=True).start()
        for edit in range(60):
            path.write_text(f"{edit}\n")
            try:
                change = json.loads(lines.get(timeout=0.5))
                break
            except queue.Empty:
                pass
        else:
            raise AssertionError("no change was reported")
    assert change == {"change": "updated", "uri": "file:///docs/d/x.md"}, change


@contextmanager
def running(*words, **options):
    process = start(*words, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait(30)


def test_serving(folder):
    docs = folder / "docs"
    (docs / "d").mkdir(parents=True)
    (docs / "read me.txt").write_text("Grüße\n", encoding="utf-8")
    (docs / "d/x.md").write_text("x\n")
    (folder / "secret.txt").write_text(SECRET)
    served = "Z:" + str(docs).replace("/", "\\")
    server = ["--", PLAINLY, "serve", "--stdio", served]
    check_server(lambda command, *words, **options: run(PLAINLY, command, *words, *server, **options))
    print("serve over stdio", flush=True)
    with running(PLAINLY, "serve", served, "--http", "127.0.0.1:0", stdout=subprocess.DEVNULL) as server:
        url = next(found[0] for line in server.stderr if (found := re.search(r"http://\S+", line)))
        check_server(lambda command, *words, **options: run(PLAINLY, command, url, *words, **options))
        check_watching(url, docs / "d/x.md")
    run(PLAINLY, "ls", url, status=3)
    print("serve over HTTP, and watch", flush=True)


def main():
    test_commands()
    with tempfile.TemporaryDirectory() as folder:
        test_serving(Path(folder))


if __name__ == "__main__":
    main()
