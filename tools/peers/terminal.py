"""A person at a terminal: runs a program on a pseudo terminal and types what a script says. Prints what came of it as one line of JSON.

usage: python terminal.py SCRIPT
SCRIPT is JSON: `command`; `steps`, a list of [what is waited for, what is typed then]; and for a program that answers questions
of another one: `beside`, the command of the other one, which starts after the steps; `answers`, further steps while it runs; and
`leave`, what is typed when it has ended.
"""

import json
import os
import pty
import select
import subprocess
import sys
import threading
import time

PATIENCE = 30.0


class Terminal:
    def __init__(self, command: list[str]) -> None:
        self.text = ""
        self.read_to = 0
        self.is_open = True
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # Overt asks for the passphrase wherever an agent may be at work; here it always does.
            os.execvpe(command[0], command, os.environ | {"TERM": "xterm", "CLAUDE_CODE_CHILD_SESSION": "1"})

    def pump(self, seconds: float) -> None:
        if not self.is_open or not select.select([self.fd], [], [], seconds)[0]:
            return
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            # Linux says so when the program has ended.
            data = b""
        self.is_open = bool(data)
        self.text += data.decode(errors="replace")

    def play(self, waited: str, typed: str, goes_on=None) -> bool:
        """Waits and types. Without `goes_on` it waits for `PATIENCE`, else as long as that holds."""
        until = time.monotonic() + PATIENCE
        is_late = lambda: not goes_on() if goes_on else time.monotonic() > until
        while True:
            at = self.text.find(waited, self.read_to)
            if at >= 0:
                self.read_to = at + len(waited)
                os.write(self.fd, typed.encode())
                return True
            if not self.is_open or is_late():
                return False
            self.pump(0.1)

    def end(self) -> int:
        until = time.monotonic() + PATIENCE
        while self.is_open and time.monotonic() < until:
            self.pump(0.1)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def main(script: dict) -> None:
    terminal = Terminal(script["command"])
    missed = [waited for waited, typed in script["steps"] if not terminal.play(waited, typed)]
    report = {}
    if "beside" in script and not missed:
        other = subprocess.Popen(script["beside"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        written: list[str] = []
        reader = threading.Thread(target=lambda: written.append(other.stdout.read()))
        reader.start()
        answers = script["answers"]
        missed += [waited for waited, typed in answers if not terminal.play(waited, typed, reader.is_alive)]
        while reader.is_alive():
            terminal.pump(0.1)
        report["beside"] = {"status": other.wait(), "stdout": "".join(written)}
        os.write(terminal.fd, script["leave"].encode())
    report |= {"status": terminal.end(), "text": terminal.text, "missed": missed}
    print(json.dumps(report))


main(json.loads(sys.argv[1]))
