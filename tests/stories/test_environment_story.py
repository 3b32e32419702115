"""No secret of a person's environment reaches a program that Clew starts, unless they name it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from commandline import CommandLine
from keyshapes import KEYS
from projects import FIRST, TWO_FAULTS, commit_all, diagnosis, git, write
from starts import kind_of, read

pytestmark = pytest.mark.slow

STARTS = Path(__file__).parent.parent / "starts.py"
CHOSEN, WANTED = "CHOSEN_TOKEN", "chosen-to-be-seen-0123"
# By their names, by their values, and by what a name begins with that lets others through.
PLANTED = {
    "AWS_SECRET_ACCESS_KEY": "planted-0-" + "a" * 30,
    "DATABASE_URL": "postgres://me:planted-1-secret@db/prod",
    "GITHUB_TOKEN": KEYS["GitHub, personal"][1],
    "HARMLESS_TO_LOOK_AT": KEYS["Slack"][1],
    "LC_DEPLOY_KEY": "planted-2-" + "b" * 30,
    "MY_PASSWORD": "planted-3-secret",
    "PIP_INDEX_URL": "https://me:planted-4-secret@index.example/simple",
    "PYTEST_SECRET": "planted-5-secret",
    "SSH_AUTH_SOCK": "/run/planted-6-agent.sock",
    "TERM_TOKEN": "planted-7-secret",
}
LOGINS = {
    "ANTHROPIC_API_KEY": "planted-8-" + "c" * 30,
    "GEMINI_API_KEY": "planted-9-" + "d" * 30,
    "OPENAI_API_KEY": "planted-10-" + "e" * 30,
    "OPENROUTER_API_KEY": "planted-11-" + "f" * 30,
}
ALL = {**PLANTED, **LOGINS, CHOSEN: WANTED}
FOREIGN, OWN = {CHOSEN}, set[str]()

# What may be seen, by all that is ever started: what `pass_env` names by tests and agents, and by
# an agent its own login.
KINDS: dict[str, set[str]] = {
    "bwrap": OWN,
    "claude": OWN,
    "codex": OWN,
    "confined cargo": FOREIGN,
    "confined check.sh": FOREIGN,
    "confined claude": FOREIGN | {"ANTHROPIC_API_KEY"},
    "confined codex": FOREIGN | {"OPENAI_API_KEY"},
    "confined gemini": FOREIGN | {"GEMINI_API_KEY"},
    "confined go": FOREIGN,
    "confined mine": FOREIGN,
    "confined node": FOREIGN,
    "confined opencode": FOREIGN | set(LOGINS),
    "confined pytest": FOREIGN,
    "confined python3": FOREIGN,  # the calls of the fixed tests, made again
    "confined search": FOREIGN,
    "confined sh": OWN,  # the sandbox is tried
    "confined unittest": FOREIGN,
    "gemini": OWN,
    "git": OWN,
    "git, as the person": set(ALL),  # `clew apply --commit`, as they would type it
    "go": OWN,
    "opencode": OWN,
    "python claude": set(ALL),  # the hook: Clew itself, run as an agent runs it
    "python facts": OWN,
    "python3": OWN,  # a shim, asked for what it stands for
}

CHECK = f"""\
import os
from pathlib import Path

PLANTED = {sorted({**PLANTED, **LOGINS})}


def seen():
    texts = [str(os.environ)]
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            texts.append(path.read_text(errors="replace"))
        except OSError:
            pass
    return [name for name in PLANTED if any(name in text for text in texts)]
"""
TESTS = (
    CHECK
    + f"""

def test_environment():
    assert seen() == []
    assert os.environ["{CHOSEN}"] == "{WANTED}"
"""
)
CALL = "test_environment()"
UNITTEST = """\
import unittest
from tests.test_environment import test_environment

class Environment(unittest.TestCase):
    def test_it(self):
        test_environment()
