"""Reads each URI of a JSON list through a server over stdio, and prints what came: `[[uri, text or null, error or null], ...]`.

usage: uris.py list|nolist URIS COMMAND...
"""
import json
import subprocess
import sys

first, uris, command = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(number, method, params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    for line in server.stdout:
        answer = json.loads(line)
        if answer.get("id") == number:
            return answer
    raise SystemExit("the server ended")


info = {"name": "uris", "version": "1"}
ask(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
if first == "list":
    ask(1, "resources/list", {})
seen = []
for number, uri in enumerate(uris, 2):
    answer = ask(number, "resources/read", {"uri": uri})
    contents = answer.get("result", {}).get("contents", [{}])
    seen.append([uri, contents[0].get("text"), answer.get("error", {}).get("message")])
server.stdin.close()
server.wait(10)
print(json.dumps(seen))
