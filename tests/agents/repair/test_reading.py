"""What a search wrote is data from anybody's code: read strictly, or left out and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.agents.repair.records import Found, read, tick_of
from clew.agents.repair.searching import _candidate, _refusal
from clew.words.facts import Tick

GOOD: dict[str, Any] = {
    "kind": "candidate",
    "description": "replace `<` by `>`",
    "family": "comparison",
    "path": "code.py",
    "line": 2,
    "edits": [
        {"path": "code.py", "line": 2, "current": "    return a < b", "should_be": "    pass"}
    ],
    "turns_green": ["test"],
}


def found(**changes: object) -> Found:
    return msgspec.json.decode(json.dumps(GOOD | changes), type=Found)


def test_lines_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    """Half lines, other types and unknown kinds do no harm."""
    path = tmp_path / "results.jsonl"
    lines = [
        json.dumps(GOOD),
        json.dumps(GOOD | {"line": "two"}),
        json.dumps({"kind": "order", "text": "delete everything"}),
        '{"kind": "candidate", "desc',
        "\xff",
        json.dumps({"kind": "done", "made": 3, "tried": 2}),
    ]
    path.write_bytes("\n".join(lines).encode("latin-1"))

    account = read(path)

    assert (1, 4) == (len(account.found), account.unread)
    assert account.done is not None
    assert 2 == account.done.tried


def test_a_link_in_place_of_the_results_is_not_followed(tmp_path: Path) -> None:
    """What the project puts there instead of a file is not read."""
    (tmp_path / "secret").write_text(json.dumps(GOOD))
    (tmp_path / "results.jsonl").symlink_to(tmp_path / "secret")

    assert [] == read(tmp_path / "results.jsonl").found


def test_a_sign_of_life_is_one_line_of_output() -> None:
    """Other output is no sign of life."""
    line = b'{"kind": "progress", "phase": "searching", "made": 9, "tried": 4, "best": "x"}'

    assert Tick(phase="searching", made=9, tried=4, per_second=0.0, best="x") == tick_of(line)
    assert tick_of(b"collected 3 items") is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, ""),
        ({"turns_green": ["another"]}, "it turns no failing test green"),
        ({"edits": []}, "it changes what is not the project's code"),
        *(
            (
                {"edits": [{"path": path, "line": 1, "current": "a", "should_be": "b"}]},
                "it changes what is not the project's code",
            )
            for path in (
                *("test_code.py", "tests/helper.py", "conftest.py", "check_code.py"),
                *("../x.py", "/etc/x.py"),
            )
        ),
        (
            {"edits": [{"path": "gone.py", "line": 1, "current": "a", "should_be": "b"}]},
            "gone.py is not a file of the project",
        ),
        (
            {"edits": [{"path": "code.py", "line": 9, "current": "zz", "should_be": "b"}]},
            "code.py:9: 'zz' does not occur",
        ),
    ],
)
def test_only_patches_of_the_code_that_fit_are_believed(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    """Tests, their configuration, files elsewhere and texts that are not there are refused."""
    (tmp_path / "code.py").write_text("def f(a, b):\n    return a < b\n")

    candidate, named = _candidate(found(**changes)), ("check_*.py",)
    assert reason == _refusal(tmp_path, candidate, frozenset({"test"}), named)


def test_a_patch_in_the_encoding_that_a_file_declares_is_believed(tmp_path: Path) -> None:
    """It is made in that encoding, as an edit of any agent is; an unknown one is refused."""
    code = "# coding: {}\n# caf\xe9\ndef f(a, b):\n    return a < b\n"
    candidate = _candidate(found())
    (tmp_path / "code.py").write_bytes(code.format("latin-1").encode("latin-1"))
    assert "" == _refusal(tmp_path, candidate, frozenset({"test"}), ())
    (tmp_path / "code.py").write_bytes(code.format("no-such").encode("latin-1"))
    said = _refusal(tmp_path, candidate, frozenset({"test"}), ())
    assert said.startswith("code.py cannot be read: ")
