"""An echo server written with FastMCP.

usage: python fastmcp_server.py (--stdio | --http PORT)
"""

import sys

from fastmcp import FastMCP

server = FastMCP("echo-fastmcp")


@server.tool
def echo(message: str) -> str:
    """Returns the message."""
    return message


if sys.argv[1] == "--stdio":
    server.run(show_banner=False)
else:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
