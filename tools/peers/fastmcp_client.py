"""A client written with FastMCP: lists, calls one tool, prints what it got as one line of JSON.

usage: python fastmcp_client.py legacy|modern TOOL ARGUMENTS (URL | CMD ARGS...)
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def listed(entries):
    """The entries of a list, or none if the server has no such list."""
    try:
        return await entries
    except Exception:
        return []


async def main(era: str, tool: str, arguments: str, first: str, *rest: str) -> None:
    server = first if first.startswith("http:") else StdioTransport(command=first, args=list(rest))
    # `auto` asks the server; the report says what came of it.
    async with Client(server, mode="legacy" if era == "legacy" else "auto") as client:
        result = await client.call_tool(tool, json.loads(arguments))
        report = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in await client.list_tools()],
            "resources": [str(resource.uri) for resource in await listed(client.list_resources())],
            "prompts": [prompt.name for prompt in await listed(client.list_prompts())],
            "text": "\n".join(getattr(item, "text", "") for item in result.content),
        }
        print(json.dumps(report))


asyncio.run(main(*sys.argv[1:]))
