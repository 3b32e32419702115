"""The project's tests: which command runs them, where, and what a run says.

command = detect(path, worktree, flag=…, settings=…)
site = build(project, worktree, command, scratch=…)
report = run(site, command, Request(), scratch)
"""

from clew.runners.commands import split
from clew.runners.deployment import deploy
from clew.runners.detection import detect, pattern
from clew.runners.interpreters import facts, find
from clew.runners.records import InterpreterFacts
from clew.runners.request import Disguise, Report, Request
from clew.runners.running import run
from clew.runners.selection import Words, parted
from clew.runners.site import Site, apart, build
from clew.runners.toolchains import forget

__all__ = [
    "Disguise",
    "InterpreterFacts",
    "Report",
    "Request",
    "Site",
    "Words",
    "apart",
    "build",
    "deploy",
    "detect",
    "facts",
    "find",
    "forget",
    "parted",
    "pattern",
    "run",
    "split",
]
