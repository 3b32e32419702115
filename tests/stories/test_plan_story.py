"""A plan carried out from the command line, as a person would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builder import PRICES, ROUNDING, Builder, builds, plan_text, till
from clew.documents.phases import read
from clew.words.phases import OverallStatus
from commandline import CommandLine
from handoffkit import until
from person import contents

LARGEST = builds(
    "largest",
    "def largest(prices):\n    best = prices[0]\n    for price in prices:\n"
    "        if price < best:\n            best = price\n    return best\n",
    "from till.largest import largest\n\n\ndef test_largest():\n"
    "    assert largest([2, 7, 5]) == 7\n    assert largest([9, 3]) == 9\n"
    "    assert largest([1, 4, 8]) == 8\n"
    "\n\ndef test_one():\n    assert largest([4]) == 4\n",
)
RECEIPT = builds(
    "receipt",
    "from till.prices import total\n\n\ndef receipt(items):\n    return total(items)\n",
    "from till.receipt import receipt\n\n\ndef test_receipt():\n    assert receipt([3, 4]) == 7\n",
)


UNENFORCED = {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
"""With it an agent can keep what it is sent."""


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    return CommandLine(till(tmp_path / "till"), tmp_path / "state")


def begin(clew: CommandLine, plan: str) -> None:
    (clew.project / "plan.md").write_text(plan)


def test_a_plan_of_one_phase_is_carried_out(clew: CommandLine, tmp_path: Path) -> None:
    """The person's files stay as they are until they say apply."""
    own = "\n\ndef test_own():\n    (Path(os.environ['CLEW_PHASE_TMP']) / 'x').write_text('x')\n"
    test = f"import os\nfrom pathlib import Path\n{PRICES['writes']['tests/test_prices.py']}{own}"
    beyond = {
        "tests/test_prices.py": test,
        "plan.md": "done",
        "clew.toml": "agent = 'x'",
        "src/till/more.py": "MORE = 1\n",
    }
    builder = Builder(tmp_path / "agent", {"Prices": [{"writes": PRICES["writes"] | beyond}]})
    begin(clew, plan_text(("Prices", "prices", ())))
    before = contents(clew.project)
    said = clew.run("run", "plan.md", "--agent", builder.name)
    assert 0 == said.code, said.out + said.err
    assert "✓ 1  Prices" in said.out
    assert before == contents(clew.project)
    (folder,) = (clew.project / ".clew" / "sessions").glob("*-a-till*")
    document = read((folder / "session.md").read_bytes())
    assert (OverallStatus.COMPLETED, "plan.md") == (document.status, document.implementation_plan)
    assert "src/till/prices.py" in document.phases[0].files_created
    summary = (folder / "summary.md").read_text()
    assert "\nCompleted: 1 of 1 phases completed.\n" in summary
    assert "; 14 lines more, 0 less; 1 commits" in summary, summary
    assert "also changed `src/till/more.py`" in summary
    assert "changed clew.toml, plan.md, which was left out" in summary.replace("`", "")
    assert "also changed src/till/more.py, which it does not declare" in said.out
    assert "*\n" == (clew.project / ".clew" / ".gitignore").read_text()
    assert "+def total(cents):" in clew.run("diff").out
    assert 0 == clew.run("apply").code
    assert "def total" in (clew.project / "src/till/prices.py").read_text()
    assert "A till" in (clew.project / "plan.md").read_text()
    assert not (clew.project / "clew.toml").exists()
    assert 0 == clew.run("apply", "--commit").code
    assert "  applied  " in clew.run("list").out
    status = clew.run("status").out
    assert ("applied: `clew apply`" in status, "moved on" in status) == (True, False), status
    assert "--commit" not in clew.run("apply").out


IMPORTED = """\
---
# kept by hand
session_id: till-2026
task: A till
status: in_progress
owner: Grace
phases:
  - {id: 1, name: Money, status: completed, agents: [coder], files_created: [src/till/__init__.py]}
  - id: 2
    name: Prices
    status: pending
    agents: [coder]
    blocked_by: [1]
    planned_files: [src/till/prices.py, tests/test_prices.py]
---

Words of a person.
"""


