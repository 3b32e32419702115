"""`clew chain` as a person types it."""

from __future__ import annotations

from handoffkit import Hands


def test_a_project_without_a_chain(hands: Hands) -> None:
    """It says whether hand-off is on, and that there is none."""
    said = hands.clew.run("chain", "status")
    assert (0, "") == (said.code, said.err)
    assert "hand-off is on: .planning/config.json: mode is yolo\nno chain yet\n" == said.out
    assert None is hands.clew.run("chain", "status", "--json").summary["chain"]
    assert "" == hands.clew.run("chain", "log").out
    assert [] == [path.name for path in hands.root.iterdir() if path.name != ".planning"]


def test_status_and_log_tell_of_a_chain(hands: Hands) -> None:
    """Numbers against their bounds, the last step, and every step, without control characters."""
    desk = hands.desk
    desk.note("20260101-000000-aaaa", "asked", command="/gsd:a \x1b[31m")
    desk.note("20260101-000000-aaaa", "spent", session="s", tokens=1234)
    desk.note("20260101-000000-aaaa", "opened", window="@7")
    said = hands.clew.run("chain", "status")
    assert "1 of 10 hand-offs" in said.out
    assert "1,234 of 5,000,000 tokens" in said.out
    assert "opened   window @7" in said.out
    log = hands.clew.run("chain", "log", "20260101-000000-aaaa")
    assert 3 == len(log.out.splitlines())
    assert "\x1b" not in log.out
    events = hands.clew.run("chain", "log", "--json").events
    assert ["asked", "spent", "opened"] == [event["event"] for event in events]


def test_a_chain_that_is_not_there_is_named(hands: Hands) -> None:
    """Bad usage, with what there is."""
    said = hands.clew.run("chain", "log", "nonsense")
    assert 2 == said.code
    assert "there is no chain 'nonsense'" in said.err


def test_what_comes_next_is_said_and_started(hands: Hands) -> None:
    """From the files of the project; a dry run shows the words that would start it."""
    hands.stand_in({})
    assert "nothing: there is no current milestone here\n" == hands.clew.run("chain", "next").out
    planning = hands.root / ".planning"
    (planning / "ROADMAP.md").write_text("### Phase 6: Search\n")
    said = hands.clew.run("chain", "next")
    assert "/gsd:plan-phase 6  (phase 6 of the roadmap has no plan)\n" == said.out
    (planning / "phases" / "06-search").mkdir(parents=True)
    (planning / "phases" / "06-search" / "06-01-PLAN.md").touch()
    dry = hands.clew.run("chain", "start", "--dry-run", env=hands.env)
    assert (
        "  /gsd:execute-plan .planning/phases/06-search/06-01-PLAN.md" == dry.out.splitlines()[-1]
    )


def test_a_start_that_is_refused_names_its_rule(hands: Hands) -> None:
    """Nothing is started, and nothing written."""
    for command, rule in (
        ("/exit", "/exit is not an allowed command"),
        ("nonsense", "no command"),
        ("/gsd:a `x`", "continues after the command"),
    ):
        said = hands.clew.run("chain", "start", command, env=hands.env)
        assert 1 == said.code
        assert rule in said.err
    hands.configure("interactive")
    assert "by hand here" in hands.clew.run("chain", "start", "/gsd:a", env=hands.env).err
    assert [] == hands.seen()


def test_the_table_is_printed(hands: Hands) -> None:
    """For people and as records."""
    said = hands.clew.run("chain", "table")
    assert 9 == len(said.out.splitlines())
    assert "plan-phase                       /gsd:execute-plan [path]" in said.out
    rows = hands.clew.run("chain", "table", "--json").events
    assert {"after": "transition", "when": "", "command": "/gsd:plan-phase [N+1]"} == rows[-1]


def test_a_folder_that_is_not_there_is_bad_usage(hands: Hands) -> None:
    """Named, with nothing made in its place."""
    for words in (("status",), ("stop",), ("next",), ("start", "/gsd:a")):
        said = hands.clew.run("chain", *words, "-C", "nowhere")
        assert 2 == said.code
        assert "nowhere" in said.err
