"""The project's tests: which command runs them, where, and the facts of a run.

command = detect(path, worktree, flag=…, settings=…)
site = build(project, worktree, command, scratch=…)
report = run(site, command, Request(), scratch)

detection, commands, recipes, guides   which command runs them
environments, interpreters, toolchains   with what
site, deployment   where they see the code, and the probe
running, rounds    one run: as one process, or several without the tests that ended the one before
answering          calls made again where nobody tests
followed           a program of Python's, and the calls of the project's functions in it
records            what the probe wrote, read back as facts
dialects, writers  runners that the probe does not reach, and JUnit's XML
infrastructure, endings, bounds   what says nothing about the code
selection          words that choose among the tests
"""

from clew.runners.answering import answered
from clew.runners.commands import recognise, split
from clew.runners.deployment import deploy
from clew.runners.detection import command_of, detect, pattern
from clew.runners.followed import followed
from clew.runners.interpreters import facts, find
from clew.runners.records import InterpreterFacts
from clew.runners.request import CopyResult, Disguise, Report, Request, places_of_hangs
from clew.runners.running import run
from clew.runners.selection import Words, parted
from clew.runners.site import Site, apart, build, site_for
from clew.runners.toolchains import forget

__all__ = [
    "CopyResult",
    "Disguise",
    "InterpreterFacts",
    "Report",
    "Request",
    "Site",
    "Words",
    "answered",
    "apart",
    "build",
    "command_of",
    "deploy",
    "detect",
    "facts",
    "find",
    "followed",
    "forget",
    "parted",
    "pattern",
    "places_of_hangs",
    "recognise",
    "run",
    "site_for",
    "split",
]
