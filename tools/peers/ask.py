"""A client written with the Python SDK that makes some requests in one session and prints the results as one line of JSON.

usage: python ask.py legacy|modern REQUESTS (URL | CMD ARGS...)
REQUESTS is a list of { method, params }; methods that the SDK does not know are sent as they are.
"""

import json
import sys
from typing import Any

import anyio
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import Request
from pydantic import BaseModel, TypeAdapter

ANYTHING = TypeAdapter(dict[str, Any])


async def ask(client: Client, method: str, params: dict[str, Any]) -> Any:
    match method:
        case "resources/list":
            return await client.list_resources(**params)
        case "resources/templates/list":
            return await client.list_resource_templates(**params)
        case "resources/read":
            return await client.read_resource(**params)
        case "tools/list":
            return await client.list_tools(**params)
        case "tools/call":
            return await client.call_tool(params["name"], params.get("arguments"))
        case "prompts/get":
            return await client.get_prompt(**params)
        case _:
            return await client.session.send_request(Request[dict[str, Any], str](method=method, params=params), ANYTHING)


async def main(era: str, requests: str, first: str, *rest: str) -> None:
    server = first if first.startswith("http:") else StdioServerParameters(command=first, args=list(rest))
    async with Client(server, mode="legacy" if era == "legacy" else "auto") as client:
        answers = []
        for request in json.loads(requests):
            try:
                answer = await ask(client, request["method"], request.get("params", {}))
            except MCPError as error:
                answer = {"error": str(error)}
            if isinstance(answer, BaseModel):
                answer = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
            answers.append(answer)
        print(json.dumps({"version": client.protocol_version, "answers": answers}))


anyio.run(main, *sys.argv[1:])
