"""Several changes pass: how sure the repairer has to be before it decides alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import CommandLine, Said
from projects import commit_all, diagnosis, fix, git, recording, write

FILES = {
    "stats.py": "def mean(xs):\n    return sum(xs) / (len(xs) + 1)\n",
    "test_stats.py": "from stats import mean\n\n\ndef test_one():\n    assert mean([4]) == 4\n\n\n"
    "def test_three():\n    assert mean([1, 2, 6]) == 3\n",
}


@pytest.mark.slow
def test_a_person_is_shown_the_input_on_which_they_part_and_decides(tmp_path: Path) -> None:
    """`--accept high`: what is only likely waits; accepted, it is proven, and who said so told."""
    clew = CommandLine(commit_all(write(tmp_path / "stats", FILES)), tmp_path / "state")

    asked = clew.run("fix", "--json", "--accept", "high")
    answered = clew.run("answer", asked.summary["session_id"], "accept-1")

    assert 1 == asked.code
    said = asked.out + asked.err
    assert "the tests do not settle which change is right" in said
    part = "`mean([1, 2])` gives `1.5` with this change, and gives `1.0` with: replace `+` by `|`"
    assert part not in asked.err  # which tells what happens
    assert 1 == asked.summary["iterations"]
    assert 0 == answered.code, answered.out + answered.err
    assert "a person settled the doubt" in answered.out


def asked(tmp_path: Path) -> tuple[CommandLine, str]:
    """Return a session that waits for a person to say which of two changes is right."""
    clew = CommandLine(commit_all(write(tmp_path / "stats", FILES)), tmp_path / "state")
    said = clew.run("fix", "--json", "--accept", "high")
    told = said.summary["unsettled"]
    assert ("mean([1, 2])", "1.5", "1.0") == (told["call"], told["gives"], told["other_gives"])
    return clew, said.summary["session_id"]


@pytest.mark.slow
def test_the_same_code_is_not_searched_again_while_the_question_waits(tmp_path: Path) -> None:
    """It is asked again, with the same exit code, until the code changes or `--again` is typed."""
    clew, session = asked(tmp_path)

    again = clew.run("fix", "--accept", "high")
    as_json = clew.run("fix", "--accept", "high", "--json")
    listed = clew.run("list").out
    write(clew.project, {"stats.py": FILES["stats.py"] + "\n\nNAME = 1\n"})
    changed = clew.run("fix", "--accept", "high", "--json")

    assert (1, 1, 1) == (again.code, as_json.code, changed.code)
    assert f"clew answer {session} accept-1" in again.out
    assert "clew fix --again" in again.out
    assert session == as_json.summary["session_id"] != changed.summary["session_id"]
    assert 1 == len(listed.splitlines())


@pytest.mark.slow
def test_a_mistyped_value_is_taken_back_by_going_back(tmp_path: Path) -> None:
    """By the command that is told: it asks the same at once, and nothing is searched for.

    What was tried with the test of the mistyped value was not tried on this code.
    """
    clew, session = asked(tmp_path)

    mistyped = clew.run("answer", session, "value", "9")
    told = mistyped.out.partition("If you meant another, `clew ")[2].partition("`")[0]
    back = clew.run(*told.split())
    answered = clew.run("answer", session, "value", "1.5")

    assert (1, 1) == (mistyped.code, back.code), back.out + back.err
    assert "made on the code before a person gave a value, which became a test" in mistyped.out
    assert "changed by your answer: test_stats.py" in mistyped.err
    assert "Say what mean([1, 2]) has to give" in back.out
    assert "diagnose" not in back.err
    said = answered.out + answered.err
    assert "fix drop `1`" in said
    assert "the built-in repairer reads no guidance" not in said  # a value is no guidance


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "was", "line", "left"),
    [
        ("1.5", "red", "sum(xs) / len(xs)", "`mean([])` raises ZeroDivisionError with this change"),
        ("1.0", "green", "sum(xs) / (len(xs) | 1)", ""),
    ],
)
def test_a_value_becomes_a_test_that_stays_and_decides(
    tmp_path: Path, value: str, was: str, line: str, left: str
) -> None:
    """Seen on the code as it was, and green with the fix; only what is `left` is asked about."""
    clew, session = asked(tmp_path)

    refused = clew.run("answer", session, "value", "mean([1, 2])")
    slipped = clew.run("answer", session, "value", "1,5")
    said = clew.run("answer", session, "value", value)

    assert 2 == refused.code
    assert "'mean([1, 2])' is no literal of Python" in refused.err
    assert 2 == slipped.code
    assert "'1,5' is the tuple (1, 5), but for `mean([1, 2])` the changes give" in slipped.err
    assert (left in said.out + said.err, bool(left)) == (True, bool(said.code))
    if left:
        said = clew.run("answer", session, "accept-2")
    assert 0 == said.code, said.out + said.err
    assert f"test_mean_1_2, {was} before the fix" in said.out
    assert bool(left) == ("a person settled the doubt" in said.out)
    assert 0 == clew.run("apply").code
    assert line in (clew.project / "stats.py").read_text().replace("(len(xs))", "len(xs)")
    tests = FILES["test_stats.py"]
    added = f"\n\ndef test_mean_1_2():\n    assert mean([1, 2]) == {value}\n"
    assert tests + added == (clew.project / "test_stats.py").read_text()


@pytest.mark.slow
def test_one_short_test_does_not_decide_for_a_change_that_is_not_plain(tmp_path: Path) -> None:
    """What to give for a division by zero one test does not say: a person does."""
    files = {
        "share.py": "def share(part, whole):\n    return part / whole\n",
        "test_share.py": "from share import share\n\n\ndef test_half():\n"
        "    assert share(1, 2) == 0.5\n\n\ndef test_none():\n    assert share(0, 0) == 0\n",
    }
    clew = CommandLine(commit_all(write(tmp_path / "share", files)), tmp_path / "state")

    asked = clew.run("fix", "--json")
    said = clew.run("answer", asked.summary["session_id"], "accept-1")

    assert 1 == asked.code
    assert "Only one failing test, with one check, speaks for the change" in asked.out + asked.err
    assert 0 == said.code, said.out + said.err


@pytest.mark.slow
def test_the_other_change_is_taken_by_a_word(tmp_path: Path) -> None:
    clew, session = asked(tmp_path)

    said = clew.run("answer", session, "other")

    assert 0 == said.code, said.out + said.err
    assert "a person settled the doubt" in said.out
    assert "changed by your answer: stats.py" in said.err
    assert "+    return sum(xs) / (len(xs) | 1)" in clew.run("diff").out
    learned = (clew.project / "debug" / "knowledge-base.md").read_text()
    assert "- **Root cause**: `mean([4])` returns `2.0` where" in learned
    assert "- **Fix**: replace `+` by `|`, which a person chose of two changes that" in learned
    assert "- **Fixed by**: repair" in learned
    report = next((clew.project / "debug").rglob("001_*.md")).read_text()
    assert "; a person chose another change: replace `+` by `|`, and it is proven" in report
    summary = next((clew.project / ".clew" / "sessions").rglob("summary.md")).read_text()
    assert "A person chose of two changes that Clew knew: replace `+` by `|`" in summary
    told = next((clew.project / ".clew" / "sessions").rglob("session.md")).read_text()
    assert "on the code before a person took another change" in told
    assert 0 == clew.run("apply", "--commit").code
    message = git(clew.project, "log", "-1", "--format=%B")
    assert message.startswith("fix: replace `+` by `|`\n")
    assert "Cause: `mean([4])` returns `2.0` where" in message
    assert [] == [text for text in (learned, summary, message) if "by hand" in text]


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("edited", [True, False])
def test_the_other_change_is_offered_as_long_as_the_code_is_the_same(
    tmp_path: Path, *, edited: bool
) -> None:
    """After `clew resume` with nothing changed, and after an edit of tests that is rejected."""
    clew, session = asked(tmp_path)
    if edited:
        tests = clew.project / "test_stats.py"
        tests.write_text(tests.read_text() + "\n\ndef test_two():\n    assert mean([1, 2]) == 9\n")

    clew.run("resume", session)
    if edited:
        clew.run("answer", session, "reject")
    said = clew.run("answer", session, "other")

    assert 0 == said.code, said.out + said.err
    assert "+    return sum(xs) / (len(xs) | 1)" in clew.run("diff").out


@pytest.mark.slow
def test_a_pipeline_says_what_the_tests_do_not_decide(tmp_path: Path) -> None:
    """The page has the call, and the result both values, for whoever answers elsewhere."""
    clew = CommandLine(commit_all(write(tmp_path / "stats", FILES)), tmp_path / "state")

    said = clew.run("ci", "--accept", "high")

    assert 1 == said.code, said.err
    folder = clew.project / ".clew" / "ci"
    told = json.loads((folder / "result.json").read_text())["unsettled"]
    assert ("mean([1, 2])", "1.5", "1.0") == (told["call"], told["gives"], told["other_gives"])
    assert "mean([1, 2])" in (folder / "report.md").read_text()


@pytest.mark.slow
def test_by_default_what_is_likely_is_taken(tmp_path: Path) -> None:
    clew = CommandLine(commit_all(write(tmp_path / "stats", FILES)), tmp_path / "state")

    fixed = clew.run("fix")
    diff = clew.run("diff")

    assert 0 == fixed.code, fixed.out + fixed.err
    assert "+    return sum(xs) / len(xs)" in diff.out or "(len(xs))" in diff.out


SHOP = {
    "money.py": "def discount(amount, percent):\n    return amount - amount * percent / 10\n",
    "receipt.py": "from money import discount\n\n\ndef receipt(text, amount, percent):\n"
    '    return f"{text}: {discount(amount, percent):.2f} EUR, {len(text) - 1} letters"\n',
    "test_shop.py": "from money import discount\nfrom receipt import receipt\n\n\n"
    "def test_discount():\n    assert discount(200, 10) == 180\n\n\n"
    "def test_bolt():\n"
    '    assert receipt("bolt", 200, 10) == "bolt: 180.00 EUR, 4 letters"\n\n\n'
    "def test_ironing():\n"
    '    assert receipt("ironing", 200, 10) == "ironing: 180.00 EUR, 7 letters"\n',
}
"""The second fault turns no test green or further alone, so that no iteration mends both."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["len(text) - 1", "len(txt)"])  # the second is mended at once
def test_what_was_mended_before_or_beside_it_is_doubted_too(tmp_path: Path, fault: str) -> None:
    """Where another change passes in its place, with all that was mended since."""
    files = {path: text.replace("len(text) - 1", fault) for path, text in SHOP.items()}
    clew = CommandLine(commit_all(write(tmp_path / "shop", files)), tmp_path / "state")

    said = clew.run("fix")

    assert 0 == said.code, said.out + said.err
    told = "4 other changes turn the same tests green and behave differently elsewhere"
    assert f"unsure:  {told}: `discount(" in said.out
    assert f"\n{told}" in clew.run("show").out.replace("unsure:  ", "\n")


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (("value", "198.0"), "amount - amount * percent / 100"),
        (("value", "180.0"), ""),  # the change before is taken back, and another one is looked for
        (("other",), "amount - amount * bool(percent) / 10"),
    ],
)
def test_what_an_earlier_iteration_mended_is_asked_about(
    tmp_path: Path, answer: tuple[str, ...], line: str
) -> None:
    """The answer settles it, and what was only doubted beside it is made again."""
    clew = CommandLine(commit_all(write(tmp_path / "shop", SHOP)), tmp_path / "state")

    asked = clew.run("fix", "--accept", "high", "--json")
    told = asked.summary["unsettled"]
    session = asked.summary["session_id"]
    said = clew.run("answer", session, *answer)

    assert 1 == asked.code
    known = ("discount(200, 1)", "198.0", "180.0")
    assert known == (told["call"], told["gives"], told["other_gives"])
    diff = clew.run("diff", session).out
    assert (0 if line else 1) == said.code, said.out + said.err
    assert f"+    return {line}\n" in diff if line else "percent / 100" not in diff
    assert not line or "\n+    return f" in diff


