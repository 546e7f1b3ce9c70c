"""The reference validator, skills-ref, on every skill of a directory, in one process.

usage: python skills_time.py DIRECTORY

Prints how many skills there are and how many of them are valid.
"""

import sys
from pathlib import Path

from skills_ref import validate


def is_valid(directory: Path) -> bool:
    try:
        return not validate(directory)
    except Exception:  # It does not catch everything itself.
        return False


def main() -> None:
    skills = [path.parent for path in sorted(Path(sys.argv[1]).rglob("SKILL.md"))]
    print(len(skills), sum(is_valid(skill) for skill in skills))


main()
