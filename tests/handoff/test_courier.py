"""Hand-offs in a real tmux, between agents that do what a hand-off sees of an agent."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from handoffkit import Hands, Tmux, project, tmux, until

STEP = "done.\n\nGSD_SPAWN: "
WHOLE = ["asked", "spent", "opened", "started", "left"]


def words(hands: Hands) -> list[str]:
    """What was typed into each session, in order."""
    return [line["text"] for line in hands.agent_log("typed")]


def begin(hands: Hands, terminal: Tmux, typed: str = "first") -> tuple[str, str]:
    return terminal.open(hands.root, "claude", typed)


def test_the_next_session_gets_the_words_and_the_source_leaves(
    hands: Hands, terminal: Tmux
) -> None:
    """Quotes, `$(…)`, formats of tmux and semicolons arrive as they stand, and run nothing."""
    command = (
        '/gsd:plan-phase 6 it\'s "x" $(touch pwned) #(touch pwned) #{pane_id} ; touch pwned \\'
    )
    hands.stand_in({"first": STEP + command})
    window, _ = begin(hands, terminal)
    until(lambda: "left" in hands.seen() and len(words(hands)) == 2)
    assert WHOLE == hands.seen()
    assert ["first", command] == words(hands)
    until(lambda: window not in terminal.panes())
    assert [] == list(hands.root.rglob("pwned"))
    assert "" == hands.log()


def test_what_is_focused_does_not_matter_and_does_not_change(hands: Hands, terminal: Tmux) -> None:
    """Somebody works in another window; it keeps the focus, and gets neither words nor `/exit`."""
    hands.stand_in({"first": STEP + "/gsd:plan-phase 6"})
    _, elsewhere = terminal.open(hands.root, "cat")
    focused, _ = terminal.open(hands.root, "cat")
    terminal("select-window", "-t", focused)
    begin(hands, terminal)
    until(lambda: "left" in hands.seen())
    assert focused == terminal("display-message", "-p", "#{window_id}")
    assert ["", ""] == [terminal.shown(elsewhere), terminal.shown(terminal.panes()[focused])]


def test_windows_that_are_renumbered_are_still_found(hands: Hands, terminal: Tmux) -> None:
    """The indexes of all windows change between the start of a session and its end."""
    terminal("set-option", "-g", "renumber-windows", "on")
    hands.stand_in({"*": "done", "go": STEP + "/gsd:plan-phase 6"})
    before, _ = terminal.open(hands.root, "sleep", "900")
    window, pane = begin(hands, terminal)
    until(lambda: words(hands) == ["first"])
    terminal("kill-window", "-t", before)
    kept, _ = terminal.open(hands.root, "sleep", "900")
    terminal("send-keys", "-t", pane, "go", "Enter")
    until(lambda: "left" in hands.seen())
    until(lambda: window not in terminal.panes())
    (opened,) = hands.events("opened")
    assert {kept, opened["window"]} < set(terminal.panes())


def test_a_folder_with_a_tmux_format_in_its_name_is_only_a_folder(tmp_path: Path) -> None:
    """tmux expands formats in the folder of a new window; here they are letters."""
    hands = project(tmp_path / "a #(touch pwned) b")
    hands.stand_in({"first": STEP + "/gsd:plan-phase 6"})
    with tmux(tmp_path, hands.env) as terminal:
        terminal("new-window", "-d", "-c", "/", "sh", "-c", 'cd "$1" && exec claude first', "sh",
                 str(hands.root))  # fmt: skip
        until(lambda: "left" in hands.seen())
    assert [] == list(tmp_path.rglob("pwned"))


def test_a_source_in_copy_mode_leaves(hands: Hands, terminal: Tmux) -> None:
    """Keys typed there would go to tmux, so the pane is brought back first."""
    hands.stand_in({"*": "done", "go": STEP + "/gsd:plan-phase 6"})
    (hands.bin / "mute").touch()
    _, pane = begin(hands, terminal)
    until(lambda: hands.agent_log("began"))
    (hands.bin / "mute").unlink()
    terminal("send-keys", "-t", pane, "Enter")
    until(lambda: words(hands) == ["first"])
    terminal("send-keys", "-t", pane, "go", "Enter")
    terminal("copy-mode", "-t", pane)
    until(lambda: "left" in hands.seen())


def test_words_that_stood_on_the_input_line_are_not_sent_with_the_leave_command(
    hands: Hands, terminal: Tmux
) -> None:
    """Somebody had begun to type, and went away."""
    hands.stand_in({"first": STEP + "/gsd:plan-phase 6", "/gsd:plan-phase 6": "done"})
    hands.prefer(start_seconds=30)
    _, pane = begin(hands, terminal)
    terminal("send-keys", "-t", pane, "half a sentence")
    until(lambda: "left" in hands.seen())
    assert ["first", "/gsd:plan-phase 6"] == words(hands)


def test_a_program_that_ends_at_once_leaves_the_source_open(hands: Hands, terminal: Tmux) -> None:
    """No window, no `/exit`; the chain says why, and so does the source's window."""
    program = hands.stand_in({"first": STEP + "/gsd:plan-phase 6"})
    window, pane = begin(hands, terminal)
    until(lambda: hands.agent_log("began"))
    program.with_name("die").touch()
    until(lambda: "failed" in hands.seen())
    assert ["asked", "spent", "opened", "opened", "failed"] == hands.seen()
    assert 1 == hands.desk.chain(hands.desk.chains()[0]).hops
    assert pane == terminal.panes()[window]
    assert [] == hands.agent_log("ended")


