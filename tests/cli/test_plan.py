"""`clew plan`: what is said, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main
from clew.documents.plans import read_plan

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `clew plan` in an empty folder; return the exit code and what it prints."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["plan", *words])
        return (int(ended.value.code or 0), *capsys.readouterr())

    return run


def phases(*given: dict[str, Any], **fields: Any) -> str:  # noqa: ANN401 -- any field of a plan
    named = {"name": "Part", "agent": "coder"}
    return json.dumps({"phases": [{**named, **each} for each in given], **fields})


def many(count: int) -> list[dict[str, Any]]:
    return [{"id": number} for number in range(1, count + 1)]


# Each case of plan validation: what is in the file, what is found, how it ends.
CASES: dict[str, tuple[str, list[str], int]] = {
    "nothing": ("null", ["invalid_plan"], 1),
    "phases that are a text": (json.dumps({"phases": "p1"}), ["invalid_plan"], 1),
    "no phases": (phases(), ["empty"], 1),
    "simple, four": (phases(*many(4), task_complexity="simple"), ["phase_count"], 1),
    "simple, three": (phases(*many(3), task_complexity="simple"), [], 0),
    "medium, six": (phases(*many(6), task_complexity="medium"), ["phase_count"], 1),
    "medium, five": (phases(*many(5), task_complexity="medium"), [], 0),
    "complex, twenty": (phases(*many(20), task_complexity="complex"), [], 0),
    "two wait for each other": (
        phases({"id": "A", "blocked_by": ["B"]}, {"id": "B", "blocked_by": ["A"]}),
        ["cyclic_dependency"],
        1,
    ),
    "three wait for each other": (
        phases(
            {"id": "A", "blocked_by": ["C"]},
            {"id": "B", "blocked_by": ["A"]},
            {"id": "C", "blocked_by": ["B"]},
        ),
        ["cyclic_dependency"],
        1,
    ),
    "one id twice": (phases({"id": "p1"}, {"id": "p1"}), ["duplicate_id"], 1),
    "1 and its text": (phases({"id": 1}, {"id": "1"}), [], 0),
    "nobody is waited for": (phases({"id": 1, "blocked_by": ["x"]}), ["dangling_dependency"], 1),
    "waited for anyway": (
        phases(
            {"id": "A"},
            {"id": "B", "blocked_by": ["A"]},
            {"id": "C", "blocked_by": ["A", "B"]},
        ),
        ["redundant_dependency"],
        0,
    ),
    "a file of two": (
        phases({"id": 1, "files_created": ["src/a.py"]}, {"id": 2, "files": ["./src/a.py"]}),
        ["file_overlap"],
        1,
    ),
    "a file of two, at other depths": (
        phases(
            {"id": 1},
            {"id": 2, "blocked_by": [1], "files_modified": ["a"]},
            {"id": 3, "files_modified": ["a"]},
        ),
        ["file_overlap"],
        1,
    ),
    "a file of two in order": (
        phases({"id": 1, "files": ["a"]}, {"id": 2, "files": ["a"], "blocked_by": [1]}),
        [],
        0,
    ),
    "a reader that owns files": (
        phases({"id": 1, "agent": "architect", "files_created": ["a"]}),
        ["agent_capability_mismatch"],
        1,
    ),
    "a reader that should create": (
        phases({"id": 1, "agent": "architect", "name": "Implement it"}),
        ["agent_capability_mismatch"],
        0,
    ),
    "no agent": (json.dumps({"phases": [{"id": 1, "name": "A"}]}), ["missing_required_field"], 1),
    "an agent that is a number": (phases({"id": 1, "agent": 42}), ["invalid_field_type"], 1),
    "an id that is a map": (phases({"id": {}}), ["invalid_field_type"], 1),
    "an id of zero": (phases({"id": 0}), ["invalid_field_value"], 1),
    "a file without a name": (phases({"id": 1, "files": [""]}), ["invalid_field_value"], 1),
}


@pytest.mark.parametrize("case", CASES)
def test_a_plan_is_checked(case: str, run: Run) -> None:
    """Each rule by its code; only errors make it a failure."""
    text, codes, code = CASES[case]
    Path("plan.json").write_text(text)
    ended, out, err = run("check", "plan.json", "--json")
    *findings, summary = map(json.loads, out.splitlines())
    assert (code, codes, "") == (ended, [each["code"] for each in findings], err)
    assert len(codes) == summary["errors"] + summary["warnings"]
    assert all(each["path"] == "plan.json" and each["line"] == 1 for each in findings)


def test_a_check_tells_the_order(run: Run) -> None:
    """Depths 0, 1, 1 are two waves, two phases wide; a diamond has three."""
    fork: list[dict[str, Any]] = [
        {"id": "p1"},
        {"id": "p2", "blocked_by": ["p1"]},
        {"id": "p3", "blocked_by": ["p1"]},
    ]
    Path("fork.json").write_text(phases(*fork))
    assert (
        0,
        "fork.json: 3 phases in 2 waves, 2 side by side; it can be carried out\n",
        "",
    ) == run("check", "fork.json")
    Path("diamond.json").write_text(phases(*fork, {"id": "p4", "blocked_by": ["p2", "p3"]}))
    _, out, _ = run("check", "diamond.json", "--json")
    assert [["p1"], ["p2", "p3"], ["p4"]] == json.loads(out)["waves"]


def test_a_new_plan_is_sound(run: Run) -> None:
    """It can be edited, checked, shown; a file that is there is left alone."""
    assert (
        0,
        "plans/a-word-counter.md: edit it, then `clew plan check plans/a-word-counter.md`\n",
    ) == (run("new", "A word counter")[:2])
    path = Path("plans/a-word-counter.md")
    assert "A word counter" == read_plan(path.read_text(), "").title
    assert (
        0,
        f"{path}: 4 phases in 3 waves, 2 side by side; it can be carried out\n",
        "",
    ) == run("check", str(path))
    path.write_text("mine")
    code, _, err = run("new", "a word counter!")
    assert (2, "mine", True) == (code, path.read_text(), "is there already" in err)
    assert (0, True) == (run("new", "deep/down")[0], Path("deep/down.md").exists())
    assert 2 == run("new", "!")[0]


def test_a_plan_is_shown(run: Run) -> None:
    """The table by waves, the longest chain, whether it is approved."""
    Path("plan.json").write_text(
        phases(
            {"id": 1, "files": ["a.py"]},
            {"id": "two", "blocked_by": [1], "files": ["b.py", "c.py"], "parallel": False},
            {"id": 3, "agent": "tester", "blocked_by": [1]},
            title="A counter",
            goal="Counts.",
        )
    )
    code, out, err = run("show", "plan.json")
    assert (0, "") == (code, err)
    assert (
        """\