@pytest.mark.slow
def test_a_session_of_another_tool_is_imported_gone_on_with_and_exported(
    clew: CommandLine, tmp_path: Path
) -> None:
    """From its first pending phase; the document keeps what is not ours."""
    builder = Builder(tmp_path / "agent", {"Prices": [PRICES]})
    (clew.project / "active-session.md").write_text(IMPORTED)
    said = clew.run("import", "active-session.md", "--agent", builder.name)
    assert 0 == said.code, said.out + said.err
    assert "till-2026  imported, 1 of 2 phases done" in said.out
    assert IMPORTED == clew.run("export").out
    assert IMPORTED == (clew.project / "active-session.md").read_text()
    again = clew.run("resume", "till-2026")
    assert 0 == again.code, again.out + again.err
    exported = clew.run("export", "till-2026").out
    assert ("# kept by hand", "owner: Grace") == tuple(exported.splitlines()[i] for i in (1, 5))
    assert "Words of a person." in exported
    record = read(exported.encode())
    assert OverallStatus.COMPLETED is record.status
    assert "src/till/prices.py" in record.phases[1].files_created
    assert 2 == clew.run("export", "nobody").code


@pytest.mark.slow
def test_a_phase_that_is_imported_without_its_files_is_asked_about(
    clew: CommandLine, tmp_path: Path
) -> None:
    """It is not believed: carried out again, it is there."""
    builder = Builder(tmp_path / "agent", {"Money": [ROUNDING], "Prices": [PRICES]})
    gone = IMPORTED.replace("src/till/__init__.py", "src/till/rounding.py")
    (clew.project / "active-session.md").write_text(gone)
    said = clew.run("import", "active-session.md", "--agent", builder.name)
    assert "till-2026  imported, 0 of 2 phases done" in said.out
    assert "its files are not there: src/till/rounding.py" in said.out
    asked = clew.run("resume", "till-2026")
    assert 1 == asked.code, asked.out + asked.err
    assert "Waiting for it: 2." in asked.out
    again = clew.run("answer", "till-2026", "retry")
    assert 0 == again.code, again.out + again.err
    change = clew.run("diff").out
    assert "b/src/till/rounding.py" in change
    assert "b/src/till/prices.py" in change


@pytest.mark.slow
def test_phases_run_side_by_side_are_repaired_and_merged(clew: CommandLine, tmp_path: Path) -> None:
    """One has a fault that its tests find: the built-in repairer mends it."""
    clew.env |= UNENFORCED
    script = {"Prices": [PRICES], "Largest": [LARGEST], "Receipt": [RECEIPT]}
    builder = Builder(tmp_path / "agent", script)
    begin(
        clew,
        plan_text(
            ("Prices", "prices", ()), ("Largest", "largest", ()), ("Receipt", "receipt", (1,))
        ),
    )
    said = clew.run("run", "plan.md", "--agent", f"repair,{builder.name}")
    assert 0 == said.code, said.out + said.err
    listed = clew.run("list").out
    assert "-p2-fix1  green" in listed.replace("          ", "  "), listed
    own = [builder.own(name)[0] for name in ("Prices", "Largest", "Receipt")]
    assert 3 == len({each["CLEW_PHASE_PORT"] for each in own})
    assert not any(Path(each["CLEW_PHASE_TMP"]).exists() for each in own)
    assert 0 == clew.run("apply").code
    mended = (clew.project / "src/till/largest.py").read_text()
    assert "price < best" not in mended
    (prompt,) = builder.prompts("Receipt")
    assert "built Prices" in prompt
    assert "Files to create: src/till/receipt.py" in prompt


