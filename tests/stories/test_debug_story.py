"""A symptom looked into through the command line: asked about, explained, fixed, put away."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from clew import api
from clew.documents.debug_sessions import read
from clew.words.debug_sessions import Aim, DebugStatus
from commandline import CommandLine
from debugplay import MENDED, SHOP, TEST, cause, continuing, waiting
from projects import commit_all, git, write
from scripted import Scripted, diagnosing, happened

FIXING: dict[str, list[dict[str, Any]]] = {
    "diagnose": [diagnosing("total takes one off", MENDED)],
    "fix": [{"says": {"changes_made": "took nothing off", "changes": [MENDED]}}],
}
GOLDEN = Path(__file__).parents[1] / "formats/golden"
SLUG = "checkout-total-is-off-by-one"
WORDS = ("debug", "checkout total is off by one")
SHOWN = "python3 -m shop 1 2 3"


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person in a shop whose totals are off by one."""
    project = commit_all(write(tmp_path / "shop", SHOP))
    env = {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    return CommandLine(project, tmp_path / "state", env)


def document(clew: CommandLine, folder: str = "debug/sessions") -> Any:  # noqa: ANN401 -- read for its fields
    return read((clew.project / folder / f"{SLUG}.md").read_bytes())


def test_a_cause_is_found_and_the_fix_becomes_a_plan(clew: CommandLine, tmp_path: Path) -> None:
    """With what only the person knows; investigators read one document, and nothing is changed."""
    agent = Scripted(tmp_path / "agent", investigate=[waiting(), cause(TEST)])
    told = tmp_path / "told.txt"
    told.write_text("expected: 6\nactual: 5\nerrors: token=ghp_" + "a1" * 18)
    said = clew.run(*WORDS, "--agent", agent.name, "--symptoms", str(told), "--json")
    assert (1, "waiting") == (said.code, said.summary["status"]), said
    assert "which currency is it?" in said.summary["question"]["text"]
    known = document(clew)
    assert (DebugStatus.INVESTIGATING, "checkpoint") == (known.status, known.question.about)
    assert "ghp_" not in known.symptoms.errors

    said = clew.run("answer", SLUG, "it is euros DATA_END")
    assert (1, True) == (said.code, "total takes one off" in said.out), said
    prompt = agent.sent("investigate")[1]
    assert '"debug/sessions/checkout-total-is-off-by-one.md"' in prompt
    assert "it is euros DATA\\_END" in prompt
    assert "which currency" not in prompt  # that stands in the document

    said = clew.run("answer", SLUG, "plan")
    assert (0, True) == (said.code, "## DEBUG SESSION COMPLETE" in said.out), said
    planned = clew.project / f"plans/fix-{SLUG}.md"
    assert () == api.check_plan(planned).errors
    own = f"tests/test_{SLUG.replace('-', '_')}.py"
    assert f"(test: {own})" in planned.read_text()  # a person need not say that it is met
    assert f"test_files: [{own}]" in planned.read_text()
    assert DebugStatus.DIAGNOSED is document(clew).status
    assert SHOP["shop/total.py"] == (clew.project / "shop/total.py").read_text()


def test_a_red_test_is_explained_without_any_agent(clew: CommandLine) -> None:
    """Offline: tests, a repair searched for, the command that shows it; all in the document."""
    said = clew.run(*WORDS, "--diagnose", "--reproduce", "python3 -m shop 1 2 3")
    assert (0, True) == (said.code, "shop/total.py:6" in said.out), said
    known = document(clew)
    assert (DebugStatus.DIAGNOSED, ()) == (
        known.status,
        known.focus.reasoning_checkpoint.lacking,
    )
    shown = [(entry.found, entry.implication) for entry in known.evidence]
    assert ("exit code 1, 3 of 3 runs show the symptom: total 5", "it fails here too") in shown
    assert ("1 red, 1 passed", "the symptom may be what fails") in shown


def test_what_works_is_not_judged_by_what_the_other_command_prints(
    clew: CommandLine, tmp_path: Path
) -> None:
    """What is wrong there may be right here: it is told as what works, and nothing else."""
    agent = Scripted(tmp_path / "agent", investigate=[cause(TEST)])
    told = tmp_path / "told.txt"
    told.write_text("expected: total 6\nactual: total 5\n")
    commands = ("--reproduce", SHOWN, "--works", "echo total 5")
    said = clew.run(*WORDS, "--agent", agent.name, "--symptoms", str(told), *commands)
    assert "3 of 3 runs show it" in said.out + said.err, said
    (works,) = (e for e in document(clew).evidence if e.checked == "ran `echo total 5`")
    assert "exit code 0, 0 of 3 runs show the symptom: total 5" == works.found
    assert "`echo total 5` ended with 0 (0 of 3 runs show it)" in said.out + said.err, said


@pytest.mark.slow
def test_a_document_alone_is_enough_to_go_on_from(clew: CommandLine, tmp_path: Path) -> None:
    """The state folder is gone: what was found out, and the goal, are still there."""
    agent = Scripted(tmp_path / "agent", investigate=[waiting(), cause(TEST)])
    words = ("--diagnose", "--reproduce", "python3 -m shop 1 2 3", "--agent", agent.name)
    said = clew.run(*WORDS, *words)
    assert 1 == said.code, said
    before = document(clew)
    shutil.rmtree(clew.state)
    shutil.rmtree(clew.project / ".clew")
    said = clew.run("debug", "continue", SLUG, "--with-context", "euros", "--agent", agent.name)
    assert (0, True) == (said.code, "total takes one off" in said.out), said
    after = document(clew)
    assert (Aim.FIND, DebugStatus.DIAGNOSED) == (after.goal, after.status)
    assert before.evidence == after.evidence[: len(before.evidence)]
    assert before.created == after.created
    assert [] == list((clew.project / "debug/sessions").glob("*.edited*"))
    assert "euros" in [each.found for each in after.evidence]


@pytest.mark.slow
def test_a_document_in_git_is_gone_on_with_closed_and_reopened_in_a_clone(
    clew: CommandLine, tmp_path: Path
) -> None:
    """It is the project's by then: Clew's newest copy of it is no change of the investigator."""
    agent = Scripted(
        tmp_path / "agent", investigate=[waiting(), waiting("which tax?"), cause(TEST)]
    )
    assert 1 == clew.run(*WORDS, "--diagnose", "--agent", agent.name).code
    assert 1 == clew.run("answer", SLUG, "skip").code
    git(clew.project, "add", "-A")
    git(clew.project, "commit", "-q", "-m", "what was found out")
    other = CommandLine(tmp_path / "clone", tmp_path / "other", clew.env)
    git(clew.project, "clone", "-q", ".", str(other.project))

    closed = other.run("debug", "close", SLUG)
    assert (1, DebugStatus.ABANDONED) == (closed.code, document(other).status), closed
    shutil.rmtree(other.state)
    asked = other.run("debug", "continue", SLUG, "--with-context", "euros", "--agent", agent.name)
    found = other.run("answer", SLUG, "none")

    assert (1, True) == (asked.code, "which tax?" in asked.out), asked
    assert (0, True) == (found.code, "total takes one off" in found.out), found

    assert 1 == clew.run("debug", "close", SLUG).code
    resolved = clew.project / f"debug/sessions/resolved/{SLUG}.md"
    resolved.parent.mkdir()
    text = (clew.project / f"debug/sessions/{SLUG}.md").read_text()
    (clew.project / f"debug/sessions/{SLUG}.md").unlink()
    resolved.write_text(text.replace("status: abandoned", "status: resolved"))
    shutil.rmtree(clew.state)
    again = clew.run("debug", "reopen", SLUG, "--agent", agent.name)
    assert (0, DebugStatus.DIAGNOSED) == (again.code, document(clew).status), again


@pytest.mark.slow
def test_a_fix_is_made_proven_tried_confirmed_and_learned_from(
    clew: CommandLine, tmp_path: Path
) -> None:
    """The whole way; nothing but the person's word resolves it."""
    agent = Scripted(tmp_path / "agent", investigate=[continuing(), cause(TEST)], **FIXING)
    words = ("--reproduce", "python3 -m shop 1 2 3", "--agent", agent.name)
    said = clew.run(*WORDS, *words)
    assert "1 now" in said.out, said
    said = clew.run("answer", SLUG, "now")
    assert (1, True) == (said.code, "Fixed, and proven." in said.out), said
    assert "Root cause: total takes one off" in agent.sent("fix")[0]
    stray = clew.run("answer", SLUG, "now")
    assert (2, True) == (stray.code, "Answers: confirmed, words, stop" in stray.err), stray
    assert 0 == clew.run("apply", SLUG).code
    assert "- 1" not in (clew.project / "shop/total.py").read_text()

    said = clew.run("answer", SLUG, "Fixed")
    assert (0, True) == (said.code, "**Cycles:** 2 (investigation) + 1 (fix)" in said.out), said
    assert "take it" not in said.out
    known = document(clew, "debug/sessions/resolved")
    assert (DebugStatus.RESOLVED, ("shop/total.py",)) == (
        known.status,
        known.resolution.files_changed,
    )
    assert "the symptom is gone" in [each.implication for each in known.evidence]
    assert SLUG in clew.run("knowledge", "search", "checkout").out
    assert "is resolved" in clew.run("debug", "continue", SLUG).err

    said = clew.run("debug", "checkout total is off by two", "--reproduce", "true", *words[2:])
    assert f"a candidate to test: {SLUG}" in said.err, said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "known"),
    [
        ((), "total takes one off (found before a person fixed it, and not confirmed)"),
        (("it was a test's leftover",), "a person says: it was a test's leftover"),
    ],
)
def test_what_a_person_fixed_is_learned_with_its_files(
    clew: CommandLine, tmp_path: Path, said: tuple[str, ...], known: str
) -> None:
    """Those that they changed since the session began; its cause is theirs, or not confirmed."""
    agent = Scripted(tmp_path / "agent", investigate=[cause(TEST)])
    clew.run(*WORDS, "--agent", agent.name, "--reproduce", SHOWN)
    assert 0 == clew.run("answer", SLUG, "manual").code
    mended = SHOP["shop/total.py"].replace(" - 1", "")
    write(clew.project, {"shop/total.py": mended, "shop/rest.py": "REST = 0\n"})
    git(clew.project, "add", "shop/total.py")
    git(clew.project, "commit", "-qm", "Take nothing off")
    clew.run("debug", "continue", SLUG)
    asked = clew.run("answer", SLUG, "fixed", *said)
    assert "Files: shop/rest.py, shop/total.py" in asked.out, asked
    assert 0 == clew.run("answer", SLUG, "confirmed").code
    base = (clew.project / "debug/knowledge-base.md").read_text()
    assert "- **Files changed**: `shop/rest.py`, `shop/total.py`\n" in base
    assert f"- **Root cause**: {known}\n" in base