def test_a_program_that_ends_at_once_is_started_once_more(hands: Hands, terminal: Tmux) -> None:
    """Before it reports it has done nothing, so that a second start repeats nothing."""
    hands.stand_in({"*": "done", "go": STEP + "/gsd:plan-phase 6"})
    _, pane = begin(hands, terminal)
    until(lambda: words(hands) == ["first"])
    (hands.bin / "die").write_text("once")
    terminal("send-keys", "-t", pane, "go", "Enter")
    until(lambda: "left" in hands.seen())
    assert ["asked", "spent", "opened", "opened", "started", "left"] == hands.seen()
    until(lambda: words(hands) == ["first", "go", "/gsd:plan-phase 6"])


def test_a_session_that_ended_before_its_stop_hook_is_followed(
    hands: Hands, terminal: Tmux
) -> None:
    """Its window has closed behind it; the next one opens in the same session of tmux."""
    program = hands.stand_in({"first": STEP + "/gsd:plan-phase 6"})
    program.with_name("lost").touch()
    window, _ = begin(hands, terminal)
    until(lambda: "started" in hands.seen())
    until(lambda: words(hands) == ["first", "/gsd:plan-phase 6"])
    assert ["asked", "spent", "opened", "started"] == hands.seen()
    assert window not in terminal.panes()


def test_a_program_that_is_not_there_leaves_the_source_open(hands: Hands, terminal: Tmux) -> None:
    """The reason names the program."""
    hands.stand_in({"first": STEP + "/gsd:plan-phase 6"})
    hands.prefer(program="no-such-agent")
    window, _ = begin(hands, terminal)
    until(lambda: "failed" in hands.seen())
    assert "no-such-agent is not on the PATH" in hands.events("failed")[0]["why"]
    assert window in terminal.panes()


def test_a_session_that_does_not_report_leaves_the_source_open(
    hands: Hands, terminal: Tmux
) -> None:
    """A window is there, but who knows what it shows: nobody is sent away for it."""
    hands.stand_in({"*": "done", "go": STEP + "/gsd:plan-phase 6"})
    hands.prefer(start_seconds=0.3)
    window, pane = begin(hands, terminal)
    until(lambda: words(hands) == ["first"])
    (hands.bin / "mute").touch()
    terminal("send-keys", "-t", pane, "go", "Enter")
    until(lambda: "failed" in hands.seen())
    assert "did not report" in hands.events("failed")[0]["why"]
    assert {window, hands.events("opened")[0]["window"]} < set(terminal.panes())


def test_a_source_that_does_not_take_the_leave_command_is_reported(
    hands: Hands, terminal: Tmux
) -> None:
    """It is typed three times, then the chain says so; the next session runs all the same."""
    hands.stand_in({"first": STEP + "/gsd:plan-phase 6"})
    hands.prefer(leave_seconds=0.2)
    (hands.bin / "deaf").touch()
    _, pane = begin(hands, terminal)
    until(lambda: "failed" in hands.seen())
    assert ["asked", "spent", "opened", "started", "failed"] == hands.seen()
    assert 0 < terminal.shown(pane).count("/exit") <= 3


def test_a_source_that_takes_its_time_to_leave_is_not_taken_for_one_in_use(
    hands: Hands, terminal: Tmux
) -> None:
    """The leave command is the last thing typed into it: by us, and once."""
    hands.stand_in({"first": STEP + "/gsd:plan-phase 6"})
    hands.prefer(leave_seconds=0.1)
    os.mkfifo(hands.bin / "slow")
    _, pane = begin(hands, terminal)
    until(lambda: "failed" in hands.seen())
    assert 1 == terminal.shown(pane).count("/exit")
    assert [] == hands.events("kept")
    with (hands.bin / "slow").open("w"):
        (hands.bin / "slow").unlink()
    until(lambda: hands.agent_log("ended"))


