"""How the servers here stand: each at a port of the system's choice, told on standard output, and each does what the lines on
its standard input say, until there are no more."""

import asyncio
import socket
import sys
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette


def bound() -> tuple[socket.socket, str]:
    """A socket at a free port of this machine, and its URL."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    return listening, f"http://127.0.0.1:{listening.getsockname()[1]}"


async def stand(
    apps: list[tuple[Starlette, socket.socket]], url: str, commands: dict[str, Callable[[], None]]
) -> None:
    """Serves each application at its socket, and says the URL of the one that is meant."""
    servers = [(uvicorn.Server(uvicorn.Config(app, log_level="warning")), at) for app, at in apps]
    serving = [asyncio.create_task(server.serve(sockets=[at])) for server, at in servers]
    while not all(server.started for server, _ in servers):
        await asyncio.sleep(0.01)
    print(url, flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        commands[line.strip()]()
        print("done", flush=True)
    for server, _ in servers:
        server.should_exit = True
    await asyncio.gather(*serving)
