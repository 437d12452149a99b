"""The official Python SDK's client against a server whose every handler fails (the example `failing`): what it tells its
user of each failure, on both transports and both eras. What is expected stands in ../failing.json.

usage: python failing.py PATH_OF_THE_EXAMPLE
"""

import asyncio
import json
import re
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import MCPError, StdioServerParameters
from mcp.client import Client

NEWEST = "2026-07-28"
EXPECTED = json.loads((Path(__file__).parent.parent / "failing.json").read_text())
ERAS = {NEWEST: "auto", "legacy": "legacy"}


# One server process for each connection, so that one era can't lean on what another left behind.
@asynccontextmanager
async def over_http(failing: str) -> AsyncIterator[str]:
    server = await asyncio.create_subprocess_exec(failing, "127.0.0.1:0", stderr=asyncio.subprocess.PIPE)
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
async def over_stdio(failing: str) -> AsyncIterator[StdioServerParameters]:
    yield StdioServerParameters(command=failing, args=[])


TRANSPORTS = {"http": over_http, "stdio": over_stdio}


async def tool_error(client: Client, name: str, expected: dict) -> str:
    """A tool error: the model's words, and for programs the problem."""
    result = await client.call_tool(name, expected.get("arguments", {}))
    assert result.is_error, result
    assert [content.text for content in result.content] == [expected["text"]], result
    assert result.structured_content == expected.get("structuredContent"), result
    assert (result.meta or {}).get("dev.plainly/problem") == expected.get("problem"), result
    return f"isError, {json.dumps(expected['text'])}"


async def protocol_error(client: Client, what: str, expected: dict, mode: str) -> str:
    """A protocol error: a code, a message and data."""
    tool = what.removeprefix("tool ")
    try:
        found = await (client.read_resource(what) if tool == what else client.call_tool(tool, {}))
    except MCPError as error:
        code = expected.get("legacyCode", expected["code"]) if mode == "legacy" else expected["code"]
        assert error.code == code, error.error
        assert error.message == expected["message"], error.error
        assert error.data == expected.get("data"), error.error
        return f"{error.code}, {json.dumps(error.data)}"
    raise AssertionError(f"it did not fail: {found}")


class Tally:
    passed = 0
    failed = 0

    async def step(self, name: str, action: Callable[[], Awaitable[str]]) -> None:
        try:
            seen = await asyncio.wait_for(action(), timeout=60)
        except Exception:
            self.failed += 1
            print(f"FAIL  {name}: {traceback.format_exc()}", flush=True)
        else:
            self.passed += 1
            print(f"ok    {name}: {seen}", flush=True)


async def run(tally: Tally, name: str, mode: str, opened) -> None:
    try:
        async with opened as target, Client(target, mode=mode) as client:

            async def negotiated() -> str:
                assert (client.protocol_version == NEWEST) == (mode == "auto"), client.protocol_version
                # What the client knows of the tools' output it holds their results against.
                await client.list_tools()
                return client.protocol_version

            await tally.step(f"{name}: connect", negotiated)
            for tool, expected in EXPECTED["tools"].items():
                await tally.step(f"{name}: {tool}", lambda: tool_error(client, tool, expected))
            for what, expected in EXPECTED["errors"].items():
                await tally.step(f"{name}: {what}", lambda: protocol_error(client, what, expected, mode))
    except Exception:
        tally.failed += 1
        print(f"FAIL  {name}: connect or close: {traceback.format_exc()}", flush=True)


async def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python failing.py PATH_OF_THE_EXAMPLE", file=sys.stderr)
        return 2
    tally = Tally()
    for transport, open_ in TRANSPORTS.items():
        for era, mode in ERAS.items():
            await run(tally, f"python, {transport}, {era}", mode, open_(sys.argv[1]))
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 0 if tally.failed == 0 else 1


sys.exit(asyncio.run(main()))