@pytest.mark.slow
def test_two_phases_that_do_not_go_together_are_found_in_their_batch(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Each is green alone; what was merged before the second of them stays merged."""
    alone = "from pathlib import Path\n\n\ndef test_alone():\n"
    alone += "    here = Path(__file__).parents[1] / 'src/till'\n"
    alone += "    assert not {here / 'one.py', here / 'two.py'} <= set(here.iterdir())\n"
    script = {
        "Prices": [PRICES],
        "One": [builds("one", "ONE = 1\n", alone)],
        "Two": [builds("two", "TWO = 2\n", alone, sleeps=1)],
    }
    builder = Builder(tmp_path / "agent", script)
    begin(clew, plan_text(("Prices", "prices", ()), ("One", "one", ()), ("Two", "two", ())))
    clew.env |= {"CLEW_AGENT_RETRIES": "0", "CLEW_MAX_ITERATIONS": "1"}
    said = clew.run("run", "plan.md", "--agent", builder.name, "--merge-batch", "3")
    assert 1 == said.code, said.out + said.err
    assert "are green alone, red together" in said.err
    assert "2 of 3 phases done" in said.out


@pytest.mark.slow
def test_a_phase_that_fails_is_asked_about_and_tried_again(
    clew: CommandLine, tmp_path: Path
) -> None:
    """The answer is told to its agent."""
    clew.env |= UNENFORCED
    crash = {"status": 3}
    script = {"Prices": [crash, crash, crash, PRICES], "Rounding": [crash, ROUNDING]}
    builder = Builder(tmp_path / "agent", script)
    begin(clew, plan_text(("Prices", "prices", ()), ("Rounding", "rounding", (1,))))
    said = clew.run("run", "plan.md", "--agent", builder.name)
    assert 1 == said.code
    assert "Phase 1 (Prices) failed after 1 session and 2 retries" in said.out
    session = said.out.split("  waiting")[0].strip()
    status = clew.run("status")
    assert 1 == status.code
    assert f"leave it out:  clew answer {session} skip\n" in status.out
    assert 2 == clew.run("answer", session, "nonsense").code
    again = clew.run("answer", session, "retry", "prices are in cents")
    assert 0 == again.code, again.out + again.err
    assert "prices are in cents" in builder.prompts("Prices")[-1]

    assert "it ended with exit code 3" not in builder.prompts("Rounding")[0]  # of other files
    listed = clew.run("plan", "learnings").out
    assert "4 times  it ended with exit code 3" in listed
    learnings = clew.project / ".clew" / "learnings.md"
    learnings.write_text(learnings.read_text() + "\n## Amounts are in cents\n\nAlways.\n")
    (clew.project / "more.md").write_text(plan_text(("Rounding", "rounding", ())))
    assert 0 == clew.run("run", "more.md", "--agent", builder.name).code
    prompt = builder.prompts("Rounding")[-1]
    assert "it ended with exit code 3" in prompt
    assert "Amounts are in cents" in prompt


@pytest.mark.slow
def test_a_person_says_whether_a_criterion_is_met_that_nothing_can_check(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Its agent is called once; phases that wait for nobody are merged meanwhile."""
    clew.env |= UNENFORCED
    script = {"Prices": [PRICES], "Rounding": [ROUNDING]}
    builder = Builder(tmp_path / "agent", script)
    plan = plan_text(("Prices", "prices", ()), ("Rounding", "rounding", ()))
    criteria = "### Done when\n\n- [ ] prices are fair (manual)\n- [ ] tests pass (test)\n"
    begin(clew, plan.replace("Write prices.\n", f"Write prices.\n\n{criteria}"))
    said = clew.run("run", "plan.md", "--agent", builder.name)
    assert 1 == said.code, said.out + said.err
    assert "Phase 1 (Prices) has passed its gates. You decide what no gate can check:" in said.out
    assert "    prices are fair\n" in said.out
    session = said.out.split("  waiting")[0].strip()
    assert "✓ 2  Rounding" in clew.run("status").out
    refused = clew.run("answer", session, "yes, they are fair")
    assert 2 == refused.code
    assert "Answers: merge, retry, skip, abort" in refused.err
    assert 1 == clew.run("resume", session, "--max-usd", "5").code  # is no answer to this
    done = clew.run("answer", session, "merge")
    assert 0 == done.code, done.out + done.err
    assert 1 == len(builder.own("Prices"))
    diff = clew.run("diff", session).out
    assert "src/till/prices.py" in diff
    assert "src/till/rounding.py" in diff


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "calls"), [(("answer", "retry"), 1), (("fork", "--at", "start"), 1), (("resume",), 0)]
)
def test_a_gate_that_was_set_wrongly_is_put_right_in_the_settings(
    clew: CommandLine, tmp_path: Path, words: tuple[str, ...], calls: int
) -> None:
    """A plan that goes on reads them again, and judges the same work; a variable holds as well."""
    clew.env |= UNENFORCED | {"CLEW_AGENT_RETRIES": "0"}
    settings = clew.project / "clew.toml"
    settings.write_text('[gates]\nslow = "sleep 1000"\n')
    builder = Builder(tmp_path / "agent", {"Prices": [PRICES, PRICES, PRICES, PRICES]})
    begin(clew, f"---\nmax_retries: 0\n{plan_text(('Prices', 'prices', ())).removeprefix('---')}")
    clew.env["CLEW_GATE_TIMEOUT"] = "1"
    said = clew.run("run", "plan.md", "--agent", builder.name)
    assert (1, True) == (said.code, "stopped after 1 s" in said.out), said.out + said.err
    session = said.out.split("  waiting")[0].strip()
    settings.write_text('[gates]\nslow = "sleep 2"\n')
    clew.env["CLEW_GATE_TIMEOUT"] = "60"
    assert f"correct it: `clew resume {session}` judges the same work again" in said.out
    called = len(builder.own("Prices"))
    verb, *more = words
    again = clew.run(verb, session, *more)
    assert 0 == again.code, again.out + again.err
    assert called + calls == len(builder.own("Prices"))


