"""A scripted agent: it writes what it knows of a phase, and answers as agents answer Clew."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ENTRIES = '''\
"""Expenses, as they stand in a file."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Entry:
    """One line of the ledger; the amount is in cents."""

    day: date
    category: str
    amount: int


def parse(line):
    """Read `date,category,amount`."""
    day, category, amount = (part.strip() for part in line.split(","))
    return Entry(date.fromisoformat(day), category, round(float(amount) * 100))


def total(entries):
    """Add up the amounts."""
    return sum(entry.amount for entry in entries)
'''
ENTRIES_TEST = """\
from datetime import date

from ledger.entries import Entry, parse, total


def test_a_line_becomes_an_entry():
    assert parse("2026-03-01, food, 12.50") == Entry(date(2026, 3, 1), "food", 1250)


def test_total():
    assert total([parse("2026-03-01,food,1.10"), parse("2026-03-02,rent,500")]) == 50110
"""
PHASES = {
    "Entries": {"src/ledger/entries.py": ENTRIES, "tests/test_entries.py": ENTRIES_TEST},
    "Money": {
        "src/ledger/money.py": '''\
"""Money, as people read it."""


def written(cents):
    """Write cents with two decimals: `1,234.50`."""
    return f"{cents / 100:,.2f}"
''',
        "tests/test_money.py": """\
from ledger.money import written


def test_two_decimals():
    assert written(123450) == "1,234.50"


def test_nothing():
    assert written(0) == "0.00"
""",
    },
    "Categories": {
        "src/ledger/categories.py": '''\
"""Totals by category."""


def by_category(entries):
    """Return pairs of a category and its total, the largest first."""
    totals = {}
    for entry in entries:
        totals[entry.category] = totals.get(entry.category, 0) + entry.amount
    return sorted(totals.items(), key=lambda pair: pair[1], reverse=False)
''',
        "tests/test_categories.py": """\
from ledger.categories import by_category
from ledger.entries import parse

LINES = ["2026-03-01,food,10", "2026-03-02,rent,500", "2026-03-03,food,30"]


def test_the_largest_comes_first():
    assert by_category(map(parse, LINES)) == [("rent", 50000), ("food", 4000)]


def test_of_nothing_there_is_nothing():
    assert by_category([]) == []
""",
    },
    "Months": {
        "src/ledger/months.py": '''\
"""Totals by month."""

from ledger.entries import total


def by_month(entries):
    """Return pairs of a month, as `2026-03`, and its total, oldest first."""
    months = {}
    for entry in entries:
        months.setdefault(entry.day.strftime("%Y-%m"), []).append(entry)
    return [(month, total(found)) for month, found in sorted(months.items())]
''',
        "tests/test_months.py": """\
from ledger.entries import parse
from ledger.months import by_month

LINES = ["2026-04-01,food,10", "2026-03-02,rent,500", "2026-03-03,food,30"]


def test_each_month_has_its_total():
    assert by_month(map(parse, LINES)) == [("2026-03", 53000), ("2026-04", 1000)]
""",
    },
    "Refunds": {
        "src/ledger/entries.py": ENTRIES.replace(
            '''\
def total(entries):
    """Add up the amounts."""
    return sum(entry.amount for entry in entries)
''',
            '''\
def total_of(entries):
    """Add up what was spent; a negative amount is a refund."""
    return sum(entry.amount for entry in entries if entry.amount > 0)


def refunds_of(entries):
    """Add up what came back, as a positive amount."""
    return -sum(entry.amount for entry in entries if entry.amount < 0)
''',
        ),
        "tests/test_entries.py": ENTRIES_TEST.replace("parse, total", "parse, refunds_of, total_of")
        .replace("def test_total", "def test_total_of")
        .replace("assert total(", "assert total_of(")
        + """\


def test_refunds_are_counted_by_themselves():
    lines = ["2026-03-01,food,10", "2026-03-02,food,-4"]
    assert total_of(map(parse, lines)) == 1000
    assert refunds_of(map(parse, lines)) == 400
""",
    },
    "Report": {
        "src/ledger/report.py": '''\
"""The report, as text."""

from ledger.categories import by_category
from ledger.entries import parse, refunds_of, total_of
from ledger.money import written
from ledger.months import by_month


def report(lines):
    """Return the report on lines of a CSV file."""
    entries = [parse(line) for line in lines if line.strip()]
    parts = [("spent", total_of(entries)), ("refunds", refunds_of(entries))]
    parts += by_category(entries) + by_month(entries)
    return "\\n".join(f"{name:<10} {written(cents):>12}" for name, cents in parts)
''',
        "tests/test_report.py": """\
from ledger.report import report

LINES = ["2026-03-01,food,10", "2026-03-02,rent,1500", "2026-04-03,food,30", "2026-04-04,food,-5"]


def test_a_line_for_each_category_and_month():
    assert report(LINES).splitlines() == [
        "spent          1,540.00",
        "refunds            5.00",
        "rent           1,500.00",
        "food              35.00",
        "2026-03        1,510.00",
        "2026-04           30.00",
    ]
""",
    },
}


def main() -> None:
    found = re.search(r"^# Phase [^:\n]+: (.+)$", sys.stdin.read(), re.MULTILINE)
    files = PHASES.get(found.group(1).strip() if found else "")
    if files is None:
        sys.exit("this agent only carries out the phases of its plan")
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    written = sorted(files)
    answer = {"status": "done", "summary": f"Wrote {written[0]} with tests.", "files_modified": written}
    print(json.dumps(answer))


main()
