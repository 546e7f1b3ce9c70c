"""Skills for a comparison with the reference validator, skills-ref.

usage: python skills.py DIRECTORY COUNT [CORPUS]

Writes COUNT generated skills below DIRECTORY, and copies of those in CORPUS, and prints what skills-ref says of each as one
line of JSON: the path of the SKILL.md with a list of messages, or with the name of the exception with which it ends.
"""

import json
import random
import shutil
import sys
from pathlib import Path

from skills_ref import validate

LINES = [
    "name: a", "name: x", "name: A--b", "name: -a", "name: é", "name: ①", "name: ~", "name: 1.0", 'name: "a-b"', "name: [a]",
    "name: हिन्दी", "name: ǅ", "description: Use it.", "description: ", "description: |", "description: >-", "license: MIT",
    "metadata:", "  a: b", "    c: d", "- x", "  - y", "-", "- - z", "? k", ": v", "# c", " # d", "key: # e", '"q": r',
    "'s': t", "a: |", "a: >-", "a: |2+ # x", "  text", "   more", "", "  ", "\t", "\ttab", "a:\tb",
    'a: "x\\n\\x41\\u00e9\\q"', 'a: "multi', '  line"', "a: 'it''s'", "a: [b", "a: {b: c}", "[a, b]: c", "a: b: c", "a b",
    "&x a: b", "a: *y", "a: !t b", "!!str a: b", "a: !<x> b", "a: !h!s b", "%YAML 1.2", "%TAG ! x:", "%foo bar", "...",
    "<<: x", "<<:", "  name: m", "=: b", "a: =", "a: @b", "a: `b", "a: %b", "a: - b", 'a: "b" c', "a:b", "a : b", "a: b #c",
    "a: b#c", "a: ~", "{", "}", "]", "a: , b", "a: ]", "\u2028x", "a: \x85b", "compatibility:", "compatibility: x",
    "allowed-tools: Read", "- a: b", "  c: d", "a: >", "*a : b", "a: &b", "? - a", "? a: b", "a: !", "!", "-\tx", "- \tx",
    "a: |\t", "a: 'x", 'a: "x\\', '"', "a: !%41 b", "a: !%zz b", "a: !%ff b", 'description: "\\U0001F600 x"',
    'description: "\\UFFFFFFFF"', "a: x\ufeffy", '"k', "'k", " a: b", "   - a", "description: " + "d" * 1025,
    "compatibility: " + "c" * 501, "name: " + "n" * 65, "description: a --- b", "a: \x07",
]
CHARACTERS = "ab:-#?[]{},&*!|>'\"%@`\n\n\n  \t.\\=<~0é\u2028\x85"


def generated(rnd: random.Random) -> str:
    if rnd.random() < 0.6:
        indent = lambda: " " * rnd.choice([0, 0, 0, 1, 2, 4]) if rnd.random() < 0.3 else ""
        front = "\n".join(indent() + rnd.choice(LINES) for _ in range(rnd.randint(1, 7))) + "\n"
    else:
        front = "".join(rnd.choice(CHARACTERS) for _ in range(rnd.randint(1, 25))) + rnd.choice(["", "\n"])
    begin = rnd.choice(["---\n"] * 12 + ["---", "\ufeff---\n", "--\n", "\n---\n", "---\r\n"])
    end = rnd.choice(["---\nbody\n"] * 12 + ["---", "", "--\n"])
    return begin + front + end


def said(directory: Path) -> object:
    try:
        return validate(directory)
    except Exception as error:  # It does not catch everything itself.
        return type(error).__name__


def main() -> None:
    root, count = Path(sys.argv[1]), int(sys.argv[2])
    rnd = random.Random(2640)
    answers = {}
    for number in range(count):
        directory = root / f"{number:05}" / rnd.choice(["a", "x", "a-b", "é"])
        directory.mkdir(parents=True)
        (directory / "SKILL.md").write_text(generated(rnd), encoding="utf-8", newline="")
        answers[str(directory / "SKILL.md")] = said(directory)
    for corpus in sys.argv[3:]:
        for number, path in enumerate(sorted(Path(corpus).rglob("SKILL.md"))):
            directory = root / f"corpus-{number:05}" / path.parent.name
            directory.mkdir(parents=True)
            shutil.copyfile(path, directory / "SKILL.md")
            answers[str(directory / "SKILL.md")] = said(directory)
    print(json.dumps(answers))


main()