def supervised(clew: CommandLine, folder: Path) -> Builder:
    """A plan whose phase fails until its agent knows what the supervisor tells it."""
    clew.env |= UNENFORCED
    retry = {
        "task_id": 1,
        "action": "retry",
        "reason": "It did not know the unit.",
        "additional_context": "prices are in cents",
    }
    advice = {"diagnosis": "The unit was not told.", "actions": [retry]}
    script = {"Prices": [*[{"status": 3}] * 3, PRICES], "supervise": [{"says": advice}]}
    builder = Builder(folder, script)
    (clew.project / "clew.toml").write_text(
        f"[plan_agents.supervise]\nagent = {json.dumps(builder.name)}\n"
    )
    begin(clew, plan_text(("Prices", "prices", ())))
    return builder


@pytest.mark.slow
def test_a_supervisor_has_a_phase_tried_again_with_what_it_lacked(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Nobody is asked: the agent sees how the phase failed, and says what to do otherwise."""
    builder = supervised(clew, tmp_path / "agent")
    said = clew.run("run", "plan.md", "--agent", builder.name)
    assert 0 == said.code, said.out + said.err
    assert f"the plan is changed by {builder.name}: prices are in cents" in said.err
    assert "prices are in cents" in builder.prompts("Prices")[-1]
    (prompt,) = builder.prompts("supervise")
    assert 3 == prompt.count("it ended with exit code 3")
    assert "Files to create: src/till/prices.py" in prompt


@pytest.mark.slow
@pytest.mark.parametrize(("point", "calls"), [("intent", 1), ("effect", 2), ("outcome", 1)])
def test_a_supervisor_that_is_killed_is_asked_again_and_its_advice_taken_once(
    clew: CommandLine, tmp_path: Path, point: str, calls: int
) -> None:
    """A second call does no harm, since it changes nothing; what is journalled is not repeated."""
    builder = supervised(clew, tmp_path / "agent")
    crash = {"CLEW_CRASH_AT": f"CallAgent.supervise.{point}"}
    assert -9 == clew.run("run", "plan.md", "--agent", builder.name, env=crash).code
    said = clew.run("resume")
    assert 0 == said.code, said.out + said.err
    assert calls == len(builder.prompts("supervise"))
    assert 4 == len(builder.prompts("Prices"))


@pytest.mark.slow
def test_a_plan_is_forked_at_a_checkpoint(clew: CommandLine, tmp_path: Path) -> None:
    """Another agent tries what is left, beside the first session, which stays as it is."""
    clew.env |= UNENFORCED
    first = Builder(tmp_path / "first", {"Prices": [PRICES], "Receipt": [{"status": 3}]})
    other = Builder(tmp_path / "other", {"Receipt": [RECEIPT]})
    begin(clew, plan_text(("Prices", "prices", ()), ("Receipt", "receipt", (1,))))
    assert 1 == clew.run("run", "plan.md", "--agent", first.name).code
    (session,) = (path.name for path in (clew.project / ".clew" / "sessions").iterdir())
    assert 2 == clew.run("fork", session, "--at", "phase:2").code
    listed = clew.run("checkpoints", session).out.splitlines()
    assert ["start", "phase:1"] == [line.split()[0] for line in listed]
    said = clew.run("fork", session, "--at", "phase:1", "--agent", other.name)
    assert 0 == said.code, said.out + said.err
    assert f"forked from {session} at phase:1" in said.out
    assert [] == other.prompts("Prices")
    assert "waiting" in clew.run("status", session).out
    assert 0 == clew.run("apply", f"{session}-fork").code
    assert ["prices.py", "receipt.py"] == sorted(
        path.name for path in (clew.project / "src/till").glob("[pr]*.py")
    )


@pytest.mark.slow
def test_a_plan_that_is_paused_goes_on(clew: CommandLine, tmp_path: Path) -> None:
    """Its phase is stopped with it, and nothing of it is lost."""
    clew.env |= UNENFORCED
    builder = Builder(tmp_path / "agent", {"Prices": [PRICES | {"sleeps": 3}]})
    begin(clew, plan_text(("Prices", "prices", ())))
    process = clew.start("run", "plan.md", "--agent", builder.name)
    until(lambda: builder.prompts("Prices"))
    assert 0 == clew.run("pause").code
    _, told = process.communicate(timeout=60)
    assert 130 == process.returncode
    assert "interrupted; `clew resume " in told
    listed = clew.run("list").out
    assert 2 == listed.count("interrupted"), listed
    assert 2 == clew.run("pause").code
    assert 0 == clew.run("resume").code


@pytest.mark.slow
def test_phases_of_a_plan_whose_process_was_killed_are_paused_too(
    clew: CommandLine, tmp_path: Path
) -> None:
    """They have processes of their own, which the plan's name reaches all the same."""
    clew.env |= UNENFORCED
    builder = Builder(tmp_path / "agent", {"Prices": [PRICES | {"sleeps": 60}, PRICES]})
    begin(clew, plan_text(("Prices", "prices", ())))
    process = clew.start("run", "plan.md", "--agent", builder.name)
    until(lambda: builder.prompts("Prices"))
    process.kill()
    process.communicate(timeout=60)
    assert "running" in clew.run("list").out
    said = clew.run("pause")
    assert (0, "is paused" in said.out) == (said.code, True), said.err
    assert "running" not in clew.run("list").out
    assert 0 == clew.run("resume").code


@pytest.mark.slow
@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "point",
    [
        *("TakeBase.intent", "TakeBase.effect", "RunSession.before", "RunSession.intent"),
        *("RunSession.outcome", "MergePhase.intent", "MergePhase.effect", "RunGates.intent"),
        *("RunGates.effect", "RunGates.outcome", "RenderDocument.effect"),
    ],
)
def test_a_plan_that_is_killed_is_resumed_to_the_same_end(
    clew: CommandLine, tmp_path: Path, point: str
) -> None:
    """Before, at and after its own side effects; no phase is carried out twice."""
    clew.env |= UNENFORCED
    builder = Builder(tmp_path / "agent", {"Prices": [PRICES]})
    begin(clew, plan_text(("Prices", "prices", ())))
    killed = clew.run("run", "plan.md", "--agent", builder.name, env={"CLEW_CRASH_AT": point})
    assert -9 == killed.code
    said = clew.run("resume")
    assert 0 == said.code, said.out + said.err
    assert 0 == clew.run("apply").code
    assert "def total" in (clew.project / "src/till/prices.py").read_text()
    assert 1 == len(builder.prompts("Prices"))


