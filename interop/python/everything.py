"""The official Python SDK's client against a server that does everything (the example `everything`): what the server asks
of the client, what it tells meanwhile, and that it hears of a call that is given up, on both transports and in both eras.

usage: python everything.py PATH_OF_THE_EXAMPLE|URL
"""

import asyncio
import warnings

from mcp import types
from mcp.client import Client

from harness import Server, Step, Tally, run

# Logging, sampling and roots are deprecated, not gone.
warnings.simplefilter("ignore")

NAME = {"username": "ada", "email": "ada@example.com"}
BY_TYPE = {"boolean": True, "string": "ada"}
ROOTS = [types.Root(uri="file:///home/ada/notes", name="notes")]
WATCHED = "test://watched-resource"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"


class Heard:
    """What the client was asked and told."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.logged: list[str] = []
        self.changed: list[str] = []

    async def elicit(self, _context, params) -> types.ElicitResult:
        """Every field of a form, filled in: from `NAME`, its default, or by its type."""
        self.asked.append(params.message)
        if params.mode == "url":
            return types.ElicitResult(action="accept")
        fields = params.requested_schema["properties"].items()
        content = {name: NAME.get(name, field.get("default", BY_TYPE.get(field["type"]))) for name, field in fields}
        return types.ElicitResult(action="accept", content=content)

    async def sample(self, _context, params) -> types.CreateMessageResult:
        self.asked.append(params.messages[0].content.text)
        content = types.TextContent(type="text", text="Paris")
        return types.CreateMessageResult(role="assistant", model="none", content=content)

    async def roots(self, _context) -> types.ListRootsResult:
        return types.ListRootsResult(roots=ROOTS)

    async def log(self, params) -> None:
        self.logged.append(f"{params.level}: {params.data}")

    async def note(self, message) -> None:
        match message:
            case types.ToolListChangedNotification():
                self.changed.append("tools")
            case types.ResourceUpdatedNotification(params=params):
                self.changed.append(str(params.uri))


async def call(client: Client, name: str, **arguments) -> str:
    return text(await client.call_tool(name, arguments))


def text(result: types.CallToolResult) -> str:
    joined = "".join(content.text for content in result.content)
    assert not result.is_error, joined
    return joined


async def until(holds) -> None:
    for _ in range(1000):
        if await holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it does not come about")


async def elicitation(client: Client, heard: Heard, _era: str) -> str:
    seen = await call(client, "test_elicitation", message="Who are you?")
    assert heard.asked == ["Who are you?"], heard.asked
    assert "accept" in seen and "ada@example.com" in seen, seen
    return seen


async def defaults(client: Client, _heard: Heard, _era: str) -> str:
    seen = await call(client, "test_elicitation_sep1034_defaults")
    assert all(part in seen for part in ["John Doe", "30", "95.5", "active", "true"]), seen
    return seen


async def visit(client: Client, _heard: Heard, _era: str) -> None:
    seen = await call(client, "test_elicitation_url")
    assert seen == "The user went there.", seen


async def sampling(client: Client, heard: Heard, _era: str) -> None:
    seen = await call(client, "test_sampling", prompt="What is the capital of France?")
    assert "What is the capital of France?" in heard.asked, heard.asked
    assert seen == "LLM response: Paris", seen


async def roots(client: Client, _heard: Heard, _era: str) -> None:
    seen = await call(client, "test_input_required_result_list_roots")
    assert "file:///home/ada/notes" in seen, seen


async def three_at_once(client: Client, _heard: Heard, _era: str) -> str:
    seen = await call(client, "test_input_required_result_multiple_inputs")
    assert all(part in seen for part in ["ada", "Paris", "file:///home/ada/notes"]), seen
    return seen


async def one_after_the_other(client: Client, _heard: Heard, _era: str) -> str:
    return await call(client, "test_input_required_result_multi_round")


async def prompt(client: Client, _heard: Heard, _era: str) -> None:
    result = await client.get_prompt("test_input_required_result_prompt")
    assert "ada" in result.messages[0].content.text, result


async def progress(client: Client, _heard: Heard, _era: str) -> None:
    told = []

    async def tell(progress: float, total: float | None, _message: str | None) -> None:
        told.append((progress, total))

    text(await client.call_tool("test_tool_with_progress", {}, progress_callback=tell))
    assert told == [(0, 100), (50, 100), (100, 100)], told


async def logging(client: Client, heard: Heard, era: str) -> None:
    meta = {LOG_LEVEL: "info"}
    if era == "legacy":
        await client.set_logging_level("info")
        meta = None
    text(await client.call_tool("test_tool_with_logging", {}, meta=meta))
    words = ["Tool execution started", "Tool processing data", "Tool execution completed"]

    async def all_logged() -> bool:
        return len(heard.logged) >= len(words)

    await until(all_logged)
    assert heard.logged == [f"info: {word}" for word in words], heard.logged
    heard.logged.clear()


async def no_logging(client: Client, heard: Heard, era: str) -> None:
    if era == "legacy":
        await client.set_logging_level("error")
    await call(client, "test_tool_with_logging")
    assert heard.logged == [], heard.logged


async def tools(client: Client, heard: Heard, era: str) -> None:
    if era == "legacy":
        # An older client opens the stream that it hears of it on when it likes.
        await until(lambda: told(client, heard, "test_trigger_tool_change", "tools"))
    else:
        async with client.listen(tools_list_changed=True) as changes:
            await call(client, "test_trigger_tool_change")
            await anext(aiter(changes))


async def resource(client: Client, heard: Heard, era: str) -> None:
    if era == "legacy":
        await client.subscribe_resource(WATCHED)
        await until(lambda: told(client, heard, "test_trigger_resource_update", WATCHED))
    else:
        async with client.listen(resource_subscriptions=[WATCHED]) as changes:
            await call(client, "test_trigger_resource_update")
            await anext(aiter(changes))


async def told(client: Client, heard: Heard, trigger: str, what: str) -> bool:
    await call(client, trigger)
    return what in heard.changed


async def cancellation(client: Client, _heard: Heard, _era: str) -> None:
    async def waiting(count: str) -> bool:
        return await call(client, "test_waiting") == count

    given = asyncio.create_task(call(client, "test_wait"))
    await until(lambda: waiting("1"))
    given.cancel()
    await until(lambda: waiting("0"))


STEPS = {
    "elicitation": elicitation,
    "elicitation with defaults": defaults,
    "a visit to a URL": visit,
    "sampling": sampling,
    "roots": roots,
    "three questions at once": three_at_once,
    "one question after the other": one_after_the_other,
    "a prompt that asks": prompt,
    "progress": progress,
    "logging": logging,
    "a log that is not wished for": no_logging,
    "other tools": tools,
    "another resource": resource,
    "cancellation": cancellation,
}


async def script(tally: Tally, everything: str) -> None:
    heard = Heard()

    async def steps(client: Client, era: str, step: Step) -> None:
        heard.asked.clear()
        heard.changed.clear()
        for what, action in STEPS.items():
            await step(what, lambda: action(client, heard, era))

    stdio = None if everything.startswith("http://") else [everything]
    server = Server(http=[everything, "127.0.0.1:0"], stdio=stdio)
    callbacks = {
        "elicitation_callback": heard.elicit,
        "sampling_callback": heard.sample,
        "list_roots_callback": heard.roots,
        "logging_callback": heard.log,
        "message_handler": heard.note,
    }
    await tally.everywhere(server, steps, **callbacks)


run(script, "PATH_OF_THE_EXAMPLE|URL")
