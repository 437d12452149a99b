"""The official Python SDK's client against `plainly serve`: list, read, and miss, on both transports and both eras.

usage: python peer.py PATH_OF_PLAINLY
"""

import base64
import tempfile
from pathlib import Path

from mcp import MCPError
from mcp.client import Client

from harness import Server, Step, Tally, run

TEXT = "Grüße, 世界!\nno newline at the end"
BINARY = bytes(range(256))
LISTING = [
    "file:///",
    "file:///docs",
    "file:///docs/archive",
    "file:///docs/picture.bin",
    "file:///docs/read%20me.txt",
    "file:///docs/archive/old.txt",
]


def make_directory(root: Path) -> Path:
    docs = root / "docs"
    (docs / "archive").mkdir(parents=True)
    (docs / "archive" / "old.txt").write_text("old")
    (docs / "read me.txt").write_text(TEXT)
    (docs / "picture.bin").write_bytes(BINARY)
    return docs


async def list_all(client: Client) -> None:
    uris, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        uris += [str(resource.uri) for resource in page.resources]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert uris == LISTING, uris


async def read_text(client: Client) -> None:
    (content,) = (await client.read_resource("file:///docs/read%20me.txt")).contents
    assert str(content.uri) == "file:///docs/read%20me.txt", content
    assert content.text == TEXT, content


async def read_binary(client: Client) -> None:
    (content,) = (await client.read_resource("file:///docs/picture.bin")).contents
    assert str(content.uri) == "file:///docs/picture.bin", content
    assert base64.b64decode(content.blob, validate=True) == BINARY, content


async def miss(client: Client) -> None:
    uri = "file:///docs/nowhere.txt"
    try:
        found = await client.read_resource(uri)
    except MCPError as error:
        assert error.code == -32602, error.error
        assert error.data is not None and error.data.get("uri") == uri, error.error
    else:
        raise AssertionError(f"it was found: {found}")


STEPS = {"list": list_all, "read text": read_text, "read binary": read_binary, "miss": miss}


async def script(tally: Tally, plainly: str) -> None:
    async def steps(client: Client, _era: str, step: Step) -> None:
        for what, action in STEPS.items():
            await step(what, lambda: action(client))

    with tempfile.TemporaryDirectory(prefix="plainly-interop-") as root:
        serve = [plainly, "serve", str(make_directory(Path(root)))]
        await tally.everywhere(Server(http=[*serve, "--http", "127.0.0.1:0"], stdio=[*serve, "--stdio"]), steps)


run(script, "PATH_OF_PLAINLY")
