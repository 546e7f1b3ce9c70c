"""A client written with the Python SDK that makes one call which may need a person, answers for the person, and prints what
came of it as one line of JSON.

usage: python control.py legacy|modern ANSWER META TOOL ARGUMENTS CMD ARGS...
ANSWER is what the person chooses (`once`, `no`, …), or `absent` where nobody can be asked.
"""

import json
import sys

import anyio
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import ElicitResult


async def main(era: str, answer: str, meta: str, tool: str, arguments: str, command: str, *args: str) -> None:
    asked: list[str] = []

    async def person(_context, params) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"decision": answer})

    server = StdioServerParameters(command=command, args=list(args))
    callback = None if answer == "absent" else person
    mode = "legacy" if era == "legacy" else "auto"
    async with Client(server, mode=mode, elicitation_callback=callback) as client:
        report = {"version": client.protocol_version, "asked": asked}
        report["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        try:
            result = await client.call_tool(tool, json.loads(arguments), meta=json.loads(meta))
            report["isError"] = bool(result.is_error)
            report["text"] = "\n".join(getattr(item, "text", "") for item in result.content)
            report["meta"] = result.meta or {}
        except MCPError as error:
            report["error"] = {"code": error.error.code, "data": error.error.data}
        print(json.dumps(report))


anyio.run(main, *sys.argv[1:])
