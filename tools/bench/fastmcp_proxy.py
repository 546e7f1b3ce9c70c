"""FastMCP as a proxy with one connected client for all sessions, which is its fastest way.

usage: python fastmcp_proxy.py (--stdio | PORT) URL
"""

import asyncio
import logging
import sys

from fastmcp import Client
from fastmcp.server import create_proxy


async def main(front: str, url: str) -> None:
    logging.disable(logging.WARNING)
    async with Client(url, mode="legacy") as client:
        proxy = create_proxy(client)
        if front == "--stdio":
            await proxy.run_stdio_async(show_banner=False)
        else:
            await proxy.run_http_async(
                host="127.0.0.1", port=int(front), show_banner=False, uvicorn_config={"log_level": "error"}
            )


asyncio.run(main(*sys.argv[1:]))
