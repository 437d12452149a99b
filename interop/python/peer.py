"""The official Python SDK's client against `plainly serve`: list, read, and miss, on both transports and both eras.

usage: python peer.py PATH_OF_PLAINLY
"""

import asyncio
import base64
import re
import sys
import tempfile
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import MCPError, StdioServerParameters
from mcp.client import Client

NEWEST = "2026-07-28"
TEXT = "Grüße, 世界!\nno newline at the end"
BINARY = bytes(range(256))
LISTING = [
    "file:///docs",
    "file:///docs/archive",
    "file:///docs/archive/old.txt",
    "file:///docs/picture.bin",
    "file:///docs/read%20me.txt",
]
ERAS = {NEWEST: "auto", "legacy": "legacy"}


def make_directory(root: Path) -> Path:
    docs = root / "docs"
    (docs / "archive").mkdir(parents=True)
    (docs / "archive" / "old.txt").write_text("old")
    (docs / "read me.txt").write_text(TEXT)
    (docs / "picture.bin").write_bytes(BINARY)
    return docs


# One server process for each connection, so that one era can't lean on what another left behind.
@asynccontextmanager
async def over_http(plainly: str, docs: Path) -> AsyncIterator[str]:
    server = await asyncio.create_subprocess_exec(
        plainly, "serve", str(docs), "--http", "127.0.0.1:0", stderr=asyncio.subprocess.PIPE
    )
    drain = None
    try:
        url = None
        while url is None:
            line = await server.stderr.readline()
            assert line, "the server ended without saying its address"
            url = re.search(rb"http://127\.0\.0\.1:\d+/mcp", line)
        drain = asyncio.create_task(server.stderr.read())
        yield url.group().decode()
    finally:
        if server.returncode is None:
            server.terminate()
        await server.wait()
        if drain is not None:
            await drain


@asynccontextmanager
async def over_stdio(plainly: str, docs: Path) -> AsyncIterator[StdioServerParameters]:
    yield StdioServerParameters(command=plainly, args=["serve", str(docs), "--stdio"])


TRANSPORTS = {"http": over_http, "stdio": over_stdio}


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


class Tally:
    passed = 0
    failed = 0

    async def step(self, name: str, action: Callable[[], Awaitable[None]]) -> None:
        try:
            await asyncio.wait_for(action(), timeout=60)
        except Exception:
            self.failed += 1
            print(f"FAIL  {name}: {traceback.format_exc()}", flush=True)
        else:
            self.passed += 1
            print(f"ok    {name}", flush=True)


async def run(tally: Tally, name: str, mode: str, opened) -> None:
    steps_run = 0
    try:
        async with opened as target, Client(target, mode=mode) as client:

            async def negotiated() -> None:
                assert (client.protocol_version == NEWEST) == (mode == "auto"), client.protocol_version

            await tally.step(f"{name}: connect", negotiated)
            steps_run = 1
            for what, action in STEPS.items():
                await tally.step(f"{name}: {what}", lambda action=action: action(client))
    except Exception:
        tally.failed += 1
        print(f"FAIL  {name}: {'close' if steps_run else 'connect'}: {traceback.format_exc()}", flush=True)


async def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python peer.py PATH_OF_PLAINLY", file=sys.stderr)
        return 2
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="plainly-interop-") as root:
        docs = make_directory(Path(root))
        for transport, open_ in TRANSPORTS.items():
            for era, mode in ERAS.items():
                await run(tally, f"python, {transport}, {era}", mode, open_(sys.argv[1], docs))
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 0 if tally.failed == 0 else 1


sys.exit(asyncio.run(main()))
