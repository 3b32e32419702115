"""Names that a commit replaced by others, and that other places still go by."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.probe.search.fixers.renaming import given, renamed
from clew.probe.search.source import Source, apply_changes
from searchplay import DebugRun

FIELD = "class Packet:\n    sort: str\n    {}: int = 3\n"


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (FIELD.format("lasts"), FIELD.format("viability"), [("lasts", "viability")]),
        (FIELD.format("lasts") + "lasts = 1\n", FIELD.format("viability") + "lasts = 1\n", []),
        ("a = 1\nb = viability\n", "a = lasts\nb = 1\n", []),  # a value is no name
        ("a.lasts = b.lasts\n", "a.kept = b.kept\n", [("lasts", "kept")]),
        ("a.lasts = 1\n", "a.kept = a.viability = 1\n", []),  # more than a name
        ("x = 1\n", "y = 1\n", []),  # too short to be found again
    ],
)
def test_a_name_is_gone_and_another_one_has_its_place(
    before: str, after: str, found: list[tuple[str, str]]
) -> None:
    assert found == list(renamed(before, after))


def test_places_that_go_by_the_old_name_get_the_new_one() -> None:
    """All at once, and each alone; a variable of that name is another thing."""
    text = "lasts = row.get('lasts', 3)\nf(lasts=lasts, b=a.lasts)\n"
    source = Source("m.py", text)

    made = [apply_changes(text, changes) for changes in given(source, "lasts", "kept")]

    assert "lasts = row.get('kept', 3)\nf(kept=lasts, b=a.kept)\n" == made[0]
    assert 4 == len(made)


@pytest.mark.slow
def test_a_reader_that_a_renaming_forgot_is_found(tmp_path: Path) -> None:
    """It had a default for what is not there, so that nothing failed."""
    shop = DebugRun(tmp_path)
    packet = "def row(sort, years):\n    return {{'sort': sort, '{}': years}}\n"
    reader = "def lasting(rows):\n    return [r['sort'] for r in rows if r.get('lasts', 3) > 4]\n"
    test = (
        "from packet import row\nfrom reader import lasting\n\n\ndef test_lasting():\n"
        "    assert lasting([row('beet', 8), row('leek', 2)]) == ['beet']\n"
    )
    shop.write({"packet.py": packet.format("kept"), "reader.py": reader, "test_all.py": test})

    answer = shop.search(
        "test_all.py::test_lasting", earlier=[("packet.py", "1a2b3c4d5e", packet.format("lasts"))]
    )

    assert "replace `lasts` by `kept`, its name since 1a2b3c4d5e" == answer.first["description"]
    assert reader.replace("lasts'", "kept'") == shop.repaired(answer.first)["reader.py"]
