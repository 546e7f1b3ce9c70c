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

NAMES = [
    "{}", "{}", "{}", "{}", "'{}'", '"{}"', "{} # c", "|-\n  {}", ">\n  {}", "x", "A--b", "-a", "a-", "é", "", "[a]",
    "{}\nname: {}", "हिन्दी", "n" * 65, "a b", "a_b", "- {}", "\n  {}",
]
DESCRIPTIONS = [
    "Use it.", "Use it when asked.", "'Use it: always.'", '"Use \\"it\\"."', "|\n  Use it.\n  Always.", ">-\n  Use\n  it.\n",
    "Use it\n  always.", "Reads # c", "読む", "", "d" * 1024, "d" * 1025, "Use it: always.", "[a, b]", "- a", "@a", "`a`",
    "'it''s'", '"a\\x41\\u00e9"', '"a\\q"', '"open', "&x a", "*x", "!t a", "%a", "a: b: c",
]
FIELDS = [
    "license: MIT", "license:\n  a: b", "compatibility: Needs Python.", "compatibility: " + "c" * 500,
    "compatibility: " + "c" * 501, "compatibility:\n  - a", "metadata:\n  author: Ada\n  version: \"1.0\"",
    "metadata:\n  version: 1.0", "metadata: x", "metadata:", "metadata: {a: b}", "metadata:\n  a:\n    b: c",
    "metadata:\n    a: b\n    c: d", "metadata:\n  a: b\n   c: d", "metadata:\n  a: b\n  a: c", "metadata:\n- a",
    "allowed-tools: Read Write", "allowed-tools:\n  - Read\n  - Bash(git:*)", "allowed-tools: [Read]", "allowed-tools: Read, Write",
    "version: 1.0", "argument-hint: [file]", "user-invocable: true", "x-personal-mcp:\n  id: a", "tags:\n  - a", "# c", " # c", "",
    "<<: x", "%YAML 1.2", "'license': MIT", '"license": MIT', "license : MIT", "license:MIT", "license", "license: a#b",
    "? license\n: MIT", "license: |\n  a\n b", "license: 'a", "license: }", "license: a]", "\tlicense: MIT", "license: !!str a",
]


def generated(rnd: random.Random, directory: str) -> str:
    """A part of the skills are as people write them, and the others have something odd. docs/skills.md lists what is judged
    otherwise, and so does not occur here."""
    usual = lambda values: rnd.choice(values if rnd.random() < 0.5 else values[:8])
    lines = ["name: " + usual(NAMES).replace("{}", directory), "description: " + usual(DESCRIPTIONS)]
    if rnd.random() < 0.06:
        lines.pop(rnd.randrange(2))
    lines += rnd.sample(FIELDS, rnd.choice([0, 0, 0, 1, 1, 2]))
    if rnd.random() < 0.3:
        rnd.shuffle(lines)
    begin = rnd.choice(["---\n"] * 20 + ["\ufeff---\n", "--\n", "\n---\n"])
    end = rnd.choice(["---\nbody\n"] * 20 + ["---", "", "--\n"])
    text = begin + "\n".join(lines) + "\n" + end
    return text.replace("\n", "\r\n") if rnd.random() < 0.1 else text


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
        directory = root / f"{number:05}" / rnd.choice(["a", "x", "a-b", "pdf-tools"])
        directory.mkdir(parents=True)
        (directory / "SKILL.md").write_text(generated(rnd, directory.name), encoding="utf-8", newline="")
        answers[str(directory / "SKILL.md")] = said(directory)
    for corpus in sys.argv[3:]:
        for number, path in enumerate(sorted(Path(corpus).rglob("SKILL.md"))):
            directory = root / f"corpus-{number:05}" / path.parent.name
            directory.mkdir(parents=True)
            shutil.copyfile(path, directory / "SKILL.md")
            answers[str(directory / "SKILL.md")] = said(directory)
    print(json.dumps(answers))


main()