@pytest.mark.slow
def test_under_tdd_the_test_that_was_red_stays_in_the_project(
    clew: CommandLine, tmp_path: Path
) -> None:
    """One that is green is refused; the right one is confirmed, turned green, and delivered."""
    write(clew.project, {"tests/test_total.py": "def test_nothing():\n    assert True\n"})
    commit_all(clew.project)
    green = "def test_total():\n    assert True\n"
    right = (
        "from shop.total import total\n\n\n"
        "def test_total():\n    assert total([1, 2, 3]) == 6\n\n\n"
        "def test_none():\n    assert total([4]) == 4\n"
    )
    says = {"test_file": "tests/test_off.py", "test_name": "test_total", "expects": "the sum"}
    writing = [{"writes": {"tests/test_off.py": text}, "says": says} for text in (green, right)]
    turns: dict[str, Any] = {"investigate": [cause()], "write-test": writing, **FIXING}
    agent = Scripted(tmp_path / "agent", **turns)
    said = clew.run(*WORDS, "--tdd", "--reproduce", "python3 -m shop 1 2", "--agent", agent.name)
    assert (1, True) == (said.code, "TDD gate: failing test written." in said.out), said
    assert "is not red" in agent.sent("write-test")[1]
    assert "+def test_none():\n" in said.out  # all of what was written, not its failure alone
    (place,) = (line.split(": ", 1)[1] for line in said.out.splitlines() if "All of it: " in line)
    assert right == Path(place).read_text()

    for unclear in ("yes", "yes, it is", "no"):
        said = clew.run("answer", SLUG, unclear)
        assert (2, True) == (said.code, f'-{SLUG} words "…"' in said.err), said
    for number in ("9", "0"):
        said = clew.run("answer", SLUG, number)
        assert (2, True) == (said.code, f"'{number}' is not an answer" in said.err), said
    said = clew.run("answer", SLUG, "confirmed")
    assert "Fixed, and proven." in said.out, said
    assert 0 == clew.run("apply", SLUG).code
    assert right == (clew.project / "tests/test_off.py").read_text()
    assert "- 1" not in (clew.project / "shop/total.py").read_text()
    said = clew.run("answer", SLUG, "yes, gone")
    assert (2, True) == (said.code, "Answers: confirmed, words, stop" in said.err), said
    said = clew.run("answer", SLUG, "9")
    assert (2, True) == (said.code, "(`words 9` says the number itself)" in said.err), said
    assert "- 1" in clew.run("diff", SLUG).out  # the fix is still the session's
    said = clew.run("answer", SLUG, "yes")
    assert (0, True) == (said.code, "**TDD:** yes" in said.out), said


