"""Projects in other languages, from red to green through the command line."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine
from languages import LANGUAGES, Language, write_project
from projects import commit_all, write
from treestate import fingerprint

AGENT = """\
import json, os, sys

path, line, current, should_be = sys.argv[1:]
change = {"file": path, "line": int(line), "current": current, "should_be": should_be}
if os.environ["CLEW_ROLE"] == "diagnose":
    reply = {
        "failure_classification": "test_failure",
        "root_cause": "one too far",
        "root_cause_location": {"file": path, "line": int(line)},
        "fix": {"description": "mend it", "changes": [change]},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }
else:
    reply = {"changes_made": "mended", "files_modified": [path], "changes": [change]}
print(json.dumps(reply))
"""


@pytest.fixture
def person(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[CommandLine, Language]:
    language = LANGUAGES[request.param]
    project = commit_all(write_project(tmp_path / "shop", language))
    return CommandLine(project, tmp_path / "state"), language


def agent(tmp_path: Path, language: Language) -> str:
    script = tmp_path / "agent" / "mend.py"
    script.parent.mkdir()
    script.write_text(AGENT)
    words = (language.path, str(language.line), language.current, language.should_be)
    quoted = " ".join(f"'{word}'" for word in words)
    return f"command:{sys.executable} {script} {quoted}"


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("person", sorted(LANGUAGES), indirect=True)
def test_an_agent_mends_any_language(person: tuple[CommandLine, Language], tmp_path: Path) -> None:
    """Red, mended, green, proven; the person's tree is as it was, and the diff is the change."""
    clew, language = person
    before = fingerprint(locate(clew.project))

    said = clew.run("fix", "--json", "--agent", agent(tmp_path, language), *language.options)

    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert before == fingerprint(locate(clew.project))
    proof = said.summary["proof"]
    weak = [row["measured"] for row in proof["rows"] if not row["holds"]]
    unread = ["weakly tested: no small change could be made there"]
    assert (unread if language.path.endswith(".sh") else []) == weak
    runs = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "TestsRan"]
    assert [language.red] == [red["id"] for red in runs[0]["red"]]
    assert language.runner == runs[0]["command"]["runner"]
    diff = clew.run("diff").out
    assert f"-{language.current}" in diff.replace("\t", "").replace("    ", "") or (
        language.current in diff
    )
    assert language.should_be in diff


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("person", ["cargo", "go", "node", "script"], indirect=True)
def test_the_repairer_reports_what_it_cannot_mend(person: tuple[CommandLine, Language]) -> None:
    """Evidence and suspects, no edits, low confidence, and the word that an agent is needed."""
    clew, language = person

    said = clew.run("fix", "--json", "--max-iterations", "1", *language.options)

    assert (1, "waiting") == (said.code, said.summary["status"]), said
    told = next(e["event"] for e in said.events[:-1] if e["event"]["type"] == "Diagnosed")
    assert "low" == told["diagnosis"]["confidence"]
    assert "agent" in told["diagnosis"]["confidence_reason"]
    if language.runner != "command":
        suspect, found = told["suspects"][0], told["diagnosis"]
        assert (language.path, language.line) == (found["path"], found["line"])
        assert (language.path, language.line) == (suspect["path"], suspect["line"])
    assert "AgentErred" not in said.out


@pytest.mark.slow
@pytest.mark.parametrize("person", ["junit"], indirect=True)  # the others: in the report, above
def test_suspects_are_named_by_file_and_line(person: tuple[CommandLine, Language]) -> None:
    """The innermost frame of the project's code stands first."""
    clew, language = person

    said = clew.run("localize", *language.options)

    assert 0 == said.code, said
    assert f"{language.path}:{language.line}" in said.out.splitlines()[0]


@pytest.mark.parametrize("person", ["go", "script"], indirect=True)
def test_the_doctor_says_what_is_heard(person: tuple[CommandLine, Language]) -> None:
    """How tests would be run, what is known of each, and who can mend."""
    clew, language = person

    said = clew.run("doctor")

    assert f"{language.command} ({language.source}" in said.out
    heard = "one fact a run" if language.runner == "command" else "each test"
    assert heard in said.out


ASSERTED = {
    "node": {
        "package.json": '{"type": "module", "scripts": {"test": "node --test"}}\n',
        "src/cart.js": "export const tax = 2;\n\nexport function total(n) {\n  return n + 1;\n}\n",
        "test/cart.test.js": (
            "import assert from 'node:assert';\nimport { test } from 'node:test';\n"
            "import { total } from '../src/cart.js';\n\n"
            "test('sums', () => {\n  assert.strictEqual(total(3), 3);\n});\n"
        ),
    },
    "go": {
        "go.mod": "module example.com/shop\n\ngo 1.18\n",
        "cart.go": "package shop\n\nfunc total(n int) int {\n\treturn n + 1\n}\n",
        "cart_test.go": (
            'package shop\n\nimport "testing"\n\nfunc TestSums(t *testing.T) {\n'
            '\tif got := total(3); got != 3 {\n\t\tt.Errorf("total(3) = %d; want 3", got)\n\t}\n}\n'
        ),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("language", ASSERTED)
def test_an_assertion_leads_to_what_the_test_calls(tmp_path: Path, language: str) -> None:
    """It names a line of the test alone; the diagnosis says what was wanted, got, and of whom."""
    clew = CommandLine(commit_all(write(tmp_path / "shop", ASSERTED[language])), tmp_path / "state")

    told = clew.run("diagnose", "--agent", "repair", "--json").summary
    shown = clew.run("evidence").out
    found = clew.run("localize", "--json").summary

    path = {"go": "cart.go", "node": "src/cart.js"}[language]
    assert {"file": path, "line": 3} == {
        name: told["root_cause_location"][name] for name in ("file", "line")
    }
    assert "`total(3)` returns `4` where" in told["root_cause"]
    assert f"`{path}:3` in `total`" in shown
    assert (path, 3, "total") == (found["path"], found["line"], found["function"])


SHELL = {
    "clew.toml": 'test-command = "sh check.sh"\njunit = "out/*.xml"\n',
    "check.sh": "mkdir -p out\nexec bats --formatter junit test > out/report.xml\n",
    ".gitignore": "out\n",
    "last.sh": '#!/bin/sh\necho "$1"\n',
    "test/last.bats": (
        '@test "the last of <two>" {\n  run sh last.sh 1 2\n  [ "$output" = 2 ]\n}\n\n'
        '@test "nothing is said of one" {\n  sh last.sh 1\n}\n'
    ),
}


@pytest.mark.slow
def test_a_report_that_the_settings_name_decides(tmp_path: Path) -> None:
    """Its tests are known by name: the red one turns green, and the other stays so."""
    clew = CommandLine(commit_all(write(tmp_path / "shop", SHELL)), tmp_path / "state")
    last = replace(LANGUAGES["junit"], path="last.sh", should_be='shift $(($# - 1)); echo "$1"')

    said = clew.run("fix", "--json", "--agent", agent(tmp_path, last))

    assert (0, "green") == (said.code, said.summary["status"]), said
    runs = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "TestsRan"]
    assert ["last.bats::the last of <two>"] == [red["id"] for red in runs[0]["red"]]
    rows = {row["claim"]: row["measured"] for row in said.summary["proof"]["rows"]}
    assert "2 of 2" == rows["of them pass in a pristine checkout"]
