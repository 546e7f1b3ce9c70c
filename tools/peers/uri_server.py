"""A server of files over stdio that reads URIs as lenient Python code does: stripped, with `\\` for `/`, unquoted twice."""
import json
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

listed = sys.argv[1:]


def read(uri):
    url = urlparse(uri.strip().replace("\\", "/"))
    if url.scheme != "file":
        raise ValueError("not a file")
    path = unquote(unquote(url.path))
    return {"contents": [{"uri": uri, "text": Path(path).read_text()}]}


ANSWERS = {
    "initialize": lambda _: {
        "protocolVersion": "2025-11-25",
        "capabilities": {"resources": {}},
        "serverInfo": {"name": "python-files", "version": "1"},
    },
    "tools/list": lambda _: {"tools": []},
    "resources/list": lambda _: {"resources": [{"uri": Path(path).as_uri(), "name": path} for path in listed]},
    "resources/templates/list": lambda _: {"resourceTemplates": []},
    "resources/read": lambda params: read(params["uri"]),
}

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    try:
        answer = {"result": ANSWERS[request["method"]](request.get("params"))}
    except KeyError:
        answer = {"error": {"code": -32601, "message": "no such method"}}
    except (OSError, ValueError) as error:
        answer = {"error": {"code": -32002, "message": str(error)}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
