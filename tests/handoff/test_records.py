"""What is kept of hand-offs, and that it is kept once and whole."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import platformdirs
import pytest

from clew.handoff.records import Chain, HandoffStore, digest, project_of, state_folder
from clew.journal.store import state_folder as state_folder_of_clew


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HandoffStore:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    return HandoffStore(str(tmp_path / "project"))


@pytest.mark.parametrize(
    "env", [{}, {"CLEW_STATE_HOME": "/a"}, {"XDG_STATE_HOME": "/b"}, {"XDG_STATE_HOME": ""}]
)
def test_the_state_folder_is_that_of_the_rest(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str]
) -> None:
    """Found without the library that the rest finds it with."""
    for name in ("CLEW_STATE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert platformdirs is not None
    assert str(state_folder_of_clew()) == state_folder()


def test_of_many_claims_one_succeeds(desk: HandoffStore) -> None:
    """A hundred times, eight at once."""
    with ThreadPoolExecutor(8) as pool:
        for number in range(100):
            token = digest("turn", str(number))
            got = list(pool.map(lambda each: desk.claim(token, {"by": each}), range(8)))  # noqa: B023 -- used up at once
            assert [True] == [each for each in got if each]
            claimed = desk.claimed(token)
            assert claimed is not None
            assert got[int(str(claimed["by"]))]
    assert 100 == len(list(Path(desk.folder, "claims").iterdir()))
    assert [] == [name for name in os.listdir(desk.folder) if name.startswith(".staged")]  # noqa: PTH208 -- names


def test_lines_of_many_writers_stay_whole(desk: HandoffStore) -> None:
    """Each line is one write at the end of the file."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: desk.note("c", "opened", number=n, words="x" * n), range(400)))
    lines = desk.chain("c").lines
    assert set(range(400)) == {line["number"] for line in lines}
    assert 400 == desk.chain("c").hops


def test_a_torn_line_hides_no_other(desk: HandoffStore) -> None:
    """The machine went down while a line was written."""
    desk.note("c", "opened")
    path = Path(desk.folder) / "chains" / "c.jsonl"
    with path.open("a") as file:
        file.write('{"at": 1, "event": "op')
    assert 1 == desk.chain("c").hops
    desk.note("c", "opened")
    assert 2 == desk.chain("c").hops


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "a\0b", "x" * 200, "ä"])
def test_a_name_from_outside_names_a_file_of_ours_or_none(desk: HandoffStore, name: str) -> None:
    """A session's id comes from the agent, a token from the environment."""
    for call in (desk.session, desk.forget_session, desk.receipt, desk.claimed, desk.chain):
        with pytest.raises(ValueError, match="is not a file name"):
            call(name)


def test_the_kill_switch_remembers_its_last_use(desk: HandoffStore) -> None:
    """Each use is kept."""
    assert desk.stopped() is None
    desk.stop("a")
    first = desk.stopped()
    desk.stop("b")
    assert first is not None
    assert first < (desk.stopped() or 0)


def test_the_tokens_of_a_session_count_once() -> None:
    """A session that hands off twice has spent what it says last."""
    chain = Chain(
        "c",
        (
            {"event": "spent", "session": "a", "tokens": 5, "at": 1.5},
            {"event": "spent", "session": "a", "tokens": 9},
            {"event": "spent", "session": "b", "tokens": 1},
        ),
    )
    assert (10, 1.5, 0) == (chain.tokens, chain.begun, chain.hops)


def test_the_project_is_the_nearest_folder_with_a_plan(tmp_path: Path) -> None:
    """Upwards to the top of the repository, and no further: who knows whose folder that is."""
    (tmp_path / ".planning").mkdir()
    deep = tmp_path / "repository" / "a" / "b"
    deep.mkdir(parents=True)
    assert str(tmp_path.resolve()) == project_of(str(deep))
    (tmp_path / "repository" / ".git").mkdir()
    assert str(deep.resolve()) == project_of(str(deep))
    (tmp_path / "repository" / ".planning").mkdir()
    assert str((tmp_path / "repository").resolve()) == project_of(str(deep))
