"""A client written with the Python SDK that starts the servers of a configuration as the file says, makes calls to them, answers for
the person, and prints what came of it as one line of JSON.

usage: python day.py legacy|modern ANSWER CONFIGURATION CALLS
ANSWER is what the person chooses in each dialog (`session-server`, …), or `absent` where nobody can be asked. CALLS is a file with a
list of { server, tool, arguments }.
"""

import json
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import ElicitResult, Implementation


async def main(era: str, answer: str, configuration: str, calls: str) -> None:
    servers = json.loads(Path(configuration).read_text())["mcpServers"]
    report = {"versions": {}, "asked": [], "calls": []}
    clients: dict[str, Client] = {}

    async def person(_context, params) -> ElicitResult:
        report["asked"].append(params.message)
        # No person answers faster, and Overt does not take a faster answer for one.
        await anyio.sleep(0.4)
        return ElicitResult(action="accept", content={"decision": answer})

    async def connect(name: str) -> Client:
        entry = servers[name]
        server = StdioServerParameters(command=entry["command"], args=entry["args"], env=entry.get("env"))
        client = Client(
            server,
            mode="legacy" if era == "legacy" else "auto",
            elicitation_callback=None if answer == "absent" else person,
            client_info=Implementation(name="day-python", version="1"),
        )
        await stack.enter_async_context(client)
        await client.list_tools()
        report["versions"][name] = client.protocol_version
        return client

    async with AsyncExitStack() as stack:
        for call in json.loads(Path(calls).read_text()):
            name = call["server"]
            if name not in clients:
                clients[name] = await connect(name)
            made = {"server": name, "tool": call["tool"]}
            try:
                result = await clients[name].call_tool(call["tool"], call["arguments"])
                text = "\n".join(getattr(item, "text", "") for item in result.content)
                made |= {"isError": bool(result.is_error), "text": text}
            except MCPError as error:
                made |= {"isError": True, "text": str(error)}
            report["calls"].append(made)
        print(json.dumps(report))


anyio.run(main, *sys.argv[1:])
