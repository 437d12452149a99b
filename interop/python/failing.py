"""The official Python SDK's client against a server whose every handler fails (the example `failing`): what it tells its
user of each failure, on both transports and both eras. What is expected stands in ../failing.json.

usage: python failing.py PATH_OF_THE_EXAMPLE
"""

import json
from pathlib import Path

from mcp import MCPError
from mcp.client import Client
from mcp_types import (
    CallToolResult,
    ElicitResult,
    InputRequiredResult,
    PromptReference,
    ResourceTemplateReference,
)

from harness import Server, Step, Tally, present, run

TABLE = json.loads((Path(__file__).parent.parent / "failing.json").read_text())
REFERENCES = {"ref/prompt": PromptReference, "ref/resource": ResourceTemplateReference}


async def call(client: Client, method: str, params: dict) -> object:
    """What is to be asked of the user is given back, not asked."""
    session = client.session
    match method:
        case "tools/call":
            return await session.call_tool(**params, allow_input_required=True)
        case "resources/read":
            return await session.read_resource(**params, allow_input_required=True)
        case "prompts/get":
            return await session.get_prompt(**params, allow_input_required=True)
        case "completion/complete":
            reference = REFERENCES[params["ref"]["type"]].model_validate(params["ref"])
            return await session.complete(reference, params["argument"])
    raise AssertionError(f"no row is of {method}")


async def outcome(client: Client, method: str, params: dict) -> dict:
    """What the client's user sees, in the words of the table."""
    try:
        result = await call(client, method, params)
    except MCPError as error:
        return present({"error": present({"code": error.code, "message": error.message, "data": error.data})})
    if isinstance(result, InputRequiredResult):
        requests = (result.input_requests or {}).items()
        return {"inputRequests": {key: request.model_dump(by_alias=True, exclude_none=True) for key, request in requests}}
    assert isinstance(result, CallToolResult) and result.is_error, f"it did not fail: {result}"
    return present(
        {
            "toolError": "".join(content.text for content in result.content),
            "structuredContent": result.structured_content,
            "problem": (result.meta or {}).get("dev.plainly/problem"),
        }
    )


async def visit(_context: object, _params: object) -> ElicitResult:
    """That there is one declares the capability."""
    raise AssertionError("nobody is to be asked")


async def script(tally: Tally, failing: str) -> None:
    server = Server(http=[failing, "127.0.0.1:0"], stdio=[failing])
    for group in TABLE:

        async def steps(client: Client, era: str, step: Step) -> None:
            # What the client knows of the tools' output it holds their results against.
            await client.list_tools()
            for name, row in group["calls"].items():

                async def as_expected() -> str:
                    expected = row.get(era) or row["expected"]
                    seen = await outcome(client, row["method"], row["params"])
                    assert seen == expected, f"{seen}, expected {expected}"
                    return json.dumps(seen)

                await step(name, as_expected)

        callback = visit if "elicitation" in group["capabilities"] else None
        await tally.everywhere(server, steps, elicitation_callback=callback)


run(script, "PATH_OF_THE_EXAMPLE")
