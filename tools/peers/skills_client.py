"""A FastMCP client of a skills server: everything that it can do with skills, compared with the files on the disk.

usage: python skills_client.py legacy|modern LIBRARY (URL | CMD ARGS...)

Prints one line of JSON: the version, the skills, and how many files had the right bytes, sizes and digests.
"""

import asyncio
import hashlib
import json
import sys
import tempfile
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills.client import SkillsClientExtension
from fastmcp.utilities.skills import download_skill, get_skill_manifest, list_skills


def digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


async def main(era: str, library: str, first: str, *rest: str) -> None:
    server = first if first.startswith("http:") else StdioTransport(command=first, args=list(rest))
    mode = "legacy" if era == "legacy" else "auto"
    async with Client(server, mode=mode, extensions=[SkillsClientExtension()]) as client:
        compared = 0
        found = await list_skills(client)
        for skill in found:
            source = Path(library) / skill.name
            manifest = await get_skill_manifest(client, skill.name)
            wanted = sorted(str(path.relative_to(source)) for path in source.rglob("*") if path.is_file())
            assert sorted(file.path for file in manifest.files) == wanted, (skill, manifest)
            with tempfile.TemporaryDirectory() as target:
                copy = await download_skill(client, skill.name, target)
                for file in manifest.files:
                    data = (source / file.path).read_bytes()
                    assert (copy / file.path).read_bytes() == data, file
                    assert (file.size, file.hash) == (len(data), digest(data)), file
                    compared += 1
        report = {"version": client.protocol_version, "skills": [skill.uri for skill in found], "files": compared}
        if era == "modern":
            entries = await client.list_skills()
            for entry in entries:
                assert (await client.get_skill(entry.uri)) == entry, entry
                for file in entry.resources:
                    data = (Path(library) / file.uri.removeprefix("skill://")).read_bytes()
                    assert (file.size, file.digest) == (len(data), digest(data)), file
            report["entries"] = [entry.uri for entry in entries]
        print(json.dumps(report))


asyncio.run(main(*sys.argv[1:]))
