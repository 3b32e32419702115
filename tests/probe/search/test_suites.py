"""What people's suites look like must not change what the search sees of them."""

from __future__ import annotations

from pathlib import Path

from searchplay import Workshop


def test_packages_of_tests_that_follow_each_other_are_all_seen(tmp_path: Path) -> None:
    """A test sees the set-up of its own package, not what an earlier package left standing."""
    workshop = Workshop(tmp_path)
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
    workshop.write(
        {
            "conftest.py": "",
            "tests/__init__.py": "",
            "add.py": "def add(a, b):\n    return a - b\n",
            **packages,
        }
    )
    ids = [f"tests/{name}/test_{name}.py::test_add" for name in ("one", "two", "three")]
    found = workshop.search(*ids, args=["--rootdir=."])
    assert sorted(ids) == sorted(found.first["turns_green"])
