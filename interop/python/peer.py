"""The official Python SDK's client against `plainly serve`: list, read, parts, completion, changes of a log, and misses, on
both transports and both eras.

usage: python peer.py PATH_OF_PLAINLY
"""

import asyncio
import base64
import tempfile
from pathlib import Path

from mcp import MCPError, types
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
    "file:///docs/server.log",
    "file:///docs/archive/old.txt",
]
LOG = "file:///docs/server.log"
TEMPLATE = "file:///{+path}{#part}"


def make_directory(root: Path) -> Path:
    docs = root / "docs"
    (docs / "archive").mkdir(parents=True)
    (docs / "archive" / "old.txt").write_text("old")
    (docs / "read me.txt").write_text(TEXT)
    (docs / "picture.bin").write_bytes(BINARY)
    (docs / "server.log").write_text("one\ntwo\nthree\n")
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


async def text_of(client: Client, uri: str) -> str:
    [content] = (await client.read_resource(uri)).contents
    assert str(content.uri) == uri, content
    return content.text


async def parts(client: Client) -> None:
    assert await text_of(client, f"{LOG}#line=1,2") == "two\n"
    assert await text_of(client, f"{LOG}#bytes=0-2") == "one"


async def complete(client: Client) -> None:
    [template] = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == TEMPLATE, template
    reference = types.ResourceTemplateReference(type="ref/resource", uri=TEMPLATE)
    completed = await client.complete(reference, {"name": "path", "value": "docs/se"})
    assert completed.completion.values == ["docs/server.log"], completed


STEPS = {
    "list": list_all,
    "read text": read_text,
    "read binary": read_binary,
    "miss": miss,
    "parts": parts,
    "templates and completion": complete,
}


async def a_log_that_grows(client: Client, era: str, log: Path, heard: asyncio.Queue[str]) -> None:
    tail = f"{LOG}#tail=1"

    async def append() -> None:
        # An older client opens the stream on which it hears of changes when it likes.
        while True:
            with log.open("a") as file:
                file.write("last\n")
            await asyncio.sleep(0.2)

    appending = asyncio.create_task(append())
    try:
        if era == "legacy":
            await client.subscribe_resource(tail)
            told = await heard.get()
        else:
            async with client.listen(resource_subscriptions=[tail]) as changes:
                told = (await anext(aiter(changes))).uri
    finally:
        appending.cancel()
    assert str(told) == tail, told
    assert await text_of(client, tail) == "last\n"


async def script(tally: Tally, plainly: str) -> None:
    with tempfile.TemporaryDirectory(prefix="plainly-interop-") as root:
        docs = make_directory(Path(root))
        heard: asyncio.Queue[str] = asyncio.Queue()

        async def hear(message: object) -> None:
            if isinstance(message, types.ResourceUpdatedNotification):
                heard.put_nowait(str(message.params.uri))

        async def steps(client: Client, era: str, step: Step) -> None:
            for what, action in STEPS.items():
                await step(what, lambda: action(client))
            await step("a log that grows", lambda: a_log_that_grows(client, era, docs / "server.log", heard))

        serve = [plainly, "serve", str(docs)]
        server = Server(http=[*serve, "--http", "127.0.0.1:0"], stdio=[*serve, "--stdio"])
        await tally.everywhere(server, steps, message_handler=hear)


run(script, "PATH_OF_PLAINLY")
