"""A program is followed: each call of the project's functions, as it ended."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clew.probe
from projects import write

ENTRY = Path(clew.probe.__file__).parent / "__main__.py"
SHOP = {
    "shop.py": (
        "import sys\n\n\n"
        "def cents(price):\n    if price < 0:\n        raise ValueError(price)\n"
        "    return price\n\n\n"
        "def total(prices):\n    return sum(cents(p) for p in prices)\n\n\n"
        "if __name__ == '__main__':\n"
        "    print(total([int(word) for word in sys.argv[1:]]))\n"
    )
}


def follow(root: Path, kind: str, name: str, *args: str) -> tuple[int, str, list[dict[str, Any]]]:
    results = root.parent / "calls.jsonl"
    words = {"results": str(results), "root": str(root), "cwd": str(root)}
    asked = root.parent / "request.json"
    asked.write_text(json.dumps(words | {"kind": kind, "name": name, "args": args}))
    command = [sys.executable, str(ENTRY), "calls", str(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = results.read_text().splitlines() if results.exists() else []
    return done.returncode, done.stdout, [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("kind", "name", "args"),
    [
        ("module", "shop", ("1", "2")),
        ("script", "shop.py", ("1", "2")),
        ("code", "import shop; print(shop.total([1, 2]))", ()),
    ],
)
def test_calls_are_written_as_they_end(
    tmp_path: Path, kind: str, name: str, args: tuple[str, ...]
) -> None:
    """With what they were given and gave, and the lines they ran; what is printed stays."""
    root = write(tmp_path / "shop", SHOP)
    code, out, calls = follow(root, kind, name, *args)
    assert (0, "3\n") == (code, out)
    assert [("cents", "1"), ("cents", "2"), ("total", "3")] == [
        (call["function"], call["gave"]) for call in calls
    ]
    assert {"prices": "[1, 2]"} == calls[-1]["given"]
    assert ("shop.py", 4, [5, 7]) == (calls[0]["path"], calls[0]["line"], calls[0]["steps"])


def test_an_exception_is_what_a_call_ended_with(tmp_path: Path) -> None:
    """Of each function that it goes through; the program ends as it would."""
    root = write(tmp_path / "shop", SHOP)
    code, _, calls = follow(root, "module", "shop", "1", "-2")
    assert 1 == code
    assert [("cents", "ValueError: (-2,)"), ("total", "ValueError: (-2,)")] == [
        (call["function"], call["raised"]) for call in calls[1:]
    ]
