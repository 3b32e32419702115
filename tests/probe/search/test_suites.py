"""What people's suites look like must not change what the search sees of them."""

from __future__ import annotations

from pathlib import Path

from searchplay import DebugRun


def test_packages_of_tests_that_follow_each_other_are_all_seen(tmp_path: Path) -> None:
    """A test sees the set-up of its own package, not what an earlier package left standing."""
    debug_run = DebugRun(tmp_path)
    packages = {
        f"tests/{name}/{file}": text
        for name, more in (("one", 3), ("two", 5), ("three", 7))
        for file, text in (
            ("__init__.py", ""),
            (
                f"test_{name}.py",
                f"import add\n\ndef test_add():\n    assert add.add(1, {more}) == 1 + {more}\n",
            ),
        )
    }
    debug_run.write(
        {
            "conftest.py": "",
            "tests/__init__.py": "",
            "add.py": "def add(a, b):\n    return a - b\n",
            **packages,
        }
    )
    ids = [f"tests/{name}/test_{name}.py::test_add" for name in ("one", "two", "three")]
    found = debug_run.search(*ids, args=["--rootdir=."])
    assert sorted(ids) == sorted(found.first["turns_green"])


def test_a_suspicion_by_spectrum_is_told_as_it_was_measured(tmp_path: Path) -> None:
    """A crash nearby makes a line more suspicious; its Ochiai coefficient stays at most 1."""
    debug_run = DebugRun(tmp_path)
    debug_run.write(
        {
            "last.py": "def last(items):\n    return items[len(items)]\n",
            "test_last.py": "import last\n\ndef test_last():\n    assert last.last([1]) == 1\n",
        }
    )
    found = debug_run.search("test_last.py::test_last")
    assert [("last.py", 2, 1.0)] == [(s["path"], s["line"], s["ochiai"]) for s in found.suspects]
