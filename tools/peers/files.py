"""A client written with the Python SDK that lists, makes some calls in one session, answers for the person, and prints what came
of it as one line of JSON.

usage: python files.py legacy|modern ANSWER CALLS (URL | CMD ARGS...)
CALLS is a list of { name, arguments, meta }; `PLAN` in `meta` stands for the plan that the last preview gave.
"""

import json
import sys

import anyio
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import ElicitResult

PLAN = "dev.overt/plan"


async def main(era: str, answer: str, calls: str, first: str, *rest: str) -> None:
    asked: list[str] = []

    async def person(_context, params) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"decision": answer})

    server = first if first.startswith("http:") else StdioServerParameters(command=first, args=list(rest))
    mode = "legacy" if era == "legacy" else "auto"
    async with Client(server, mode=mode, elicitation_callback=person) as client:
        report = {"version": client.protocol_version, "asked": asked, "calls": []}
        report["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        plan = None
        for call in json.loads(calls):
            meta = dict(call.get("meta") or {})
            if meta.get(PLAN) == "PLAN":
                meta[PLAN] = plan
            try:
                result = await client.call_tool(call["name"], call["arguments"], meta=meta)
                plan = (result.meta or {}).get(PLAN, plan)
                text = "\n".join(getattr(item, "text", "") for item in result.content)
                told = {"isError": bool(result.is_error), "text": text, "structured": result.structured_content}
            except MCPError as error:
                told = {"isError": True, "text": str(error)}
            report["calls"].append(told)
        print(json.dumps(report))


anyio.run(main, *sys.argv[1:])
