"""What tests and agents see of a machine: the project, what it is run with, and what is named."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from clew.sandbox.confinement import Level, examine
from commandline import CommandLine
from projects import FIRST, commit_all, diagnosis, write

LEVELS = ("namespace", "landlock")
HELPER = "def reply():\n    return {reply!r}\n"
SCRIPT = "import json, helper\nprint(json.dumps(helper.reply()))\n"
PYENV = """\
#!/bin/sh
# As `pyenv which` has it, beside a shim that starts what the project chose.
[ "$1" = which ] && [ -f .python-version ] && { echo "PYTHON"; exit; }
echo "pyenv: $2: command not found" >&2
exit 127
"""
SHIM = """\
#!/usr/bin/env bash
set -e
program="${0##*/}"
export PYENV_ROOT="MANAGER"
exec "MANAGER/libexec/pyenv" exec "$program" "$@"
"""


@pytest.fixture
def person(tmp_path: Path, clew: CommandLine, level: str) -> CommandLine:
    """Somebody with a home of their own, at a level of the sandbox."""
    if why := examine(Level(level)):
        pytest.skip(" ".join(why))
    home = tmp_path / "home"
    home.mkdir()
    clew.env |= {"CLEW_SANDBOX": level, "HOME": str(home)}
    clew.env |= {"PATH": clew.environment()["PATH"], "CLEW_CACHE_HOME": str(tmp_path / "cache")}
    return clew


def asked(person: CommandLine, agent: str) -> str:
    """What came of asking an agent for one diagnosis."""
    said = person.run("diagnose", "--agent", agent)
    return f"{said.code}\n{said.out}\n{said.err}"


REPLY = diagnosis("the neighbour was imported", FIRST)["reply"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "lies"),
    [
        *((level, lies) for level in LEVELS for lies in ("in a folder", "above the project")),
        ("namespace", "in the home"),  # a folder that is hidden as a whole cannot be listed below
    ],
)
def test_a_script_imports_its_neighbours(person: CommandLine, lies: str) -> None:
    """Wherever the script of a command lies, what lies beside it can be imported."""
    home = Path(person.env["HOME"])
    folder = {"in a folder": home / "agents", "in the home": home}.get(lies, home.parent / "tools")
    write(folder, {"agent.py": SCRIPT, "helper.py": HELPER.format(reply=REPLY)})
    word = "../tools/agent.py" if lies == "above the project" else str(folder / "agent.py")

    assert "the neighbour was imported" in asked(person, f"command:python3 {word}")


@pytest.mark.parametrize("level", LEVELS)
def test_the_shim_of_a_version_manager_means_its_program(person: CommandLine) -> None:
    """It is resolved outside of the sandbox; where its manager knows no program, that is said."""
    home = Path(person.env["HOME"])
    python, root = Path(sys.executable), home / ".pyenv"
    write(root / "libexec", {"pyenv": PYENV.replace("PYTHON", str(python))})
    write(root / "shims", {"python3": SHIM.replace("MANAGER", str(root))})
    for program in (root / "libexec" / "pyenv", root / "shims" / "python3"):
        program.chmod(0o755)
    write(home / "agents", {"agent.py": SCRIPT, "helper.py": HELPER.format(reply=REPLY)})
    write(person.project, {".venv/pyvenv.cfg": ""})
    person.env["PATH"] = f"{root / 'shims'}:{person.env['PATH']}"
    agent = f"command:python3 {home}/agents/agent.py"
    tests = ("--test-command", f"{python} -m pytest")

    missing = person.run("diagnose", "--agent", agent, *tests)
    assert "is a shim of a version manager" in missing.err, missing
    assert "pyenv: python3: command not found" in missing.err

    (person.project / ".python-version").write_text("3\n")
    found = person.run("diagnose", "--agent", agent, *tests)
    assert "the neighbour was imported" in found.out, found


READS = """\
from pathlib import Path

import pytest

SEEN, UNSEEN = {seen}, {unseen}


@pytest.mark.parametrize("path", SEEN)
def test_seen(path):
    assert "read" == Path(path).read_text()


@pytest.mark.parametrize("path", UNSEEN)
def test_unseen(path):
    with pytest.raises(OSError):
        print(Path(path).read_text())
"""


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_more_is_seen_where_it_is_named(person: CommandLine, tmp_path: Path) -> None:
    """By the setting `readable`, or a link that git ignores; one that git holds names nothing."""
    home = Path(person.env["HOME"])
    for name in ("fixtures", "data", "other", "home/models", "node"):
        write(tmp_path / name, {"file": "read"})
    links = {"data": tmp_path / "data", "held": tmp_path / "other"}
    for name, onto in (*links.items(), ("node_modules/mine", tmp_path / "node")):
        link = person.project / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(onto)
    seen: list[object] = [tmp_path / "fixtures/file", home / "models/file", "data/file"]
    if person.env["CLEW_SANDBOX"] == "namespace":  # what is installed has no other place in it
        seen.append("node_modules/mine/file")
    unseen = [tmp_path / "other/file", "held/file", "/etc/shadow"]
    reads = READS.format(seen=[*map(str, seen)], unseen=[*map(str, unseen)])
    readable = json.dumps([str(tmp_path / "fixtures"), "~/models"])
    write(
        person.project,
        {
            "tests/test_add.py": reads,
            "tests/test_area.py": "",
            ".gitignore": "/data\nnode_modules/\n",
            "clew.toml": f"readable = {readable}\n",
        },
    )
    commit_all(person.project)
    said = person.run("fix")

    many = len(seen) + len(unseen)
    assert f"nothing to do: all {many} tests pass\n" == said.out, said


def test_doctor_tells_what_is_named_in_vain(clew: CommandLine) -> None:
    """A path that is not there, and a home as a whole; and how more is named."""
    write(clew.project, {"clew.toml": 'readable = ["/nowhere", "~", "notes.txt"]\n'})
    said = clew.run("doctor", "--json")
    told: dict[str, list[str]] = {}
    for each in said.events:
        told.setdefault(each["name"], []).append(each["says"])

    assert [
        "readable names /nowhere, which does not exist",
        "readable names ~, which is never shown whole: name what you need inside it",
    ] == told["readable"]
    assert "`readable` in clew.toml names more" in told["files"][0]
