"""Clew's choice of files: a failing run in, the prompt out; the cache lies in the state folder."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import msgspec

from clew.agents.prompts import prompt
from clew.analysis.context import Form
from clew.evidence import Evidence
from clew.flows.debugging.driver import first_brief, surrounded
from clew.git.project import locate
from clew.git.worktrees import PrivateRepository
from clew.words.facts import TestRun
from clew.words.settings import Settings

for line in sys.stdin:
    question = json.loads(line)
    project = locate(Path(question["root"]))
    state = Path(question["state"])
    run = msgspec.json.decode(question["run"], type=TestRun)
    evidence = msgspec.json.decode(question["evidence"], type=Evidence)
    began = time.perf_counter()
    repository = PrivateRepository.open(project, state)
    brief = surrounded(
        first_brief(run, evidence, Settings(context_tokens=question["budget"])),
        repository,
        question["commit"],
        state,
    )
    told = prompt("diagnose", brief)
    took = time.perf_counter() - began
    whole = [file.path for file in brief.files if file.form is Form.FULL]
    shown = {file.path: file.text for file in brief.files}
    print(json.dumps({"seconds": took, "shown": shown, "whole": whole, "prompt": told}), flush=True)
