"""A client written with the Python SDK: lists, calls one tool, prints what it got as one line of JSON.

usage: python python_sdk.py legacy|modern TOOL ARGUMENTS (URL | CMD ARGS...)
"""

import json
import sys

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters


async def main(era: str, tool: str, arguments: str, first: str, *rest: str) -> None:
    server = first if first.startswith("http:") else StdioServerParameters(command=first, args=list(rest))
    # `auto` asks the server; the report says what came of it.
    async with Client(server, mode="legacy" if era == "legacy" else "auto") as client:
        capabilities = client.server_capabilities
        tools = (await client.list_tools()).tools
        resources = (await client.list_resources()).resources if capabilities.resources else []
        prompts = (await client.list_prompts()).prompts if capabilities.prompts else []
        result = await client.call_tool(tool, json.loads(arguments))
        report = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools],
            "resources": [str(resource.uri) for resource in resources],
            "prompts": [prompt.name for prompt in prompts],
            "text": "\n".join(getattr(item, "text", "") for item in result.content),
        }
        print(json.dumps(report))


anyio.run(main, *sys.argv[1:])