"""


@dataclass(frozen=True)
class Scene:
    """Commands, what they start, and what the first of them says."""

    line: str
    starts: frozenset[str]
    says: str


def scene(line: str, *starts: str, says: str = "") -> Scene:
    return Scene(line, frozenset(starts), says)


RUN = "localize --test-command"
SCENES = [
    scene(
        "fix --agent repair && apply --commit",
        *("bwrap", "confined pytest", "confined search", "confined sh", "git", "python facts"),
        *("confined python3", "git, as the person"),
        says="proof: proven",
    ),
    scene("bisect", "confined pytest", "git"),
    scene(f"{RUN} 'python3 -m unittest tests.case'", "confined unittest"),
    scene(f"{RUN} ./check.sh", "confined check.sh", "go"),
    scene(f"{RUN} 'go test ./...'", "confined go", "go"),
    scene(f"{RUN} 'cargo test'", "confined cargo"),
    scene(f"{RUN} 'node --test'", "confined node"),
    scene("agents", "claude", "codex", "gemini", "opencode"),
    scene(
        "fix --json --agent claude,gemini,codex,opencode,mine --max-iterations 1",
        *("confined claude", "confined codex", "confined gemini", "confined mine"),
        "confined opencode",
        says="saw [], True",
    ),
    scene("fix --agent acp:opencode --max-iterations 1", "confined opencode"),
    scene("doctor", "git"),
    scene("hooks install && hooks verify", "python claude"),
]
FAKE = """\
#!/bin/sh
case "$*" in env*) printf '/opt\\n/opt\\n\\ngo1.22\\n' ;; --version) echo 1.0 ;; esac
echo 'You are not logged in' >&2
exit 1
"""
MINE = """\
import json
{check}
answers = {answers!r}
reply = answers[os.environ["CLEW_ROLE"]]
if "root_cause" in reply:
    reply["root_cause"] = f"saw {{seen()}}, {{os.environ['{chosen}'] == '{wanted}'}}"
print(json.dumps(reply))
"""


@pytest.fixture
def person(tmp_path: Path) -> CommandLine:
    """A person with secrets, and a project whose tests look for them."""
    tools = tmp_path / "tools"
    mine = tools / "mine"
    files = {
        **TWO_FAULTS,
        "check.sh": f"#!/bin/sh\nexec python3 -c 'from tests.test_environment import *; {CALL}'\n",
        "clew.toml": f'pass_env = ["{CHOSEN}"]\n[commands]\nmine = "{sys.executable} {mine}"\n',
        "go.mod": "module m\n",
        "package.json": "{}",
        "tests/__init__.py": "",
        "tests/case.py": UNITTEST,
        "tests/test_environment.py": TESTS,
    }
    project = write(tmp_path / "sums", files)
    (project / "check.sh").chmod(0o755)
    answers = {"diagnose": diagnosis("", FIRST)["reply"], "fix": {"changes_made": "nothing"}}
    script = MINE.format(check=CHECK, answers=answers, chosen=CHOSEN, wanted=WANTED)
    fakes = dict.fromkeys(("cargo", "claude", "codex", "gemini", "go", "node", "opencode"), FAKE)
    write(tools, {**fakes, "mine": script})
    for tool in tools.iterdir():
        tool.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    clew = CommandLine(commit_all(project), tmp_path / "state")
    for name in ("name", "email"):
        git(project, "config", f"user.{name}", "me@example.org")
    clew.env |= {**ALL, "HOME": str(home), "CLEW_CACHE_HOME": str(tmp_path / "cache")}
    clew.env["PATH"] = f"{tools}:{clew.environment()['PATH']}"
    return clew


def watched(clew: CommandLine, line: str, record: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(STARTS), str(record), *shlex.split(line)],
        cwd=clew.project,
        env=clew.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.sweep(5)
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.line.partition(" &")[0])
def test_no_program_sees_a_secret_that_is_not_meant_for_it(
    person: CommandLine, tmp_path: Path, scene: Scene
) -> None:
    """Each program that a command starts has its line in the table, and gets what stands there."""
    record = tmp_path / "starts.jsonl"
    first, *more = [watched(person, line, record) for line in scene.line.split(" && ")]
    assert scene.says in first.stdout, (first.stderr, more)
    starts = [(kind_of(words), env) for words, env in read(record)]
    kinds = {kind for kind, _ in starts}
    assert (set(scene.starts), set()) == (kinds & scene.starts, kinds - KINDS.keys())

    leaks = {
        (kind, name)
        for kind, env in starts
        for name, secret in ALL.items()
        if name not in KINDS[kind] and (name in env or secret in " ".join(env.values()))
    }
    lacking = {kind for kind, env in starts if KINDS[kind] and env.get(CHOSEN) != WANTED}
    assert (set(), set()) == (leaks, lacking)


def test_every_program_is_seen_in_some_scene() -> None:
    """Version managers' shims aside, which not every machine has."""
    assert KINDS.keys() - {"python3"} == {kind for scene in SCENES for kind in scene.starts}
