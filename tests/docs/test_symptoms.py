"""The page of symptoms tells of each case that there is, and of no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symptomkit import symptoms

PAGE = (Path(__file__).parents[2] / "docs/benchmarks/symptoms.md").read_text("utf-8")
TABLES = re.findall(r"<!-- (\w+): written by .*?-->(.*?)<!-- end of \1 -->", PAGE, re.DOTALL)
ROW = re.compile(r"^\| ([\w-]+) [\d.]+ \| ([\w-]+): (.+?) \| (\w+) \|", re.MULTILINE)


@pytest.mark.parametrize(("name", "table"), TABLES, ids=[name for name, _ in TABLES])
def test_a_table_has_a_row_for_each_case(name: str, table: str) -> None:
    """With its package, its mistake, and how it was told, in the order of the data."""
    cases = [(each.package, each.name, each.mistake, each.kind) for each in symptoms()]
    assert cases == ROW.findall(table), name


def test_they_are_as_the_page_says() -> None:
    """Twelve in twelve packages: six in words, three with a traceback, three with a command."""
    kinds = [each.kind for each in symptoms()]
    assert [6, 3, 3] == [kinds.count(kind) for kind in ("words", "traceback", "command")]
    assert 12 == len({each.package for each in symptoms()})
    assert all(bool(each.traceback) == (each.kind == "traceback") for each in symptoms())