A counter
Counts.

wave  phase                agent   after  files
1     1      Part          coder          a.py
2     two    Part (alone)  coder   1      b.py, c.py
2     3      Part          tester  1

critical path: 1 → two
not approved
"""
        == out
    )


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (("--format", "mermaid"), "graph LR\n"),
        (("--format", "svg"), "<svg "),
        (("--format", "json"), '{"type":"Plan"'),
        (("--json",), '{"type":"Plan"'),
        (("-o", "to/it.svg"), "<svg "),
        (("-o", "it.mmd"), "graph LR\n"),
        (("-o", "it.json"), '{"type":"Plan"'),
        (("-o", "it.txt"), "Plan\n"),
        (("-o", "it.svg", "--format", "mermaid"), "graph LR\n"),
    ],
)
def test_a_plan_is_drawn(words: tuple[str, ...], begins: str, run: Run) -> None:
    """As asked, or as the file's name ends."""
    run("new", "plan")
    code, out, _ = run("show", "plans/plan.md", *words)
    if "-o" in words:
        assert f"written: {words[1]}\n" == out
        out = Path(words[1]).read_text()
    assert (0, True) == (code, out.startswith(begins))


def test_a_plan_without_an_order_is_not_shown(run: Run) -> None:
    """It says why."""
    Path("plan.json").write_text(CASES["two wait for each other"][0])
    code, out, _ = run("show", "plan.json")
    assert (1, True) == (code, "A → B → A [cyclic_dependency]" in out)


def test_an_approval_is_of_what_was_approved(run: Run) -> None:
    """An edit takes it away, and is told; a plan with an error is not approved."""
    run("new", "plan")
    path = Path("plans/plan.md")
    assert "is approved: 4 phases in 3 waves" in run("approve", str(path))[1]
    assert "\napproved 2" in run("show", str(path))[1]
    assert json.loads(run("show", str(path), "--json")[1])["approved"]
    path.write_text(path.read_text().replace("side by side", "together"))
    assert "\nedited since it was approved, 2" in run("show", str(path))[1]
    path.write_text(path.read_text().replace("depends_on: [1]", "depends_on: [7]"))
    code, out, err = run("approve", str(path))
    assert (1, 2) == (code, out.count("dangling_dependency"))
    assert f"{path} is not approved: 2 errors, it cannot be carried out\n" == err


def test_what_an_agent_may_do_is_a_setting_of_the_project(run: Run) -> None:
    """Whoever a plan calls an architect may write files there."""
    Path("plan.json").write_text(CASES["a reader that owns files"][0])
    assert 1 == run("check", "plan.json")[0]
    Path("clew.toml").write_text("[plan_agents]\narchitect = { agent = 'claude' }\n")
    assert 0 == run("check", "plan.json")[0]
    assert 0 == run("approve", "plan.json")[0]
    assert "\napproved 2" in run("show", "plan.json")[1]


@pytest.mark.parametrize("command", ["check", "show", "approve"])
def test_a_plan_that_is_not_there_is_bad_usage(command: str, run: Run) -> None:
    """The message says how to make one."""
    code, _, err = run(command, "none.md")
    assert (2, True) == (code, "the plan none.md cannot be read: No such file" in err)


def test_a_plan_cannot_imitate_what_clew_says(run: Run) -> None:
    """Names and ids from the file stay on their line, and command no terminal."""
    odd = {"id": "1\nplan.json: fine", "name": "a\x1b[2J\nb", "agent": "x\ny"}
    Path("plan.json").write_text(phases(odd, {"id": 2, "blocked_by": ["3\nno error"]}))
    for command in ("check", "show", "approve"):
        _, out, err = run(command, "plan.json")
        lines = [*out.splitlines(), *err.splitlines()]
        assert not [line for line in lines if line.startswith(("no error", "plan.json: fine"))]
        assert "\x1b" not in out + err


def test_a_plan_of_five_hundred_phases_is_checked_and_shown(run: Run) -> None:
    """Each phase waits for two others."""
    parts = many(500)
    for part in parts:
        part["depends_on"] = [each for each in (part["id"] - 7, part["id"] - 3) if each > 0]
    Path("plan.json").write_text(phases(*parts, complexity="complex"))
    code, said, _ = run("check", "plan.json")
    assert (0, "500 phases in 167 waves") == (code, said.partition(": ")[2][:23])
    code, said, _ = run("show", "plan.json")
    assert (0, 500) == (code, sum("Part" in line for line in said.splitlines()))


def test_what_is_advised_can_be_typed(run: Run) -> None:
    """A path with a space as well."""
    code, out, _ = run("new", "my plans/till")
    assert 0 == code
    assert "`clew plan check 'my plans/till.md'`" in out
