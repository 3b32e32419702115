from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from clew.words.declared import DECLARED
from clew.words.errors import UsageError
from clew.words.models import AUTO
from clew.words.settings import Cap, Settings, load


def test_a_later_source_wins_and_every_value_knows_its_source(tmp_path: Path) -> None:
    """Default, pyproject.toml, clew.toml, environment, command line."""
    (tmp_path / "pyproject.toml").write_text(
        "[tool.clew]\nmax-iterations = 1\ntimeout = 10\ntest_timeout = 1\nagent_retries = 0\n"
    )
    (tmp_path / "clew.toml").write_text("timeout = 20\ntest_timeout = 2\nagent_retries = 1\n")
    env = {"CLEW_TEST_TIMEOUT": "3", "CLEW_AGENT_RETRIES": "2"}
    loaded = load((tmp_path,), env, {"agent_retries": 3, "timeout": None})
    assert (1, 20.0, 3.0, 3) == (
        loaded.max_iterations,
        loaded.timeout,
        loaded.test_timeout,
        loaded.agent_retries,
    )
    assert {
        "max_iterations": str(tmp_path / "pyproject.toml"),
        "timeout": str(tmp_path / "clew.toml"),
        "test_timeout": "environment",
        "agent_retries": "command line",
    } == loaded.sources


def test_without_any_source_the_defaults_hold(tmp_path: Path) -> None:
    """The built-in repairer, three iterations."""
    assert Settings(challenge=AUTO) == load((tmp_path,), {}, {})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("max_iteration = 3", "max_iterations"),
        ("[tool.clew]\nmax_iterations = 3", "at the top of clew.toml"),
        ("quite_unlike = 3", "clew fix --help"),
        ("max_iterations = 0", "at least 1"),
        ("max_iterations = 99", "at most 20"),
        ("max_iterations = true", "whole number"),
        ("max_iterations = '3'", "whole number"),
        ("timeout = 'soon'", "a number"),
        ("agent = []", "list"),
        ("agent = [1]", "list"),
        ("network = 1", "true or false"),
        ("commands = {a = 1}", "table"),
        ("prices = {a = 1}", "prices cannot be read"),
        ("prices = {a = {input = -1, output = 1}}", "prices cannot be read"),
        ("prices = {a = {input = 1, output = 1, cache = 1}}", "prices cannot be read"),
        ("max_iterations = ", "cannot be read"),
        ("max_iterations = 2\nmax-iterations = 3", "max_iterations is given twice"),
        ("timeout = nan", "is not a usable number"),
        ("timeout = inf", "is not a usable number"),
        (f"timeout = 1{'0' * 400}", "is not a usable number"),
        (f"x = {'[' * 5_000}", "cannot be read"),
        ("#" * (4 << 20), "larger than 4 MB"),
    ],
)
def test_what_is_wrong_is_named_with_its_source(tmp_path: Path, text: str, named: str) -> None:
    """Neither an unknown key nor a wrong value is passed over."""
    (tmp_path / "clew.toml").write_text(text + "\n")
    with pytest.raises(UsageError) as raised:
        load((tmp_path,), {}, {})
    assert "clew.toml" in raised.value.message
    assert named in raised.value.message + raised.value.hint


def test_a_mark_of_the_byte_order_is_no_part_of_the_settings(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    (tmp_path / "clew.toml").write_bytes(b"\xef\xbb\xbfmax_iterations = 2\n")
    assert 2 == load((tmp_path,), {}, {}).max_iterations


def test_lists_are_written_with_commas_where_there_are_no_lists() -> None:
    """A ladder on the command line or in a variable."""
    assert ("a", "b") == load((), {"CLEW_AGENT": "a, b"}, {}).agent
    assert ("c", "d") == load((), {}, {"agent": "c,d"}).agent


def test_a_broken_pyproject_is_left_to_the_tests(tmp_path: Path) -> None:
    """It is the project's own fault, and the test run will say so."""
    (tmp_path / "pyproject.toml").write_text("[[[")
    assert Settings(challenge=AUTO) == load((tmp_path,), {}, {})


def test_every_setting_is_declared() -> None:
    """The table and the record name the same things."""
    fields = set(Settings.__struct_fields__) - {"sources", "prompts", "variables"}
    assert fields == {d.name for d in DECLARED}


def test_tables_are_kept_as_the_values_that_a_journal_gives_back(tmp_path: Path) -> None:
    """A session that is asked for again by the same clew.toml is the same."""
    (tmp_path / "clew.toml").write_text(
        "ladder.x = { calls = 2 }\nprices.x = { input = 1, output = 2 }"
    )
    settings = load((tmp_path,), {}, {})
    assert {"x": Cap(calls=2)} == settings.ladder
    assert settings == msgspec.json.decode(msgspec.json.encode(settings), type=Settings)
