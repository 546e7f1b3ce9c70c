"""A server with skills (SEP-2640) written with FastMCP.

usage: python fastmcp_skills.py DIRECTORY
"""

import sys
from pathlib import Path

from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills.extension import SkillsExtension

provider = SkillsDirectoryProvider(roots=Path(sys.argv[1]), experimental_skills=True)
server = FastMCP("skills-fastmcp")
server.add_provider(provider)
server.add_extension(SkillsExtension(providers=[provider]))
server.run(show_banner=False)
