from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from projects import NO_HELP, diagnosis, fix, git, recording, two_fixes
from treestate import fingerprint

ARTEFACTS = Path(".clew") / "ci"


def in_actions(tmp_path: Path) -> dict[str, str]:
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }


def commands(said: Said) -> list[str]:
    """What GitHub would carry out: workflow commands, but for those that are switched off."""
    found, off = [], ""
    for line in said.out.splitlines():
        bare = line.strip()
        if off:
            off = "" if bare == f"::{off}::" else off
        elif bare.startswith("::stop-commands::"):
            off = bare.removeprefix("::stop-commands::")
        elif bare.startswith("::"):
            found.append(bare)
    return found


@pytest.mark.slow
def test_a_pipeline_gets_a_page_a_patch_and_the_result(clew: CommandLine, tmp_path: Path) -> None:
    """The fix is a file beside the red build; nothing of the checkout is changed or committed."""
    before = fingerprint(locate(clew.project))
    said = clew.run("ci", "--agent", two_fixes(tmp_path / "r.jsonl"), env=in_actions(tmp_path))
    assert 0 == said.code, said.err
    assert before == fingerprint(locate(clew.project))
    folder = clew.project / ARTEFACTS
    assert ["fix.patch", "report.md", "reports", "result.json"] == sorted(
        path.name for path in folder.iterdir()
    )
    page = (folder / "report.md").read_text()
    assert "# Clew: a proven fix for 1 red test\n" in page
    assert "+from sums.add import add as ad" in page
    assert page in (tmp_path / "summary.md").read_text()
    result = json.loads((folder / "result.json").read_text())
    assert ("green", 2) == (result["status"], len(list((folder / "reports").iterdir())))
    assert f"patch={folder / 'fix.patch'}\n" in (tmp_path / "output").read_text()
    assert ["::notice file=sums/area.py,line=1", "::notice file=sums/area.py,line=5"] == [
        line.partition(",title=")[0] for line in commands(said)
    ]
    git(clew.project, "apply", str(folder / "fix.patch"))
    assert "import add as ad" in (clew.project / "sums" / "area.py").read_text()


@pytest.mark.slow
def test_a_pipeline_without_a_fix_says_what_was_found(clew: CommandLine, tmp_path: Path) -> None:
    """A person is needed: exit code 1, no patch, not even one of an earlier run."""
    folder = clew.project / ARTEFACTS
    folder.mkdir(parents=True)
    (folder / "fix.patch").write_text("of an earlier run")
    agent = recording(
        tmp_path / "r.jsonl", diagnosis("% a name,\nthat: lacks", NO_HELP), fix(NO_HELP)
    )
    said = clew.run("ci", "--max-iterations", "1", "--agent", agent, env=in_actions(tmp_path))
    assert 1 == said.code, said.err
    assert not (folder / "fix.patch").exists()
    assert "no proven fix for 1 red test: a person is needed" in (folder / "report.md").read_text()
    (line,) = commands(said)
    assert line.startswith("::error file=sums/area.py,line=5,title=")
    assert line.endswith("::%25 a name,%0Athat: lacks")


@pytest.mark.slow
def test_nothing_is_printed_that_a_pipeline_would_carry_out(clew: CommandLine) -> None:
    """A test whose name or output is a workflow command gives none."""
    hostile = "::set-output name=patch::evil"
    (clew.project / "tests" / "test_area.py").write_text(
        "import pytest\n\n\n"
        f"@pytest.mark.parametrize('x', [1], ids=['\\n{hostile}'])\n"
        f"def test_it(x):\n    print('\\n{hostile}\\n')\n    assert x == 2, '\\n{hostile}'\n"
    )
    env = {"GITHUB_ACTIONS": "true", "CLEW_SEARCH_SECONDS": "1"}
    said = clew.run("ci", "--max-iterations", "1", env=env)
    assert 1 == said.code, said.err
    assert [] == [line for line in commands(said) if not line.startswith("::error file=")]


@pytest.mark.slow
def test_green_tests_leave_a_pipeline_nothing_to_do(clew: CommandLine) -> None:
    """Exit code 0, and a page that says so; with --json every line is an object."""
    (clew.project / "tests" / "test_area.py").unlink()
    said = clew.run("ci", "--json", "--output", "kept", env={"GITHUB_ACTIONS": "true"})
    assert (0, "nothing_to_do") == (said.code, said.summary["status"]), said.err
    assert "# Clew: all tests pass\n" in (clew.project / "kept" / "report.md").read_text()


@pytest.mark.slow
def test_the_report_of_the_failed_run_is_held_against_this_one(
    clew: CommandLine, tmp_path: Path
) -> None:
    """A test that was red there and is not here is named: the machine may differ."""
    report = tmp_path / "junit.xml"
    report.write_text(
        "<testsuites><testsuite>"
        '<testcase classname="" name="tests.test_area"><error message="x">y</error></testcase>'
        '<testcase classname="tests.test_add" name="test_add"><failure message="x"/></testcase>'
        '<testcase classname="tests.test_add" name="test_double"/>'
        "</testsuite></testsuites>"
    )
    agent = two_fixes(tmp_path / "r.jsonl")
    said = clew.run("ci", "--failed", str(report), "--agent", agent)
    page = (clew.project / ARTEFACTS / "report.md").read_text()
    assert (1, True) == (said.code, "# Clew: a proven fix" in page), said.err
    assert "exit code 1, for the run of " in said.out
    named = page.partition("but not here\n\n")[2].partition("\n\n")[0]
    assert "- `tests.test_add.test_add`" == named


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ('<testsuite><testcase classname="a" name="b"/></testsuite>', 1, "none of 1 tests is red"),
        ("<testsuites/>", 1, "none of 0 tests is red"),
        ("", 2, "cannot be read"),
        (None, 2, "cannot be read"),
        ("<!DOCTYPE x><testsuite/>", 2, "cannot be read"),
        ("no XML", 2, "cannot be read"),
    ],
)
def test_a_report_is_read_before_anything_is_run(
    clew: CommandLine, tmp_path: Path, text: str | None, code: int, words: str
) -> None:
    """Nothing red there is nothing to do here, and never makes a red build green."""
    report, kept = tmp_path / "junit.xml", clew.project / ARTEFACTS / "report.md"
    kept.parent.mkdir(parents=True)
    kept.write_text("of an earlier run")
    if text is not None:
        report.write_text(text)
    said = clew.run("ci", "--failed", str(report))
    assert (code, code == 2) == (said.code, kept.exists())  # a usage error touches nothing
    assert words in said.out + said.err
    assert "" == clew.run("list").out


@pytest.mark.parametrize("place", ["notes.txt", "notes.txt/below"])
def test_a_place_that_artefacts_cannot_have_is_refused(clew: CommandLine, place: str) -> None:
    """Before any work is done."""
    said = clew.run("ci", "--output", place)
    assert (2, "") == (said.code, said.out)
    assert "artefacts cannot be written to notes.txt" in said.err


@pytest.mark.slow
def test_a_pipeline_stays_red_where_nobody_reads_what_is_said(clew: CommandLine) -> None:
    """A reader that goes ends the work, or leaves the end as it is: never 0 for red tests."""
    with clew.start("ci", "--max-iterations", "1", env={"CLEW_SEARCH_SECONDS": "1"}) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stderr.read()

    assert process.returncode in (1, 130)