def test_a_source_that_somebody_typed_into_stays(hands: Hands, terminal: Tmux) -> None:
    """They took it over while the next session was starting."""
    hands.stand_in({"first": STEP + "/gsd:plan-phase 6", "wait": "yes"})
    (hands.bin / "mute").touch()
    window, pane = begin(hands, terminal)
    until(lambda: hands.agent_log("began"))
    terminal("send-keys", "-t", pane, "Enter")
    until(lambda: "opened" in hands.seen())
    terminal("send-keys", "-t", pane, "wait", "Enter")
    until(lambda: words(hands) == ["first", "wait"])
    (opened,) = hands.events("opened")
    terminal("send-keys", "-t", opened["pane"], "Enter")
    until(lambda: "kept" in hands.seen())
    assert window in terminal.panes()


def test_a_chain_of_three_without_a_terminal(hands: Hands) -> None:
    """Headless sessions follow each other as processes; each ends by itself."""
    steps = ["/gsd:a 1", "/gsd:b 2", "/gsd:c 3"]
    hands.stand_in(dict(zip(["first", *steps], [STEP + s for s in steps] + ["done"], strict=True)))
    hands.configure(backend="process")
    hands.env.pop("TMUX", None)
    done = hands.clew.run("chain", "start", "/gsd:a 1", env=hands.env)
    assert (0, "") == (done.code, done.err)
    until(lambda: len(hands.agent_log("ended")) == 3)
    assert steps == words(hands)
    assert 1 == len(hands.desk.chains())
    assert 3 == len(hands.events("opened"))
    assert {"process"} == {line["backend"] for line in hands.events("opened")}


def test_a_terminal_that_only_tmux_may_serve_is_said(hands: Hands) -> None:
    """No tmux, and nothing else allowed: words instead of a session."""
    hands.stand_in({})
    hands.configure(backend="tmux")
    done = hands.clew.run("chain", "start", "/gsd:a 1", env=hands.env)
    assert 1 == done.code
    assert "does not run in tmux" in done.err


@pytest.mark.parametrize("bypass", [[], ["--dangerously-skip-permissions"]])
def test_permission_prompts_are_skipped_only_where_the_person_says_so(
    hands: Hands, bypass: list[str]
) -> None:
    """A repository that says so changes nothing."""
    hands.stand_in({})
    hands.configure(skip_permissions=True, arguments=["--evil"], program="evil")
    hands.prefer(skip_permissions=bool(bypass))
    done = hands.clew.run("chain", "start", "/gsd:a 1", "--dry-run", env=hands.env)
    started = [line.strip() for line in done.out.splitlines()[1:]]
    assert [str(hands.bin / "claude"), *bypass, "-p", "/gsd:a 1"] == started
    assert [] == hands.seen()


def test_a_dry_run_says_what_would_happen(hands: Hands, terminal: Tmux) -> None:
    """Nothing is opened and nobody leaves."""
    hands.stand_in({"first": STEP + "/gsd:plan-phase 6"})
    hands.configure(dry_run=True)
    begin(hands, terminal)
    until(lambda: len(hands.agent_log("hook")) == 2)
    said = json.loads(hands.agent_log("hook")[1]["out"])["systemMessage"]
    assert "clew: would hand off to /gsd:plan-phase 6 (dry run)" == said
    assert ["asked", "would"] == hands.seen()


def test_the_bounds_of_a_chain_hold_over_its_sessions(hands: Hands, terminal: Tmux) -> None:
    """After two hand-offs of at most two, the third session stays, and says why."""
    hands.stand_in({"first": STEP + "/gsd:a", "/gsd:a": STEP + "/gsd:b", "/gsd:b": STEP + "/gsd:a"})
    hands.configure(max_depth=2)
    begin(hands, terminal)
    until(lambda: "refused" in hands.seen())
    assert ["first", "/gsd:a", "/gsd:b"] == words(hands)
    assert ["depth"] == [line["word"] for line in hands.events("refused")]


def test_tokens_of_all_sessions_count(hands: Hands, terminal: Tmux) -> None:
    """The second session finds that the chain has spent what it may: nobody opens a third."""
    hands.stand_in({"first": STEP + "/gsd:a", "/gsd:a": STEP + "/gsd:b"})
    hands.configure(max_tokens=40)
    begin(hands, terminal)
    until(lambda: "refused" in hands.seen())
    assert [20, 20] == [line["tokens"] for line in hands.events("spent")]
    assert ["tokens"] == [line["word"] for line in hands.events("refused")]
    assert ["first", "/gsd:a"] == words(hands)