def test_a_plan_that_is_wrong_begins_nothing(clew: CommandLine) -> None:
    """Each error is named, with its line."""
    begin(clew, plan_text(("Prices", "prices", (2,)), ("Rounding", "rounding", (1,))))
    said = clew.run("run", "plan.md", "--agent", "claude")
    assert 2 == said.code
    assert "cyclic_dependency" in said.err
    assert "No session yet" in clew.run("list").err


def test_an_agent_that_is_missing_is_noticed_before_anything_begins(clew: CommandLine) -> None:
    """The supervisor as well: nobody asks for it before something fails."""
    begin(clew, plan_text(("Prices", "prices", ())))
    builder = Builder(clew.project.parent / "agent", {})
    (clew.project / "clew.toml").write_text('plan_agents.supervise = { agent = "command:nowhere" }')
    said = clew.run("run", "plan.md", "--agent", builder.name)
    assert 2 == said.code
    assert "nowhere" in said.err
    assert "No session yet" in clew.run("list").err


def test_the_built_in_repairer_alone_carries_out_no_plan(clew: CommandLine) -> None:
    """The message says what to do."""
    begin(clew, plan_text(("Prices", "prices", ())))
    said = clew.run("run", "plan.md")
    assert 2 == said.code
    assert "--agent claude" in said.err
