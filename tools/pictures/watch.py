"""Draws `docs/images/watch.svg`: `overt watch` with three questions of two clients, as a terminal shows it.

usage: python watch.py OVERT FILE.svg
Needs `pip install pyte==0.8.2`, which is the terminal. Everything happens in a home folder of its own.
"""

import fcntl
import html
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import pyte

COLUMNS, LINES = 96, 48
PASSPHRASE = "for the tests with peers\n"
KEPT = (
    '{"algorithm":"argon2id","memory_kib":65536,"passes":3,"salt":"mV3EyeGPmvMqRv/l0Uv1hA",'
    '"hash":"D5SoxSoRXV0T+OLe2ioIT/qrNwlWH7MiXvT7krNED0A"}'
)
RULES = '[[rules]]\nid = "look-first"\naction = "approve"\nwhen = { effect_at_least = "mutating" }\n'
APP = 'import { start } from "./server";\n\nconst port = 8080;\nstart(port);\n'
COLOURS = {
    "default": "#d8dee9", "black": "#2e3440", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b",
    "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#ffffff",
}  # fmt: skip


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)


class Client:
    """A client of `overt fs` that makes calls and does not wait for their answers."""

    def __init__(self, overt: str, environment: dict[str, str], folder: Path, name: str, version: str) -> None:
        self.process = subprocess.Popen(
            [overt, "fs", "."], cwd=folder, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.number = 0
        info = {"name": name, "version": version}
        self.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
        self.process.stdout.readline()
        self.send("notifications/initialized", {}, is_request=False)

    def send(self, method: str, params: dict, is_request: bool = True) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if is_request:
            self.number += 1
            message["id"] = self.number
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, tool: str, **arguments) -> None:
        self.send("tools/call", {"name": tool, "arguments": arguments})


def watch(overt: str, environment: dict[str, str]) -> tuple[int, int]:
    pid, fd = pty.fork()
    if pid == 0:
        # Wherever this runs, the passphrase shows that a person is there.
        environment = environment | {"TERM": "xterm-256color", "CLAUDE_CODE_CHILD_SESSION": "1"}
        os.execve(overt, [overt, "watch", "--no-notify"], environment)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    return pid, fd


def read(fd: int, stream: pyte.ByteStream, screen: pyte.Screen, wanted: str) -> None:
    until = time.monotonic() + 30
    while wanted not in "\n".join(screen.display):
        if time.monotonic() > until:
            sys.exit(f"the screen never shows {wanted!r}:\n" + "\n".join(screen.display))
        if select.select([fd], [], [], 0.2)[0]:
            stream.feed(os.read(fd, 65536))


def drawn(screen: pyte.Screen, home: str) -> str:
    wide, high = 8.4, 18
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{COLUMNS * wide + 24:.0f}" height="{LINES * high + 24}"'
        ' role="img" aria-label="overt watch: three questions of two clients, and the changes of the selected one">',
        '<rect width="100%" height="100%" rx="6" fill="#1e222a"/>',
        '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
    ]
    for row in range(LINES):
        cells = [screen.buffer[row][column] for column in range(COLUMNS)]
        start = 0
        while start < COLUMNS:
            style = look(cells[start])
            end = start
            while end < COLUMNS and look(cells[end]) == style:
                end += 1
            text = "".join(cell.data for cell in cells[start:end]).replace(home, "/home/ada").rstrip()
            foreground, background, weight = style
            x, y = 12 + start * wide, 12 + row * high
            if background:
                width = (end - start) * wide
                lines.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{high}" fill="{background}"/>')
            if text:
                length = len(text) * wide
                lines.append(
                    f'<text x="{x:.1f}" y="{y + 14}" fill="{foreground}"{weight} textLength="{length:.1f}">'
                    f"{html.escape(text)}</text>"
                )
            start = end
    return "\n".join(lines + ["</g>", "</svg>", ""])


def look(cell) -> tuple[str, str, str]:
    foreground = COLOURS.get(cell.fg, f"#{cell.fg}" if len(cell.fg) == 6 else COLOURS["default"])
    background = "" if cell.bg == "default" else COLOURS.get(cell.bg, f"#{cell.bg}")
    if cell.reverse:
        foreground, background = "#1e222a", foreground
    return foreground, background, ' font-weight="bold"' if cell.bold else ""


def main(overt: str, picture: str) -> None:
    overt = os.path.abspath(overt)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "ada"
        for name, text in {
            ".local/state/overt/passphrase": KEPT,
            ".config/overt/overt.toml": RULES,
            "site/src/app.ts": APP,
            "site/src/old.ts": "export {};\n",
            "api/notes.md": "# Notes\n",
        }.items():
            write(home / name, text)
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        screen = pyte.Screen(COLUMNS, LINES)
        stream = pyte.ByteStream(screen)
        pid, fd = watch(overt, environment)
        read(fd, stream, screen, "Passphrase")
        os.write(fd, PASSPHRASE.encode())
        read(fd, stream, screen, "No question is open")
        claude = Client(overt, environment, home / "site", "Claude Code", "2.1")
        cursor = Client(overt, environment, home / "api", "Cursor", "1.2")
        edit = {"find": "const port = 8080;", "replace": "const port = Number(process.env.PORT ?? 8080);"}
        claude.call("edit_file", path="src/app.ts", edits=[edit])
        read(fd, stream, screen, "1 question")
        claude.call("delete_file", path="src/old.ts")
        read(fd, stream, screen, "2 questions")
        cursor.call("write_file", path="todo.md", content="- [ ] log in\n")
        read(fd, stream, screen, "3 questions")
        text = drawn(screen, str(home))
        os.write(fd, b"q")
        Path(picture).write_text(text)
        for client in (claude, cursor):
            client.process.kill()
        os.close(fd)
        os.waitpid(pid, 0)


main(*sys.argv[1:])
