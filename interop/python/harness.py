"""Starts a server, connects the official SDK's client to it on both transports and in both eras, and counts which steps
hold. What the steps are is for the scripts."""

import asyncio
import re
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

import httpx2
from mcp import StdioServerParameters
from mcp.client import Client, Transport
from mcp.client.streamable_http import streamable_http_client

NEWEST = "2026-07-28"
ERAS = {NEWEST: "auto", "legacy": "legacy"}

Action = Callable[[], Awaitable[str | None]]
Step = Callable[[str, Action], Awaitable[None]]


class Server(NamedTuple):
    """The command of a server for each transport that it speaks. Over HTTP it says its URL on standard error, or the URL
    stands in place of the command, and it lets in those with its token if it has one."""

    http: list[str] | None = None
    stdio: list[str] | None = None
    token: str | None = None


def present(members: dict) -> dict:
    """The members that are there."""
    return {name: value for name, value in members.items() if value is not None}


@asynccontextmanager
async def over_http(server: Server) -> AsyncIterator[Transport]:
    if server.http[0].startswith("http://"):
        async with httpx2.AsyncClient(timeout=60) as http:
            yield streamable_http_client(server.http[0], http_client=http)
        return
    process = await asyncio.create_subprocess_exec(*server.http, stderr=asyncio.subprocess.PIPE)
    drain = None
    try:
        url = None
        while url is None:
            line = await process.stderr.readline()
            assert line, "the server ended without saying its address"
            url = re.search(rb"http://127\.0\.0\.1:\d+/mcp", line)
        drain = asyncio.create_task(process.stderr.read())
        headers = {"Authorization": f"Bearer {server.token}"} if server.token else {}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            yield streamable_http_client(url.group().decode(), http_client=http)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        if drain is not None:
            await drain


@asynccontextmanager
async def over_stdio(server: Server) -> AsyncIterator[StdioServerParameters]:
    yield StdioServerParameters(command=server.stdio[0], args=server.stdio[1:])


TRANSPORTS = {"http": over_http, "stdio": over_stdio}


class Tally:
    passed = 0
    failed = 0

    async def step(self, name: str, action: Action) -> None:
        """One step. What it returns, if anything, is shown."""
        try:
            seen = await asyncio.wait_for(action(), timeout=60)
        except Exception:
            self.fail(name)
        else:
            self.passed += 1
            print(f"ok    {name}" + ("" if seen is None else f": {seen}"), flush=True)

    def fail(self, name: str) -> None:
        self.failed += 1
        print(f"FAIL  {name}: {traceback.format_exc()}", flush=True)

    async def everywhere(self, server: Server, steps: Callable[[Client, str, Step], Awaitable[None]], **options) -> None:
        """The steps with one server process for each connection, so that none can lean on what another left behind."""
        for transport, open_ in TRANSPORTS.items():
            if getattr(server, transport) is None:
                continue
            for era, mode in ERAS.items():
                name = f"python, {transport}, {era}"
                try:
                    async with open_(server) as target, Client(target, mode=mode, **options) as client:
                        await self.step(f"{name}: connect", lambda: negotiated(client, era))
                        await steps(client, era, lambda what, action: self.step(f"{name}: {what}", action))
                except Exception:
                    self.fail(f"{name}: connect or close")


async def negotiated(client: Client, era: str) -> str:
    assert (client.protocol_version == NEWEST) == (era == NEWEST), client.protocol_version
    return client.protocol_version


def run(script: Callable[[Tally, str], Awaitable[None]], argument: str) -> None:
    """Ends the process: a script with its one argument, and the count of its steps."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} {argument}")
    tally = Tally()
    asyncio.run(script(tally, sys.argv[1]))
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(0 if tally.passed and not tally.failed else 1)