@pytest.mark.slow
def test_a_slip_in_a_value_is_held_against_no_right_work(tmp_path: Path) -> None:
    """Neither by hand in files that lack its test, nor where a person went back behind it."""
    clew, session = asked(tmp_path)
    slipped = clew.run("answer", session, "value", "7.0")
    assert 1 == slipped.code, slipped.out + slipped.err

    clew.run("rollback", session, "start")
    (clew.project / "stats.py").write_text("def mean(xs):\n    return sum(xs) / len(xs)\n")
    said = clew.run("resume", session)

    assert 0 == said.code, said.out + said.err
    assert "test_mean_1_2" not in said.out  # it went when they went back
    assert "your answer became" not in said.out


HALVE = 'def mean(xs):\n    """Halve.\n\n    >>> mean([4])\n    4.0\n    """\n'
LOADED = """\
import doctest
import stats

def load_tests(loader, tests, ignore):
    tests.addTests(doctest.DocTestSuite(stats))
    return tests
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"}, "python3 -m pytest"),
        ({"test_stats.py": LOADED}, "python3 -m unittest"),
    ],
    ids=["pytest", "unittest"],
)
def test_examples_in_docstrings_take_no_value(
    tmp_path: Path, files: dict[str, str], command: str
) -> None:
    """A function beside them would be run by nobody."""
    files |= {"stats.py": f"{HALVE}    return sum(xs) / (len(xs) + 1)\n"}
    clew = CommandLine(commit_all(write(tmp_path / "stats", files)), tmp_path / "state")
    said = clew.run(
        "fix", "--json", "--accept", "high", "--max-iterations", "1", "--test-command", command
    )
    assert 1 == said.code, said.err
    asked = next(
        e["event"] for e in said.events if e.get("event", {}).get("type") == "QuestionAsked"
    )
    words = [option["word"] for option in asked["options"]]
    assert ("other" in words, "value" in words) == (True, False)


def bent(tmp_path: Path, *words: str) -> tuple[CommandLine, Said]:
    """Let an agent write a formula that suits what the tests ask, where one word is too much."""
    tests = FILES["test_stats.py"].replace("[1, 2, 6]) == 3", "[1, 2, 3]) == 2")
    project = commit_all(write(tmp_path / "stats", {**FILES, "test_stats.py": tests}))
    clew = CommandLine(project, tmp_path / "state")
    line = "    return sum(xs) / (len(xs) + 1)"
    ends = {
        "file": "stats.py",
        "line": 2,
        "current": line,
        "should_be": "    return (xs[0] + xs[-1]) / 2",
    }
    agent = recording(tmp_path / "r.jsonl", diagnosis("one too many", ends), fix(ends))
    return clew, clew.run("fix", "--json", "--agent", agent, *words)


@pytest.mark.slow
def test_an_agent_s_formula_is_told_beside_a_likelier_change(tmp_path: Path) -> None:
    """It counts, weakly tested, with the call that parts them; status and show say so, too."""
    clew, done = bent(tmp_path)
    shown = clew.run("show", done.summary["session_id"])

    assert (0, "green") == (done.code, done.summary["status"]), done.err
    assert "proven, except that it is weakly tested" in shown.out
    assert "unsure:  another change passes in its place" in shown.out
    assert "with: drop `1`" in shown.out


@pytest.mark.slow
def test_a_likelier_change_than_an_agent_s_is_asked_about_and_taken(tmp_path: Path) -> None:
    """`--accept high`, and a person says that the other one is right."""
    clew, waits = bent(tmp_path, "--accept", "high")
    session = waits.summary["session_id"]

    answered = clew.run("answer", session, "other")
    applied = clew.run("apply", session)

    assert (1, "waiting") == (waits.code, waits.summary["status"]), waits.err
    assert 0 == answered.code, answered.out + answered.err
    assert 0 == applied.code, applied.out + applied.err
    assert "return sum(xs) / len(xs)\n" in (clew.project / "stats.py").read_text()
