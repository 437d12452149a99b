"""The official Python SDK's client with the examples that a newcomer reads, in both eras, each over the transport that it
speaks. What is expected stands in ../examples.json.

usage: python examples.py DIRECTORY_OF_THE_EXAMPLES
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from mcp import MCPError, types
from mcp.client import ClaimContext, Client, ClientExtension, ResultClaim
from pydantic import BaseModel, ConfigDict

from harness import Server, Step, Tally, present, run

TABLE = json.loads((Path(__file__).parent.parent / "examples.json").read_text())


class Handle(types.Result):
    """What a call is answered with that became a task."""

    result_type: Literal["task"]
    task_id: str
    status: str
    poll_interval_ms: int


class Poll(types.Request[types.GetTaskRequestParams, Literal["tasks/get"]]):
    """Asks how a task is; the SDK's own is of an older revision."""

    method: Literal["tasks/get"] = "tasks/get"
    name_param = "taskId"


class Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")
    status: str
    result: dict | None = None


class Tasks(ClientExtension):
    """The extension for tasks, which is left to applications: asks until there is a result."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, seen: dict) -> None:
        self.seen = seen

    def claims(self) -> Sequence[ResultClaim]:
        return [ResultClaim(result_type="task", model=Handle, resolve=self.finish)]

    async def finish(self, handle: Handle, context: ClaimContext) -> types.CallToolResult:
        self.seen["task"] = handle.status
        poll = Poll(params=types.GetTaskRequestParams(task_id=handle.task_id))
        while (answer := await context.session.send_request(poll, Answer)).status == "working":
            await asyncio.sleep(handle.poll_interval_ms / 1000)
        return types.CallToolResult.model_validate(answer.result)


async def request(client: Client, method: str, params: dict, seen: dict) -> dict:
    async def progressed(_progress: float, _total: float | None, message: str | None) -> None:
        seen.setdefault("progress", message)

    match method:
        case "tools/list":
            return {"names": [tool.name for tool in (await client.list_tools()).tools]}
        case "resources/list":
            return {"names": [resource.uri for resource in (await client.list_resources()).resources]}
        case "resources/templates/list":
            templates = (await client.list_resource_templates()).resource_templates
            return {"names": [template.uri_template for template in templates]}
        case "resources/read":
            return {"text": joined((await client.read_resource(**params)).contents)}
        case "tools/call":
            result = await client.call_tool(**params, progress_callback=progressed)
            if result.is_error:
                # What an error is made of is for `failing.json`.
                return {"toolError": joined(result.content)}
            return present({"text": joined(result.content), "structuredContent": result.structured_content})
    raise AssertionError(f"no row is of {method}")


def joined(parts: list) -> str:
    return "".join(part.text for part in parts)


async def outcome(client: Client, row: dict, seen: dict) -> dict:
    """What the client's user sees, in the words of the table: of the progress the first, `seen` is the rest of what happens
    meanwhile."""
    seen.clear()
    try:
        return {**await request(client, row["method"], row.get("params", {}), seen), **seen}
    except MCPError as error:
        return {"error": present({"code": error.code, "message": error.message, "data": error.data})}


async def example(tally: Tally, directory: Path, group: dict) -> None:
    seen = {}

    async def steps(client: Client, era: str, step: Step) -> None:
        for row in group["steps"]:

            async def as_expected() -> str:
                expected = row.get(era) or row["expected"]
                found = await outcome(client, row, seen)
                assert found == expected, f"{found}, expected {expected}"
                return json.dumps(found)

            await step(f"{group['example']}: {row['step']}", as_expected)

    async def answer(_context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        seen["asked"] = params.message
        return types.ElicitResult.model_validate(group["answer"])

    command = str(directory / group["example"])
    server = Server(stdio=[command])
    if group.get("transport") == "http":
        server = Server(http=[command, "127.0.0.1:0"], token=group.get("token"))
    await tally.everywhere(
        server,
        steps,
        elicitation_callback=answer if "answer" in group else None,
        extensions=[Tasks(seen)] if group.get("tasks") else None,
    )


async def script(tally: Tally, directory: str) -> None:
    for group in TABLE:
        await example(tally, Path(directory), group)


run(script, "DIRECTORY_OF_THE_EXAMPLES")
