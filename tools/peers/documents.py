"""Other people's readers for the documents that `overt describe` writes: prints what they found as one line of JSON.

usage: python documents.py SCHEMAS DIRECTORY      a directory of documents
       python documents.py SCHEMAS URL            an MCP endpoint and the documents beside it
"""

import json
import sys
import urllib.parse
import urllib.request
from pathlib import Path

from jsonschema import Draft202012Validator, validators
from llms_txt import parse_llms_file
from skills_ref import validate


def schema_errors(schemas: Path, name: str, document: object) -> list[str]:
    schema = json.loads((schemas / name).read_text())
    # The schema of the server card is a list of definitions without a root.
    schema.setdefault("$ref", "#/$defs/ServerCard")
    validator = validators.validator_for(schema, default=Draft202012Validator)(schema)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def llms(text: str) -> dict:
    parsed = parse_llms_file(text)
    links = [link for links in parsed.sections.values() for link in links]
    return {"title": parsed.title, "summary": parsed.summary, "sections": len(parsed.sections), "links": len(links)}


def directory(schemas: Path, where: Path) -> dict:
    skills = [skill.parent for skill in where.glob("*/SKILL.md")]
    report = {
        "skills": [skill.name for skill in skills],
        "errors": [f"{skill.name}: {error}" for skill in skills for error in validate(skill)],
        "llms": llms((where / "llms.txt").read_text()),
        "cards": len([card for card in where.glob("cards/*.json") if card.name != "index.json"]),
    }
    for name, schema in {"server.json": SERVER_JSON, "server-card.json": SERVER_CARD}.items():
        if (where / name).exists():
            report["errors"] += schema_errors(schemas, schema, json.loads((where / name).read_text()))
            report[name] = True
    return report


def served(schemas: Path, endpoint: str) -> dict:
    def get(url: str) -> str:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read().decode()

    beside = lambda path: urllib.parse.urljoin(endpoint, path)
    card = json.loads(get(endpoint + "/server-card"))
    index = json.loads(get(beside("/.well-known/mcp-tools/index.json")))
    return {
        "errors": schema_errors(schemas, SERVER_CARD, card),
        "llms": llms(get(beside("/llms.txt"))),
        "twins": get(beside("/llms.txt")) == get(beside("/.well-known/llms.txt")),
        "catalog": json.loads(get(beside("/.well-known/ai-catalog.json"))) != {},
        "index": index != {},
    }


SERVER_JSON = "server-json-2025-12-11.json"
SERVER_CARD = "server-card-v1.json"

schemas, where = Path(sys.argv[1]), sys.argv[2]
print(json.dumps(served(schemas, where) if where.startswith("http:") else directory(schemas, Path(where))))