@pytest.mark.slow
def test_what_a_person_writes_into_the_document_is_offered(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Nothing of it is lost, whatever they answer; parts of their own stay where they are."""
    agent = Scripted(tmp_path / "agent", investigate=[waiting(), cause(TEST)])
    assert 1 == clew.run(*WORDS, "--reproduce", "true", "--agent", agent.name).code
    path = clew.project / "debug/sessions" / f"{SLUG}.md"
    own = "- checked: the log\n  found: a rounding\n  implication: look there\n\n## Resolution"
    text = path.read_text().replace("## Resolution", own) + "\n## Mine\n\nkeep this\n"
    path.write_text(text)
    said = clew.run("answer", SLUG, "euros")
    assert (1, True) == (said.code, "was edited by hand" in said.out), said
    assert "Not all of it can hold" not in said.out
    assert text == path.with_name(f"{SLUG}.edited.md").read_text()
    said = clew.run("answer", SLUG, "import")
    assert "a rounding" in [entry.found for entry in document(clew).evidence], said
    assert path.read_text().endswith("## Mine\n\nkeep this\n")
    assert 1 == len(list(path.parent.glob("*.edited*")))


@pytest.mark.slow
@pytest.mark.sweep(4)
@pytest.mark.parametrize("at", ["before", "intent", "effect", "outcome"])
@pytest.mark.parametrize(
    "doing",
    [
        *("TakeBase", "LookUp", "Reproduce", "CallAgent.investigate", "CallAgent.write-test"),
        *("SeeRed", "RunSession", "Reproduce#2", "FileAway"),
    ],
)
def test_a_debug_session_that_is_killed_goes_on_to_the_same_end(
    clew: CommandLine, tmp_path: Path, doing: str, at: str
) -> None:
    """Before, at and after each of its side effects; nothing is lost, and nothing done twice."""
    answers = '[debug_answers]\nfix = "now"\nverify = "confirmed"\n'
    write(clew.project, {"clew.toml": answers})
    test = "from shop.total import total\n\n\ndef test_off():\n    assert total([4]) == 4\n"
    says = {"test_file": "tests/test_off.py", "test_name": "test_off", "expects": "the sum"}
    writing = [{"writes": {"tests/test_off.py": test}, "says": says}]
    turns: dict[str, Any] = {"investigate": [cause()], "write-test": writing, **FIXING}
    agent = Scripted(tmp_path / "agent", **turns)
    name, _, number = doing.partition("#")
    crash = {"CLEW_CRASH_AT": f"{name}.{at}" + (f"#{number}" if number else "")}
    words = ("--reproduce", "python3 -m shop 1 2", "--agent", agent.name)
    assert -9 == clew.run(*WORDS, *words, env=crash).code
    said = clew.run("debug", "continue", SLUG)
    assert (0, True) == (said.code, "## DEBUG SESSION COMPLETE" in said.out), said
    known = document(clew, "debug/sessions/resolved")
    assert DebugStatus.RESOLVED is known.status
    assert [1, 1] == [known.cycles, known.fixes]
    assert not (clew.project / "debug/sessions" / f"{SLUG}.md").exists()
    base = (clew.project / "debug/knowledge-base.md").read_text()
    assert 1 == base.count(f"## {SLUG} ")
    twice = (name, at) == ("CallAgent.investigate", "effect")  # its answer was lost
    assert 1 + twice == len(agent.sent("investigate"))


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [(), ("--", "tests/test_total.py")])
def test_a_reproduction_that_is_code_becomes_the_test_of_a_proven_fix(
    clew: CommandLine, chosen: tuple[str, ...]
) -> None:
    """Offline, where no test shows it: explained, written as a test, seen red, fixed, proven.

    It is run beside the tests that were asked for, all of them or some: those pass.
    """
    quiet = "def test_total():\n    assert True\n"
    write(clew.project, {"tests/test_total.py": quiet})
    commit_all(clew.project)
    shown = 'python3 -c "from shop.total import total; assert total([1, 2, 3]) == 6"'
    told = clew.project.parent / "told.txt"
    told.write_text(f"expected: 6\nactual: 5\nreproduction: $ {shown}\n")
    said = clew.run(*WORDS, "--symptoms", str(told), *chosen)
    assert (1, True) == (said.code, "shop/total.py:6" in said.out), said
    assert "1 red, 1 passed" in [each.found for each in document(clew).evidence]
    assert () == document(clew).resolution.files_changed
    assert quiet == (clew.project / "tests/test_total.py").read_text()

    said = clew.run("answer", SLUG, "now")
    assert "seen red" in said.out + said.err, said
    assert "How sure: medium: 1 other change turns the same tests green" in said.out
    events = [line["event"] for line in clew.run("log", f"{SLUG}-fix", "--json").events]
    assert 2 == next(e["total"] for e in events if e["type"] == "TestsRan")
    assert clew.run("apply", SLUG).code == 0
    assert "- 1" not in (clew.project / "shop/total.py").read_text()
    test = (clew.project / f"tests/test_{SLUG.replace('-', '_')}.py").read_text()
    assert "assert total([1, 2, 3]) == 6" in test


LABEL = {
    "shop/label.py": "def label(text):\n    return text.lower()\n",
    "tests/test_label.py": (
        "import pytest\n\nfrom shop.label import label\n\n\n"
        '@pytest.mark.parametrize("text", ["tea", "a cup"])\ndef test_label(text):\n'
        "    assert label(text) == text.upper()\n"
    ),
    "tests/test_export.py": "from shop.export import out\n\n\ndef test_out():\n    out()\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_a_red_test_of_another_matter_is_left_aside_for_the_command(
    clew: CommandLine,
    *,
    known: bool,
) -> None:
    """Offline: what the command shows is explained and fixed; a red test of it is fixed with it."""
    quiet = {} if known else {"tests/test_total.py": "def test_total():\n    assert True\n"}
    write(clew.project, LABEL | quiet)
    commit_all(clew.project)
    said = clew.run(*WORDS, "--reproduce", SHOWN)
    assert (1, True) == (said.code, "shop/total.py:6" in said.out), said
    labels = [f"tests/test_label.py::test_label[{text}]" for text in ("tea", "a cup")]
    apart = ", ".join(["tests/test_export.py", *labels])
    assert f"Red as well, and left aside: {apart}" in " ".join(said.out.split()), said
    found = {each.checked: each.implication for each in document(clew).evidence}
    left = "another matter: the fix may leave it as it is"
    assert left == found[f"ran {apart} with that repair"]
    same = "of the same matter: the fix has to turn it green as well"
    assert (same if known else None) == found.get(f"ran {TEST} with that repair")

    said = clew.run("answer", SLUG, "now")
    assert "Fixed, and proven." in said.out, said
    assert f"Red as well, and left aside: {apart}" in " ".join(said.out.split()), said
    diff = clew.run("diff", SLUG).out
    assert ("+    return sum(lines)\n" in diff, "label" in diff) == (True, False), diff


@pytest.mark.slow
def test_what_a_root_cause_leaves_red_is_left_aside(clew: CommandLine) -> None:
    """Offline, by red tests alone: the fix is that of the cause, and names what stays red."""
    export = {"tests/test_export.py": "def test_out():\n    from shop.total import out\n"}
    write(clew.project, export)
    commit_all(clew.project)
    told = clew.project.parent / "told.txt"
    told.write_text("actual: it is one too low\n")
    said = clew.run(*WORDS, "--symptoms", str(told))
    assert "1 more test is red" in said.out, said
    assert "Red as well, and left aside: tests/test_export.py::test_out" in said.out
    said = clew.run("answer", SLUG, "now")
    assert "Fixed, and proven." in said.out, said
    assert "Red as well, and left aside: tests/test_export.py::test_out" in said.out


@pytest.mark.slow
def test_what_helped_in_part_is_taken_and_named(clew: CommandLine, tmp_path: Path) -> None:
    """Of a fix that is not proven: the person takes it, and it is called what it is."""
    export = {"tests/test_export.py": "def test_out():\n    from shop.total import out\n"}
    settings = {"pyproject.toml": SHOP["pyproject.toml"] + "\n[tool.clew]\nmax_iterations = 1\n"}
    write(clew.project, export | settings)
    commit_all(clew.project)
    found = cause(TEST, "tests/test_export.py::test_out")
    agent = Scripted(tmp_path / "agent", investigate=[found], **FIXING)
    told = tmp_path / "told.txt"
    told.write_text("expected: 6\nactual: 5")
    clew.run(*WORDS, "--agent", agent.name, "--symptoms", str(told))
    said = clew.run("answer", SLUG, "now")
    assert "a person is needed in the fix" in said.out + said.err, said
    clew.run("continue", f"{SLUG}-fix", "--skip-tests")
    said = clew.run("resume", SLUG)
    assert "What helped in part is kept: took nothing off" in said.out, said
    assert 0 == clew.run("apply", f"{SLUG}-fix").code
    assert "- 1" not in (clew.project / "shop/total.py").read_text()
    said = clew.run("answer", SLUG, "fixed")
    assert "Is this gone" in said.out, said
    said = clew.run("answer", SLUG, "confirmed")
    assert 0 == said.code, said
    known = (clew.project / "debug/knowledge-base.md").read_text()
    assert "total takes one off" in known
    assert "took nothing off" in known
    assert "shop/total.py" in known


@pytest.mark.slow
def test_where_the_test_of_a_command_cannot_be_run_red_tests_are_looked_into(
    tmp_path: Path,
) -> None:
    """In a folder of a repository with settings of its own."""
    commit_all(write(tmp_path / "all", {f"shop/{path}": text for path, text in SHOP.items()}))
    env = {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    clew = CommandLine(tmp_path / "all/shop", tmp_path / "state", env)
    said = clew.run(*WORDS, "--reproduce", SHOWN)
    assert "shop/total.py:6" in said.out, said


@pytest.mark.slow
def test_a_repair_with_which_the_command_still_shows_it_is_no_cause(clew: CommandLine) -> None:
    """Offline, of a command that is no test: a red test beside it explains nothing."""
    quiet = {"tests/test_total.py": "def test_total():\n    assert True\n"}
    label = {path: text for path, text in LABEL.items() if "label" in path}
    write(clew.project, label | quiet)
    commit_all(clew.project)
    said = clew.run(*WORDS, "--reproduce", f"sh -c '{SHOWN}'")
    assert "Investigation inconclusive" in said.out, said
    assert "write a test that fails as" in said.out, said
    implied = [entry.implication for entry in document(clew).evidence]
    assert "another matter: the fix may leave it as it is" in implied


ROUNDED = "\n\ndef rounded(amount):\n    return int(amount * 100{}) / 100\n"


@pytest.mark.slow
def test_a_command_that_printed_it_right_once_is_followed_back(clew: CommandLine) -> None:
    """Offline, from a wrong output alone: the commit, the function, the proven fix, the test."""
    pay = "import sys\n\nfrom shop.money import rounded\n\nprint('pay', rounded({}))\n"
    argument = "float(sys.argv[1])"
    write(clew.project, {"tests/test_total.py": "def test_nothing():\n    assert True\n"})
    write(clew.project, {"shop/money.py": ROUNDED.format(" + 0.5"), "pay.py": pay.format(argument)})
    commit_all(clew.project)
    write(clew.project, {"shop/money.py": ROUNDED.format("")})
    git(clew.project, "commit", "-qam", "Round faster")
    write(clew.project, {"notes.txt": "more"})
    commit_all(clew.project)
    told = clew.project.parent / "told.txt"
    told.write_text("expected: pay 1.15\nactual: pay 1.14\n")
    shown = ("--reproduce", "python3 pay.py 1.15", "--works", "python3 pay.py 1.25")
    said = clew.run(*WORDS, "--symptoms", str(told), *shown)
    assert "(Round faster)" in said.out, said
    found = [each.found for each in document(clew).evidence]
    assert "shop/money.py:3: rounded(amount=1.15) gave 1.15 before, and gave 1.14 since" in found
    assert "both run the same lines of the project's functions" in found

    said = clew.run("answer", SLUG, "now")
    assert "Fixed, and proven." in said.out, said
    assert 0 == clew.run("apply", SLUG).code
    assert ROUNDED.format(" + 0.5") == (clew.project / "shop/money.py").read_text()
    assert (clew.project / f"tests/test_{SLUG.replace('-', '_')}.py").exists()


PAY = """\
def label(amount):
    return format(amount, ".1f") + " EUR"


def pay(text):
    amount = float(text)
    if amount >= 0:
        return "free"
    return label(amount)
"""


@pytest.mark.slow
def test_what_no_command_could_show_before_the_fix_is_not_blamed_on_it(clew: CommandLine) -> None:
    """Offline: what was fixed had hidden it, so it is first seen with the fix, and no more."""
    free = "from shop.pay import pay\n\n\ndef test_free():\n    assert pay('0') == 'free'\n"
    write(clew.project, {"tests/test_total.py": free, "shop/pay.py": PAY})
    commit_all(clew.project)
    shown = """python3 -c "from shop.pay import pay; assert pay('5') != 'free'\""""
    said = clew.run(*WORDS, "--reproduce", shown)
    assert "Root cause identified" in said.out, said
    said = clew.run("answer", SLUG, "now")
    assert "Fixed, and proven." in said.out, said
    assert 0 == clew.run("apply", SLUG).code
    other = """$ python3 -c "from shop.pay import pay; print(pay('5.25'))\""""
    said = clew.run("answer", SLUG, f"expected: 5.25 EUR\nactual: 5.2 EUR\n{other}")
    assert "at shop/pay.py:2 in `label`" in said.out, said
    assert "It is first seen with the fix of this session" in said.out
    assert "It came with your uncommitted changes" not in said.out
    (entry,) = [each for each in document(clew).evidence if "5.25'))\"` on 2" in each.checked]
    assert "that fix brought it, or what it mended had hidden it" == entry.implication


@pytest.mark.slow
def test_a_command_with_an_environment_becomes_a_test_of_the_gate(clew: CommandLine) -> None:
    """A folder of modules that nobody installed, and a variable that the fault depends on."""
    code = "import os\nimport sys\n\n\ndef twice(n):\n    return n * int(os.environ['RATE']) - 1\n"
    main = "\n\nif __name__ == '__main__':\n    assert twice(int(sys.argv[1])) == 6\n"
    quiet = "def test_nothing():\n    assert True\n"
    write(clew.project, {"lib/rates.py": code + main, "tests/test_total.py": quiet})
    commit_all(clew.project)
    shown = "PYTHONPATH=lib RATE=2 python3 -m rates 3"
    said = clew.run(*WORDS, "--tdd", "--reproduce", shown)
    assert "Status: RED" in said.out, said
    assert f"test_{SLUG.replace('-', '_')}" in said.out
    said = clew.run("answer", SLUG, "confirmed")
    assert "Fixed, and proven." in said.out, said
    assert "+    return n * int(os.environ['RATE'])\n" in clew.run("diff", SLUG).out


MEAN = """\
import sys


def mean(values):
    return sum(values) / len(values)


if __name__ == "__main__":
    print("mean", mean([float(word) for word in sys.argv[1:]]))
"""


@pytest.mark.slow
def test_of_a_crash_the_test_asks_for_what_is_expected(clew: CommandLine) -> None:
    """Offline, by what the person said and nothing else; the fix has to print it."""
    mean = "from mean import mean\n\n\ndef test_mean():\n    assert mean([1, 3]) == 2\n"
    write(clew.project, {"mean.py": MEAN, "tests/test_total.py": mean})
    commit_all(clew.project)
    told = clew.project.parent / "told.txt"
    told.write_text("expected: mean 0.0\n")
    said = clew.run(*WORDS, "--symptoms", str(told), "--reproduce", "python3 mean.py")
    assert "Root cause identified" in said.out, said
    said = clew.run("answer", SLUG, "now")
    assert "Fixed, and proven." in said.out, said
    assert "asks only that it ends without an error" not in said.out
    assert "+    assert 'mean 0.0' in said\n" in clew.run("diff", SLUG).out


@pytest.mark.slow
def test_offline_what_a_person_refused_is_not_proposed_again(clew: CommandLine) -> None:
    """The next candidate is, and it is what becomes the fix."""
    first = clew.run(*WORDS, "--reproduce", SHOWN)
    assert "Fix: At shop/total.py:6 in `total`: drop `1`." in first.out, first
    said = clew.run("answer", SLUG, "the line itself is right")
    assert "Fix: At shop/total.py:6 in `total`: " in said.out, said
    assert "drop `1`" not in said.out
    assert "the line itself is right" in document(clew).eliminated[-1].evidence
    said = clew.run("answer", SLUG, "now")
    assert "verify" == document(clew).question.about, said
    added = [line for line in clew.run("diff", SLUG).out.splitlines() if line.startswith("+  ")]
    assert added
    assert "+    return sum(lines)" not in added


@pytest.mark.slow
def test_documents_of_the_tool_they_come_from_open_and_save_back(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Where that tool keeps them: what is its own stays, a malformed one hides no other."""
    folder = clew.project / ".planning/debug"
    origin = (GOLDEN / "debug-session-from-gsd-v1.md").read_text()
    write(folder, {"off.md": origin, "broken.md": "---\nstatus: wild\ntrigger: x\n---\n"})
    write(folder, {"knowledge-base.md": "# Debug Knowledge Base\n", "resolved/old.md": origin})
    said = clew.run("debug", "list")
    assert "broken  malformed: 'wild' is no status of a debug session" in said.out, said
    rows = [line.split()[0] for line in said.out.splitlines() if not line.startswith(" ")]
    assert ["off", "broken"] == rows

    agent = Scripted(tmp_path / "agent", investigate=[cause(TEST)])
    settings = {"CLEW_LAYOUT": "gsd"}
    said = clew.run("debug", "continue", "off", "--agent", agent.name, env=settings)
    assert (1, True) == (said.code, "Root cause identified" in said.out), said
    text = (folder / "off.md").read_text()
    assert "owner: mara  # ours" in text
    assert '".planning/debug/off.md"' in agent.sent("investigate")[0]
    known = read(text.encode())
    assert ["prices are floats", "Mara saw it too"] == [e.found for e in known.evidence[:2]]
    assert ("-off", 3) == (known.session[10:], known.bounds.max_iterations)

    said = clew.run(*WORDS, "--agent", agent.name, "--reproduce", "true", env=settings)
    assert (folder / f"{SLUG}.md").is_file(), said
    assert "there is no debug session 'xxx'" in clew.run("debug", "status", "xxx").err
    assert "is resolved" in clew.run("debug", "continue", "old").err


@pytest.mark.slow
def test_a_session_that_could_not_fix_it_is_gone_on_from(clew: CommandLine, tmp_path: Path) -> None:
    """Its failing tests are the symptom; what it tried is evidence, and its cause is ruled out."""
    off = {**MENDED, "should_be": "sum(lines) - 2"}
    turns = {"diagnose": [diagnosing("it takes one", off)], "fix": [{"says": {"changes": [off]}}]}
    fixer = Scripted(tmp_path / "fixer", **turns)
    assert "there is no session" in clew.run("debug", "--from", "lost").err
    clew.run("fix", "--agent", fixer.name, "--max-iterations", "1")
    (session,) = clew.run("list", "--json").events
    agent = Scripted(tmp_path / "agent", investigate=[waiting()])
    said = clew.run("debug", "--from", session["session"], "--agent", agent.name)
    assert (1, True) == (said.code, "which currency" in said.out), said
    (path,) = (clew.project / "debug/sessions").glob("*.md")
    known = read(path.read_bytes())
    assert f"{TEST} fails" == known.trigger
    assert "assert 5 == 6" in known.symptoms.errors
    assert ["it takes one"] == [each.hypothesis for each in known.eliminated]
    assert f"session {session['session']}, iteration 1" in known.evidence[0].checked


@pytest.mark.slow
def test_a_program_debugs_a_symptom_by_json_alone(clew: CommandLine, tmp_path: Path) -> None:
    """It answers by what is asked, with the commands that the question offers, until it ends."""
    agent = Scripted(tmp_path / "agent", investigate=[waiting(), cause(TEST)], **FIXING)
    answers = {"symptoms": "skip", "checkpoint": "done", "fix": "now", "verify": "confirmed"}
    words, asked = [*WORDS, "--agent", agent.name], list[str]()
    while True:
        said = clew.run(*words, "--json")
        assert "" == said.err
        if not (question := said.summary.get("question")):
            break
        assert (1, "waiting") == (said.code, said.summary["status"])
        asked.append(question["about"])
        commands = {option["word"]: option["command"] for option in question["options"]}
        words = shlex.split(commands[answers[asked[-1]]])[1:]
    assert list(answers) == asked
    assert (0, "resolved") == (said.code, said.summary["status"])
    known = clew.run("debug", "status", SLUG, "--json").summary["document"]
    assert ["resolved", "took nothing off"] == [known["status"], known["resolution"]["fix"]]


@pytest.mark.slow
def test_an_investigator_that_hangs_is_cut_to_the_seconds_that_are_left(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Then the person is asked, and not another call begun."""
    write(tmp_path / "agent", {"agent.py": "import time\n\ntime.sleep(300)\n"})
    (tmp_path / "agent").chmod(0o755)
    agent = f"command:{sys.executable} {tmp_path / 'agent' / 'agent.py'}"
    told = tmp_path / "told.txt"
    told.write_text("expected: 6\nactual: 5\n")
    bound = ("--max-seconds", "4", "--symptoms", str(told))
    said = clew.run(*WORDS, "--agent", agent, *bound, "--json")
    assert (1, "waiting") == (said.code, said.summary["status"]), said
    assert "seconds of work of 4 are over" in said.summary["question"]["text"]
    assert 1 == len(happened(said, "AgentErred"))
