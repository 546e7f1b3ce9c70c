"""A client written with the Python SDK that looks at what a model is given of each tool, and reads the help.

usage: python disclosed.py legacy|modern with|without CMD ARGS...
"""

import json
import sys

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters


async def main(era: str, which: str, command: str, *args: str) -> None:
    server = StdioServerParameters(command=command, args=list(args))
    async with Client(server, mode="legacy" if era == "legacy" else "auto") as client:
        tools = (await client.list_tools()).tools
        help_text = None
        if which == "with":
            help_text = (await client.read_resource("overt://ai-help")).contents[0].text
        report = {
            "tools": [
                {"name": tool.name, "description": tool.description, "inputSchema": json.dumps(tool.input_schema)}
                for tool in tools
            ],
            "help": help_text,
        }
        print(json.dumps(report))


anyio.run(main, *sys.argv[1:])
